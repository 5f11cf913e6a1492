import type { DetectedFlags, SessionState } from '../cluster/sessionTypes.ts';
import type { ContextLine } from '../panel/model/messages.ts';
import type { Connection } from './hub.ts';

/** Names by which people call what others depend on. */
export const isProduction = (context: string): boolean => /prod|live\b/i.test(context);

/** After a refusal nothing is asked any more, looked at or not: only a person can go on. */
export const isRefused = ({ kind }: SessionState): boolean =>
  kind === 'unauthorised' || kind === 'stopped';

/** A connection as the panel shows it above its table. */
export function contextLine(
  { name, session, isDemo }: Connection,
  now: { readonly isLocked: boolean; readonly isPaused: boolean },
): ContextLine {
  const {
    context,
    state,
    clockSkew,
    checkedAt,
    idle,
    listed,
    isComplete,
    unseen,
    versions,
    flags,
  } = session.snapshot();
  return {
    name,
    server: context.server,
    isDemo,
    isProduction: !isDemo && isProduction(name),
    isLocked: now.isLocked,
    ...(now.isPaused && !isRefused(state) ? { state: 'paused' } : stateOf(state)),
    skew: clockSkew,
    checkedAt,
    idle,
    listed,
    isComplete,
    unseen,
    versions: versions.map(({ system, version, from }) => `${system} ${version} (${from})`),
    flags: flagTexts(flags),
  };
}

const flagTexts = ({ controllers, gates }: DetectedFlags): readonly string[] => [
  ...[...controllers].map(([name, value]) => `${name.replace('/', ' ')} ${value}`),
  ...[...gates].map(([name, isOn]) => `feature gate ${name} ${isOn ? 'on' : 'off'}`),
];

function stateOf(state: SessionState): Pick<ContextLine, 'state' | 'why' | 'retry' | 'retryAt'> {
  switch (state.kind) {
    case 'connecting':
    case 'live':
      return { state: state.kind };
    case 'reconnecting':
      return { state: state.kind, why: state.why, retry: state.retry, retryAt: state.nextAt };
    case 'unauthorised':
      return { state: state.kind, why: state.detail };
    case 'stopped':
      return { state: state.kind, why: state.why };
  }
}
