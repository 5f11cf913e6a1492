import { stateJson, type StateJson } from '../../../engine/liveJson.ts';
import { formatInstant } from '../../../engine/units.ts';
import type { LiveRow, SessionSnapshot } from '../cluster/sessionTypes.ts';

/** What `kube-backoff status --format json` prints of one context. */
export type StatusJson = {
  readonly version: 1;
  readonly context: string;
  readonly checkedAt: string;
  readonly clockSkewMs: number;
  readonly states: readonly StateJson[];
  readonly unseen: SessionSnapshot['unseen'];
};

/** Writes rows of a context in the public shape; all of its rows unless some are named. */
export function statusJson(
  snapshot: SessionSnapshot,
  rows: Iterable<LiveRow> = snapshot.rows.values(),
): StatusJson {
  return {
    version: 1,
    context: snapshot.context.name,
    checkedAt: formatInstant(snapshot.checkedAt),
    clockSkewMs: snapshot.clockSkew,
    states: [...rows].map(({ family, resource, part, state }) =>
      stateJson(family, resource, part === undefined ? { state } : { part, state }),
    ),
    unseen: snapshot.unseen,
  };
}
