import { stateJson, type StateJson } from '../../../engine/liveJson.ts';
import { formatInstant } from '../../../engine/units.ts';
import type { LiveRow, SessionSnapshot } from './sessionTypes.ts';

/** The public shape of a status, printed by the command and exported by the panel: `version` says which one. */
export type StatusJson = {
  readonly version: 1;
  readonly context: string;
  readonly checkedAt: string;
  readonly clockSkewMs: number;
  readonly versions: SessionSnapshot['versions'];
  readonly idle: number;
  readonly listed: number;
  readonly states: readonly (StateJson & { readonly estimate?: true })[];
  readonly unseen: SessionSnapshot['unseen'];
};

/** Writes rows of a context, in the order they are given. */
export function statusJson(snapshot: SessionSnapshot, rows: Iterable<LiveRow>): StatusJson {
  return {
    version: 1,
    context: snapshot.context.name,
    checkedAt: formatInstant(snapshot.checkedAt),
    clockSkewMs: snapshot.clockSkew,
    versions: snapshot.versions,
    idle: snapshot.idle,
    listed: snapshot.listed,
    states: [...rows].map(({ family, resource, part, state, isEstimate }) => ({
      ...stateJson(family, resource, { ...(part === undefined ? {} : { part }), state }),
      ...(isEstimate ? { estimate: true } : {}),
    })),
    unseen: snapshot.unseen,
  };
}
