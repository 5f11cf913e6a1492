import type { Instant } from '../../../engine/units.ts';
import type { Clock } from './clock.ts';
import type { ClusterPort, PortResult } from './port.ts';

/** Sends single requests, and passes on what answers tell about the server's clock. */
export type Asker = {
  readonly get: (path: string, query?: Readonly<Record<string, string>>) => Promise<PortResult>;
  readonly post: (path: string, body: unknown) => Promise<PortResult>;
};

export function asker(
  port: Pick<ClusterPort, 'request'>,
  clock: Clock,
  signal: AbortSignal,
  heard: (date: Instant | undefined, sent: Instant) => void,
): Asker {
  const send = async (request: Parameters<ClusterPort['request']>[0]): Promise<PortResult> => {
    const sent = clock.now();
    const result = await port.request({ ...request, signal });
    if (result.ok) heard(result.answer.date, sent);
    return result;
  };
  return {
    get: (path, query) => send({ method: 'GET', path, ...(query === undefined ? {} : { query }) }),
    post: (path, body) => send({ method: 'POST', path, body }),
  };
}

/** Runs tasks side by side, at most eight at a time. */
export async function inParallel<T, R>(
  items: readonly T[],
  task: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const rest = items.entries();
  const worker = async () => {
    for (const [index, item] of rest) results[index] = await task(item);
  };
  await Promise.all(Array.from({ length: Math.min(8, items.length) }, worker));
  return results;
}
