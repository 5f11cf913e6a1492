import type { Note } from '../../family.ts';
import type { Reset } from '../../schedule.ts';
import { sources } from './system.ts';

/** What ends a row of failures on a queue, whatever its limiter. */
export const queueResets: readonly Reset<never>[] = [
  {
    text: 'a reconcile that ends without an error',
    origin: { kind: 'built-in', name: 'Forget', cite: sources.results },
  },
  {
    text: 'a restart of the controller, or another replica that becomes leader: the counts are kept in memory',
    origin: { kind: 'built-in', name: 'the queue in memory', cite: sources.itemExponential },
  },
];

/** What an author of a controller should know of its queue, whatever the limiter. */
export const queueNotes: readonly Note<never>[] = [
  {
    text: 'A returned error takes the next wait, and so does `Requeue: true`, although nothing failed',
  },
  {
    text: '`RequeueAfter` waits exactly as long as it says and starts the count anew; next to an error it is ignored',
  },
  {
    text: 'A `TerminalError` is not retried until something changes, and its object keeps its count',
  },
  {
    text: 'A change of the object, or of anything else that the controller watches, is handled at once: it does not wait for the retry',
  },
  {
    text: 'Nothing in the cluster shows the count or the next retry; the metrics `workqueue_retries_total` and `controller_runtime_reconcile_errors_total` count retries and errors',
  },
];
