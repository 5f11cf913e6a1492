import { parseGoDuration } from '../../durations/go.ts';
import { atLeast, type Environment } from '../../environment.ts';
import { waits } from '../../growth.ts';
import type { Origin, Reset, Waits } from '../../schedule.ts';
import { exactly, minutes, ms, seconds, zero, type Ms, type Window } from '../../units.ts';
import { kubernetes, sources } from './system.ts';

/** The gate that makes the longest wait a setting of the node. */
export const maxGate = 'KubeletCrashLoopBackOffMax';
/** The gate that starts at 1s and stops at 1m where the node says nothing else. */
export const reduceGate = 'ReduceDefaultCrashLoopBackOffDecay';

/** The setting of the node, as `env.controllers` names it. */
export const maxSetting = 'crashLoopBackOff.maxContainerRestartPeriod';

/** The waits of a kubelet between restarts of a container: the second one, doubling up to the longest. */
export type RestartBackoff = { readonly base: Ms; readonly max: Ms; readonly maxSetBy: MaxSetBy };

/** Who decides the longest wait. */
export type MaxSetBy = 'built-in' | 'default' | 'node' | 'gate';

/** A container that ran this long starts over: its next restart is immediate. */
export const quietTime: Ms = minutes(10);

const ordinary = { base: seconds(10), max: minutes(5) };
const reduced = { base: seconds(1), max: minutes(1) };

/** Whether the node's setting counts: from 1.35 unless the gate is off, from 1.32 where it is on. */
export const maxIsSettable = (env: Environment): boolean =>
  atLeast(env, kubernetes, '1.32.0') &&
  (env.gates.get(maxGate) ?? atLeast(env, kubernetes, '1.35.0'));

const isReduced = (env: Environment): boolean =>
  atLeast(env, kubernetes, '1.33.0') && env.gates.get(reduceGate) === true;

/** The back-off of the kubelets that are known of: their version, gates and setting. */
export const restartBackoff = (env: Environment): RestartBackoff =>
  restartBackoffOf(env, nodeSetting(env));

/** The back-off of a kubelet of this version, with these gates and its own setting. */
export function restartBackoffOf(env: Environment, nodeMax: Ms | undefined): RestartBackoff {
  const { base } = isReduced(env) ? reduced : ordinary;
  if (maxIsSettable(env)) {
    // With the setting in force its default of 5m wins, even over the reduced cap of 1m.
    const max = nodeMax ?? ordinary.max;
    const maxSetBy = nodeMax === undefined ? 'default' : 'node';
    return { base: ms(Math.min(base, max)), max, maxSetBy };
  }
  if (isReduced(env)) return { ...reduced, maxSetBy: 'gate' };
  return { ...ordinary, maxSetBy: 'built-in' };
}

function nodeSetting(env: Environment): Ms | undefined {
  const text = env.controllers.get(`${kubernetes.id}/${maxSetting}`);
  const read = text === undefined ? undefined : parseGoDuration(text);
  const isValid = read?.ok === true && read.value >= 1000 && read.value <= ordinary.max;
  return isValid ? read.value : undefined;
}

/** The wait before the next restart of a container that was restarted so often: 0s, 10s, 20s, 40s… */
export function restartWait({ base, max }: RestartBackoff, restarts: number): Ms {
  if (restarts <= 0) return zero;
  return ms(Math.min(base * 2 ** Math.min(restarts - 1, 60), max));
}

/** The waits before restart 1, 2, 3… of a container that keeps exiting at once. */
export function restartWaits(backoff: RestartBackoff): Waits {
  let from = 2;
  while (restartWait(backoff, from - 1) < backoff.max) from += 1;
  return waits((retry) => exactly(restartWait(backoff, retry - 1)), from);
}

/** What makes the kubelet start over with an immediate restart. */
export const restartResets: readonly Reset<never>[] = [
  {
    text: 'the container ran without a crash',
    after: quietTime,
    origin: { kind: 'built-in', name: 'the kubelet', cite: sources.restartWaits },
  },
  {
    text: 'a new pod takes its place, or the kubelet restarts',
    origin: { kind: 'built-in', name: 'the kubelet', cite: sources.restartWaits },
  },
];

/** The longest wait as the schedule shows it. */
export const restartCap = ({
  max,
}: RestartBackoff): { readonly value: Ms; readonly origin: Origin<never> } => ({
  value: max,
  origin: { kind: 'built-in', name: maxSetting, cite: sources.restartBounds },
});

/**
 * How much later than the wait a restart can be.
 *
 * Up to 1.34 the kubelet looks again every 10s to 15s; from 1.35 after up to half the wait (of at most 1m) more.
 */
export function restartSlack(env: Environment, wait: Ms): Window<Ms> {
  if (!atLeast(env, kubernetes, '1.35.0')) return { lo: zero, hi: seconds(15) };
  return { lo: zero, hi: ms(Math.min(wait, 60_000) / 2 + 1000) };
}
