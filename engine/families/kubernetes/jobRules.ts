import { formatDuration } from '../../durations/format.ts';
import { fix, removeEntry } from '../../edits.ts';
import { take } from '../../growth.ts';
import { bound, type Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { child, itemsOf, nameSpan, nodeAt, textAt } from '../../source.ts';
import { plural } from '../../summary.ts';
import { hours, ms, type Ms } from '../../units.ts';
import {
  behaviourRule,
  isLeftOut,
  isSure,
  jobRule,
  podSpecName,
  setEntry,
  setPodEntry,
  type JobRule,
} from './jobContext.ts';
import { noLimit } from './jobFields.ts';
import { jobRetries } from './jobRetries.ts';
import { countsByIndex, startsOf, type JobRetries } from './jobSchedule.ts';
import { podSpecOf } from './jobSites.ts';
import { sources } from './system.ts';

/** The waiting before the first retries of a schedule, whatever else would stop them. */
export const waitingFor = (schedule: Schedule, retries: number): Ms =>
  ms(take(schedule.waits, retries).reduce((total, { lo }) => total + lo, 0));

const restartPolicy = jobRule({
  slug: 'job-restart-policy',
  severity: 'error',
  summary: 'A Job whose pod template has no restart policy, or `Always`.',
  explanation:
    'Pods are restarted `Always` unless the template says otherwise, and a Job that never lets its pod end cannot finish: the API server refuses it. Write `Never` to have failed pods replaced, or `OnFailure` to have their containers restarted.',
  cite: sources.jobValidation,
  *check(context) {
    const { settings, policy } = context;
    const isAlways = valueOf(settings.restartPolicy) === 'Always';
    const isAbsent =
      settings.restartPolicy.from === 'unset' &&
      settings.restartPolicy.at === undefined &&
      policy.facts.isWhole &&
      policy.facts.owner !== 'JobSet';
    if (!isAlways && !isAbsent) return;
    const begin = isAlways ? 'With `restartPolicy: Always`' : 'Without `restartPolicy`';
    yield {
      message: `${begin} the API server refuses this Job: write \`Never\` (a failed pod is replaced) or \`OnFailure\` (its container is restarted)`,
      at: isAlways ? context.valueSpanOf('restartPolicy') : podSpecName(context),
      fixes: ['Never', 'OnFailure'].flatMap((word) => [
        ...fix(`Write restartPolicy: ${word}`, false, setPodEntry(context, 'restartPolicy', word)),
      ]),
    };
  },
});

const onFailureLimit = behaviourRule({
  slug: 'job-on-failure-limit',
  about: ['backoffLimit'],
  severity: 'info',
  summary: 'A `backoffLimit` that counts restarts in place, one fewer than its number says.',
  explanation:
    'With `restartPolicy: OnFailure` the Job fails as soon as the restarts of all containers reach `backoffLimit`: the last of them has begun and is stopped. Limits of 0 and 1 are the same. The pod is deleted with its logs; with `Never` the failed pods stay.',
  cite: sources.jobLimits,
  *check(context) {
    const { settings } = context;
    const limit = valueOf(settings.backoffLimit);
    if (valueOf(settings.restartPolicy) !== 'OnFailure' || limit === undefined) return;
    if (!isSure(context, 'backoffLimit') || !isSure(context, 'restartPolicy')) return;
    // A failure policy asks for `Never`, and a limit per index has a finding of its own.
    if (settings.podFailurePolicy.from !== 'unset') return;
    if (settings.backoffLimitPerIndex.from !== 'unset') return;
    if (limit < 0 || limit >= noLimit) return;
    const fixes = fix(
      'Write restartPolicy: Never',
      false,
      setPodEntry(context, 'restartPolicy', 'Never'),
    );
    const at = context.keyOf('backoffLimit');
    if (limit === 0) {
      yield {
        severity: 'warning',
        message:
          'With `restartPolicy: OnFailure` a limit of 0 still starts the failed container a second time before the Job is stopped: only `restartPolicy: Never` runs it once',
        at,
        fixes,
      };
    } else if (limit === 1) {
      yield {
        severity: 'warning',
        message:
          'With `restartPolicy: OnFailure` the only retry is stopped as it begins, so a limit of 1 is no better than 0: write 2 or more, or `restartPolicy: Never`',
        at,
        fixes: [
          ...fix('Write backoffLimit: 2', false, setEntry(context, 'backoffLimit', '2')),
          ...fixes,
        ],
      };
    } else {
      yield {
        message: `With \`restartPolicy: OnFailure\` the Job fails as restart ${String(limit)} begins: ${String(limit)} runs can finish, ${String(limit + 1)} with \`Never\`, and the pod is deleted with its logs`,
        at,
        fixes,
      };
    }
  },
});

const neverCounts = behaviourRule({
  slug: 'job-stuck-pod-blocks-runs',
  severity: 'info',
  summary: 'A CronJob that forbids concurrent runs, with Jobs that have no deadline.',
  explanation:
    'A pod that cannot start (wrong image, no node for it, missing ConfigMap) never fails, so `backoffLimit` never ends its Job. With `concurrencyPolicy: Forbid` every later run is skipped for as long as it hangs. Only `activeDeadlineSeconds` ends such a Job.',
  cite: sources.jobFailures,
  *check(context) {
    const { root, policy } = context;
    if (policy.facts.owner !== 'CronJob' || !isLeftOut(context, 'activeDeadlineSeconds')) return;
    const concurrency = nodeAt(root, ['spec', 'concurrencyPolicy']);
    if (textAt(root, 'spec', 'concurrencyPolicy') !== 'Forbid') return;
    const isWritten = isSure(context, 'backoffLimit');
    const at = isWritten ? context.keyOf('backoffLimit') : (concurrency?.key ?? context.name);
    yield {
      message:
        'A pod that cannot start, with a wrong image say, never fails and so never counts against `backoffLimit`: with `concurrencyPolicy: Forbid` it holds up every later run. Set `activeDeadlineSeconds`',
      at,
      fixes: fix(
        'Add activeDeadlineSeconds: 3600',
        false,
        setEntry(context, 'activeDeadlineSeconds', '3600'),
      ),
    };
  },
});

const deadlineCuts = behaviourRule({
  slug: 'job-deadline-cuts-retries',
  about: ['activeDeadlineSeconds'],
  severity: 'warning',
  summary: 'A deadline that ends the Job before its retries are used up.',
  explanation:
    '`activeDeadlineSeconds` counts from the start of the Job, waits included, and wins over `backoffLimit`. When it passes, running pods are stopped and the Job fails with DeadlineExceeded.',
  cite: sources.jobLimits,
  *check(context) {
    const { settings, schedule, policy } = context;
    const deadline = valueOf(settings.activeDeadlineSeconds);
    if (schedule === undefined || deadline === undefined || deadline <= 0) return;
    const retries = jobRetries(settings, policy.facts);
    const limit = limitField(retries);
    if (!isSure(context, 'activeDeadlineSeconds') || !isSure(context, limit)) return;
    const wanted = startsOf(retries);
    if (wanted < 1 || wanted >= noLimit || retries.countsOnly !== undefined) return;
    const end = bound(schedule);
    if (end.kind !== 'bounded' || end.by.kind !== 'elapsed' || end.retries === undefined) return;
    // Pods that fail together may use up the limit before the deadline.
    if (schedule.together !== undefined && schedule.together.least < deadline) return;
    const started = end.retries.hi;
    const needed = waitingFor(schedule, wanted);
    const enough = Math.ceil((needed + 1000) / 60_000) * 60;
    const all = `the ${plural(wanted, 'retry', 'retries')}${limit === 'backoffLimit' ? '' : ' of an index'}`;
    const which =
      started === 0 ? `None of ${all} can start` : `Only ${String(started)} of ${all} can start`;
    yield {
      message: `${which} before the deadline of ${formatDuration(deadline)}: all of them need ${formatDuration(needed)} of waiting. Raise \`activeDeadlineSeconds\` above that, or lower \`${limit}\` to ${String(started)}`,
      at: context.keyOf('activeDeadlineSeconds'),
      related: [{ at: context.keyOf(limit), message: 'The limit that is not reached' }],
      fixes: [
        ...fix(
          `Write activeDeadlineSeconds: ${String(enough)}`,
          false,
          setEntry(context, 'activeDeadlineSeconds', String(enough)),
        ),
        ...(retries.restartPolicy === 'OnFailure' && started < 1
          ? []
          : fix(
              `Write ${limit}: ${String(started)}`,
              false,
              setEntry(context, limit, String(started)),
            )),
      ],
    };
  },
});

/** The field that says how many retries start. */
const limitField = (retries: JobRetries): 'backoffLimit' | 'backoffLimitPerIndex' =>
  countsByIndex(retries) && startsOf(retries) === retries.perIndex
    ? 'backoffLimitPerIndex'
    : 'backoffLimit';

const deadlineZero = behaviourRule({
  slug: 'job-deadline-zero',
  about: ['activeDeadlineSeconds'],
  severity: 'error',
  summary: 'A deadline of 0, which the API server accepts and which fails the Job at once.',
  explanation:
    '`activeDeadlineSeconds: 0` is over when the Job starts: it fails with DeadlineExceeded. Leave the field out for no limit in time.',
  cite: sources.jobLimits,
  *check(context) {
    if (valueOf(context.settings.activeDeadlineSeconds) !== 0) return;
    const node = context.nodeOf('activeDeadlineSeconds');
    if (node === undefined || !isSure(context, 'activeDeadlineSeconds')) return;
    yield {
      message:
        'A deadline of 0 is over as soon as the Job starts, so it fails at once: remove the line for no limit in time, or write the seconds it may take',
      at: context.valueSpanOf('activeDeadlineSeconds'),
      fixes: fix('Remove activeDeadlineSeconds', false, removeEntry(context.tree, node)),
    };
  },
});

const longestReasonable: Ms = hours(24);

const takesDays = behaviourRule({
  slug: 'job-takes-days',
  about: ['backoffLimit', 'backoffLimitPerIndex'],
  severity: 'warning',
  summary: 'A limit so high that a Job which cannot succeed goes on for more than a day.',
  explanation:
    'From the seventh retry on every further one waits ten minutes (six up to 1.27), so a high `backoffLimit` keeps a hopeless Job alive for days.',
  cite: sources.jobWaits,
  *check(context) {
    const { settings, schedule, policy } = context;
    if (schedule === undefined || settings.activeDeadlineSeconds.from !== 'unset') return;
    const retries = jobRetries(settings, policy.facts);
    const limit = limitField(retries);
    if (!isSure(context, limit) || startsOf(retries) >= noLimit) return;
    const end = bound(schedule);
    if (end.kind !== 'bounded' || end.lasts.lo < longestReasonable) return;
    yield {
      message: `A Job that cannot succeed gives up only after ${formatDuration(end.lasts.lo)} of waiting, ${formatDuration(schedule.cap?.value ?? ms(0))} before most retries: lower \`${limit}\`, or set \`activeDeadlineSeconds\``,
      at: context.keyOf(limit),
      fixes: fix(
        'Add activeDeadlineSeconds: 86400',
        false,
        setEntry(context, 'activeDeadlineSeconds', '86400'),
      ),
    };
  },
});

const sidecarRestarts = behaviourRule({
  slug: 'job-sidecar-restarts-count',
  about: ['restartPolicy'],
  severity: 'info',
  summary: 'A sidecar whose restarts use up the limit of a Job with `OnFailure`.',
  explanation:
    'With `restartPolicy: OnFailure` the restarts of all containers are added up, also those of init containers that keep running beside the others. A sidecar that crashes fails the Job although its work goes on.',
  cite: sources.jobLimits,
  *check(context) {
    const { settings, policy, node } = context;
    if (valueOf(settings.restartPolicy) !== 'OnFailure' || policy.facts.sidecars.length === 0)
      return;
    const limit = startsOf(jobRetries(settings, policy.facts));
    if (limit >= noLimit) return;
    for (const container of itemsOf(child(podSpecOf(node), 'initContainers'))) {
      const own = child(container, 'restartPolicy');
      if (own === undefined || textAt(container, 'restartPolicy') !== 'Always') continue;
      const name = textAt(container, 'name') ?? 'the sidecar';
      yield {
        message: `Restarts of ${name} count against \`backoffLimit\` like those of the work itself: ${plural(limit, 'restart')} of all containers together fail the Job. With \`restartPolicy: Never\` for the pod they do not count`,
        at: nameSpan(own) ?? context.name,
        fixes: fix(
          'Write restartPolicy: Never for the pod',
          false,
          setPodEntry(context, 'restartPolicy', 'Never'),
        ),
      };
    }
  },
});

const ttlZero = jobRule({
  slug: 'job-ttl-zero',
  about: ['ttlSecondsAfterFinished'],
  severity: 'info',
  summary: 'A Job that is deleted, with the logs of its pods, the moment it ends.',
  explanation:
    '`ttlSecondsAfterFinished: 0` deletes the Job as soon as it has succeeded or failed. Nobody can read why it failed.',
  cite: sources.ttl,
  *check(context) {
    if (valueOf(context.settings.ttlSecondsAfterFinished) !== 0) return;
    if (!isSure(context, 'ttlSecondsAfterFinished')) return;
    yield {
      message:
        'The Job and its pods are deleted the moment it ends, so a failure leaves nothing to read: keep it for an hour with 3600',
      at: context.valueSpanOf('ttlSecondsAfterFinished'),
      fixes: fix(
        'Write ttlSecondsAfterFinished: 3600',
        false,
        setEntry(context, 'ttlSecondsAfterFinished', '3600'),
      ),
    };
  },
});

const podDeadline = behaviourRule({
  slug: 'job-pod-deadline',
  about: ['podDeadline'],
  severity: 'info',
  summary: 'A deadline in the pod template, which bounds one pod and not the Job.',
  explanation:
    '`template.spec.activeDeadlineSeconds` makes a pod fail that takes longer; the Job then replaces it, as often as `backoffLimit` allows. The deadline of the Job stands in its own `spec`.',
  cite: sources.jobTypes,
  *check(context) {
    const { settings, policy, schedule } = context;
    const deadline = valueOf(settings.podDeadline);
    if (deadline === undefined || !isSure(context, 'podDeadline') || schedule === undefined) return;
    if (!isLeftOut(context, 'activeDeadlineSeconds')) return;
    const retries = jobRetries(settings, policy.facts);
    const most = startsOf(retries);
    if (retries.backoffLimit === 0 || most === 0 || most >= noLimit) return;
    if (retries.countsOnly !== undefined) return;
    const isByIndex = countsByIndex(retries);
    const pods = isByIndex ? most + 1 : retries.backoffLimit + retries.atOnce;
    const pod = context.nodeOf('podDeadline');
    const seconds = String(deadline / 1000);
    const all = deadline * pods + waitingFor(schedule, Math.min(pods - 1, 10_000));
    const time =
      retries.restartPolicy === 'OnFailure' || retries.atOnce > 1
        ? ''
        : `, ${formatDuration(ms(all))} in all`;
    yield {
      message: `This deadline bounds one pod, not the Job: a pod that runs into it fails and is replaced, up to ${plural(pods, 'pod')}${isByIndex ? ' for each index' : ''}${time}. To bound the Job, set \`activeDeadlineSeconds\` in the Job's own \`spec\``,
      at: context.keyOf('podDeadline'),
      fixes: fix(
        'Move it to the spec of the Job',
        false,
        pod === undefined ? undefined : removeEntry(context.tree, pod),
        setEntry(context, 'activeDeadlineSeconds', seconds),
      ),
    };
  },
});

/** The rules about limits, deadlines and restart policies of Jobs. */
export const jobRules: readonly JobRule[] = [
  restartPolicy,
  onFailureLimit,
  neverCounts,
  deadlineCuts,
  deadlineZero,
  takesDays,
  sidecarRestarts,
  ttlZero,
  podDeadline,
];
