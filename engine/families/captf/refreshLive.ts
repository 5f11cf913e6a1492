import { formatDuration } from '../../durations/format.ts';
import {
  inferred,
  unknown,
  type Evidence,
  type LiveBackoff,
  type LiveInput,
  type LiveReader,
  type LiveState,
} from '../../live.ts';
import { textAt } from '../../source.ts';
import { addMs, after, between, formatInstant, ms, parseInstant, type Ms } from '../../units.ts';
import { conditionEvidence, conditionOf } from './conditions.ts';
import { convergingWait, jitterOf, pendingDelay, pendingMax } from './delays.ts';
import { clusterOf, clusterType, waitAfter } from './historyLimits.ts';
import { terraformClusterType, workspaceTypes } from './jobsLive.ts';
import { liveContext, type LiveContext } from './liveContext.ts';
import { secondsAt } from './place.ts';
import { defaultHealthCheck, defaultMembershipRefresh } from './refreshFields.ts';
import { evidenceOf, jobType, streakOf } from './runJobs.ts';

/** When an object whose health is pending is read again, from its status and the hash of its uid. */
export const refreshLive: LiveReader = {
  reads: workspaceTypes,
  alsoNeeds: [jobType, clusterType, terraformClusterType],
  fromFile: true,
  read: readRefresh,
};

function readRefresh(input: LiveInput): readonly LiveState[] {
  const { object, ref } = input;
  const health = conditionOf(object, 'InfrastructureHealthy');
  if (health === undefined) return [];
  const seen = [conditionEvidence(ref, health)];
  if (health.reason !== 'InstancePending') {
    const because = health.status === 'True' ? 'healthy' : 'not-started';
    const reason = `The health reads ${health.reason}, not pending`;
    return [{ state: { kind: 'idle', because, reason, seen } }];
  }
  const context = liveContext(input);
  if (context.isDeleting || context.isPaused) return [];
  const { active } = context;
  if (active?.operation === 'refresh' || active?.operation === 'drift') {
    const state: LiveBackoff = {
      kind: 'attempting',
      retry: retryOf(context),
      failures: unknown('a pending reading is no failure'),
      reason: `Job ${active.name} reads the health`,
      seen: [evidenceOf(active), ...seen],
    };
    return [{ state }];
  }
  return [{ state: pendingState(context, seen) }];
}

const readingsOf = ({ object }: LiveInput): number =>
  Number(textAt(object, 'status', 'pendingRefreshes') ?? 0) || 0;

const retryOf = (context: LiveContext) =>
  inferred(Math.max(1, readingsOf(context)), 'status.pendingRefreshes');

function pendingState(context: LiveContext, health: readonly Evidence[]): LiveBackoff {
  const { object, ref, active, isApplyDue } = context;
  const readings = readingsOf(context);
  const waits = waitsOf(context, readings);
  const lo = ms(Math.min(...waits));
  const hi = ms(Math.max(...waits));
  const last = parseInstant(textAt(object, 'status', 'lastRefresh'));
  const failed = streakOf(context.jobs, 'refresh');
  const blocked = failed.counted[0]?.finishedAt;
  const backoff = waitAfter(failed.counted.length, context.limits);
  const start = (wait: Ms, retry: Ms) =>
    last === undefined
      ? undefined
      : blocked === undefined
        ? after(last, wait)
        : after(last, ms(Math.max(wait, blocked + retry - last)));
  const earliest = start(lo, backoff.lo);
  const latest = start(hi, backoff.hi);
  const parts = [
    `The health reads pending, ${readings <= 1 ? 'once so far' : `${String(readings)} times in a row`}: CAPTF reads it again ${formatDuration(roundMs(hi))} after the last refresh`,
    'another reading or a successful apply starts the waits anew',
  ];
  if (blocked !== undefined) parts.push('the last refresh failed, and its wait holds too');
  if (isApplyDue) parts.push('nothing is read while an apply is due');
  if (active !== undefined) parts.push(`not before the running ${active.operation} Job ends`);
  return {
    kind: 'waiting',
    retry: retryOf(context),
    failures: unknown('a pending reading is no failure'),
    wait: inferred(between(lo, hi), 'status.pendingRefreshes and the jitter of metadata.uid'),
    lastFailureAt: unknown('a pending reading is no failure'),
    next:
      last === undefined || earliest === undefined || latest === undefined
        ? unknown('it was never refreshed, so it is read at once')
        : inferred(between(earliest, latest), 'status.lastRefresh and the wait'),
    capped: inferred(hi >= pendingMax.value, 'the wait'),
    reason: parts.join('; '),
    seen: [
      ...health,
      { object: ref, path: 'status.pendingRefreshes', value: readings },
      ...(last === undefined
        ? []
        : [{ object: ref, path: 'status.lastRefresh', value: formatInstant(last) }]),
    ],
  };
}

const roundMs = (value: Ms): Ms => ms(Math.round(value));

/** The waits that may be in force: one, or two where it depends on what builds inherit. */
function waitsOf(context: LiveContext, readings: number): readonly Ms[] {
  const { object, ref } = context;
  const uid = textAt(object, 'metadata', 'uid') ?? '';
  const jittered = (interval: Ms) => addMs(interval, jitterOf(uid, interval));
  if (ref.kind === 'TerraformMachinePool') {
    const converging = jittered(convergingWait.value);
    return membershipOf(context).map((interval) => ms(Math.min(converging, jittered(interval))));
  }
  const pending = jittered(pendingDelay(readings));
  const health = healthCheckOf(context);
  return health === undefined ? [pending] : [ms(Math.min(pending, jittered(health)))];
}

function membershipOf(context: LiveContext): readonly Ms[] {
  const name = 'membershipRefreshIntervalSeconds';
  const own = secondsAt(context.object, 'spec', name);
  if (own !== undefined) return [own];
  const inherited = secondsAt(clusterOf(context)?.node, 'spec', 'defaults', name);
  const builtIn = defaultMembershipRefresh.value;
  return inherited === undefined ? [builtIn] : [builtIn, inherited];
}

/** A provisioned machine that is handed over when unhealthy is also read at this interval. */
function healthCheckOf({ object }: LiveContext): Ms | undefined {
  const isOn = textAt(object, 'spec', 'remediation', 'annotateMachine') === 'true';
  const isProvisioned = textAt(object, 'status', 'initialization', 'provisioned') === 'true';
  if (!isOn || !isProvisioned) return undefined;
  return (
    secondsAt(object, 'spec', 'remediation', 'healthCheckIntervalSeconds') ??
    defaultHealthCheck.value
  );
}
