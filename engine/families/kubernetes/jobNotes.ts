import { formatDuration, formatWindow } from '../../durations/format.ts';
import { atLeast } from '../../environment.ts';
import type { Note, Policy } from '../../family.ts';
import { bound, type Bound, type Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { describeWaits, plural, summarise } from '../../summary.ts';
import { take } from '../../growth.ts';
import { between, ms } from '../../units.ts';
import { restartSlack } from './crashLoop.ts';
import {
  describeMatch,
  disruption,
  exitCodeText,
  usualFate,
  matchesDisruption,
  verdictOnCode,
  verdictOnDrain,
  type FailureRule,
} from './failurePolicy.ts';
import { isRunByOthers } from './jobContext.ts';
import { noLimit, type JobFields } from './jobFields.ts';
import type { JobPlace } from './jobPlace.ts';
import { jobRetries } from './jobRetries.ts';
import { countsByIndex, jobSchedule, startsOf, type JobRetries } from './jobSchedule.ts';
import { otherPodFailureCap, podFailureCap, podFailureWaits } from './podFailures.ts';
import { kubernetes } from './system.ts';

type JobPolicy = Policy<JobFields, JobPlace>;
type JobNote = Note<keyof JobFields>;

/** The retries in one line; restarts in place end one run earlier than their number says. */
export function jobSentence(policy: JobPolicy, schedule: Schedule): string {
  const { failureRules, containers, initContainers } = policy.facts;
  const fate = usualFate(failureRules, [...containers, ...initContainers]);
  const retried = retriedText(policy, schedule);
  if (fate?.action !== 'FailJob') return retried;
  return fate.except.length === 0
    ? 'no retry: every exit code fails the Job at once'
    : `any exit code but ${fate.except.join(', ')} fails the Job at once; after ${exitCodeText(fate.except)}: ${retried}`;
}

function retriedText(policy: JobPolicy, schedule: Schedule): string {
  const end = bound(schedule);
  const retries = jobRetries(policy.settings, policy.facts);
  if (countsByIndex(retries)) return `each index on its own: ${summarise(schedule)}`;
  const isInPlace = retries.restartPolicy === 'OnFailure';
  if (schedule.together !== undefined && end.kind === 'bounded' && startsOf(retries) > 0) {
    return sharedSentence(retries, schedule, end);
  }
  const isByLimit = end.kind === 'bounded' && end.by.kind === 'retries';
  if (!isInPlace || !isByLimit || end.retries === undefined) return summarise(schedule);
  const starts = end.retries.hi;
  const total = formatWindow(end.lasts);
  return `${plural(starts, 'restart')} in place, the last stopped as it begins (${plural(starts, 'run')} can finish): ${describeWaits(schedule)}; ${total} of waiting in all`;
}

/** The retries of pods that use up one limit together: fewer where they fail at one time. */
function sharedSentence(
  { atOnce, restartPolicy }: JobRetries,
  schedule: Schedule,
  { retries, lasts }: Bound & { readonly kind: 'bounded' },
): string {
  const what = restartPolicy === 'OnFailure' ? 'restart' : 'retry';
  const many = restartPolicy === 'OnFailure' ? 'restarts in place' : 'retries';
  const { lo, hi } = retries ?? { lo: 0, hi: 0 };
  const count = lo === hi ? plural(hi, what, many) : `${String(lo)} to ${String(hi)} ${many}`;
  return `${count}, ${String(hi)} where the ${String(atOnce)} pods fail one by one and ${String(lo)} where they fail together: ${describeWaits(schedule)}; ${formatWindow(lasts)} of waiting in all`;
}

/** What the hover of a Job says beyond the table of its waits. */
export function* jobNotes(policy: JobPolicy, schedule: Schedule | undefined): Generator<JobNote> {
  const { settings, facts, env } = policy;
  const retries = jobRetries(settings, facts);
  if (isRunByOthers(settings)) {
    yield {
      field: 'managedBy',
      text: `${valueOf(settings.managedBy) ?? ''} runs this Job, not the built-in controller: none of these numbers need hold`,
    };
  }
  if (valueOf(settings.suspend) === true) {
    yield {
      field: 'suspend',
      text: 'The Job is suspended: it starts, and its deadline begins to count, when it is resumed',
    };
  }
  if (retries.restartsItself === true) {
    yield {
      field: 'restartPolicy',
      text: 'The containers have a `restartPolicy` of their own and are restarted in their pod: such a failure never counts against `backoffLimit`',
    };
  }
  yield { text: neverCounting(retries) };
  if (retries.restartPolicy === 'OnFailure') yield* inPlace(policy, schedule);
  else yield* replaced(policy, retries);
  yield* capOfOthers(retries, env);
  yield* policyNotes(facts.failureRules);
  if (facts.owner === 'CronJob') {
    yield {
      text: 'A CronJob does not repeat a run that failed: after these retries the next run is the next one of the schedule',
    };
  }
  if (facts.owner === 'JobSet') {
    yield {
      text: 'Where this Job fails, the failure policy of the JobSet decides; a restart of the JobSet begins with new Jobs and no wait',
    };
  }
  const deadline = valueOf(settings.activeDeadlineSeconds);
  if (deadline !== undefined && deadline > 0) {
    yield {
      field: 'activeDeadlineSeconds',
      text: 'The deadline counts from the start of the Job, run time included, and anew after a suspended Job is resumed; it wins over `backoffLimit`',
    };
  }
  if (settings.ttlSecondsAfterFinished.from === 'unset' && facts.owner === 'Job') {
    yield {
      text: 'The finished Job stays until someone deletes it: `ttlSecondsAfterFinished` is not set',
    };
  }
}

const neverCounting = ({ deadline }: JobRetries): string => {
  const end =
    deadline === undefined
      ? 'nothing ends such a Job, as `activeDeadlineSeconds` is not set'
      : 'only `activeDeadlineSeconds` ends such a Job';
  return `A pod that cannot start (wrong image, no node for it, missing ConfigMap) never fails and never counts: ${end}`;
};

function* inPlace(policy: JobPolicy, schedule: Schedule | undefined): Generator<JobNote> {
  const { env, facts } = policy;
  const sidecars = facts.sidecars.length === 0 ? '' : `, sidecars (${facts.sidecars.join(', ')})`;
  const cap = schedule?.cap === undefined ? '' : ` (cap ${formatDuration(schedule.cap.value)})`;
  yield {
    field: 'restartPolicy',
    text: `The kubelet makes these waits${cap}, one series per container. Restarts of all containers of the running pods, init containers${sidecars} and parallel pods included, are added up against \`backoffLimit\``,
  };
  const slack = restartSlack(env, ms(300_000));
  yield {
    text: `A restart can begin up to ${formatDuration(slack.hi)} later than its wait says: that is how often the kubelet looks`,
  };
}

function* replaced(policy: JobPolicy, retries: JobRetries): Generator<JobNote> {
  const { settings, facts, env } = policy;
  if (!atLeast(env, kubernetes, '1.27.0')) {
    yield {
      text: 'Before 1.27 a wait counts from when the pod before was made, and the first replacement comes at once: the time a pod runs uses up some or all of the next wait',
    };
  }
  const isPatient =
    valueOf(settings.podReplacementPolicy) === 'Failed' || facts.failureRules.length > 0;
  yield {
    text: isPatient
      ? 'A pod that is being deleted is replaced only when it is gone; a drained or deleted pod then counts unless a rule ignores it'
      : 'A pod that is drained, evicted, preempted or deleted counts as failed, and is replaced at once',
  };
  const parallelism = valueOf(settings.parallelism) ?? 1;
  // Before, the failures that the controller saw at one time made the wait longer by one step only.
  if (parallelism > 1 && !countsByIndex(retries) && atLeast(env, kubernetes, '1.27.0')) {
    const together = take(podFailureWaits(podFailureCap(env).value), parallelism).at(-1)?.lo;
    yield {
      field: 'parallelism',
      text: `Pods that fail in the same second raise the wait together: when all ${String(parallelism)} do, the next one waits ${formatDuration(together ?? ms(0))} at once and ${String(parallelism)} count against \`backoffLimit\``,
    };
  }
}

/** The documentation still has the cap of older versions; say so where it makes a difference. */
function* capOfOthers(retries: JobRetries, env: JobPolicy['env']): Generator<JobNote> {
  if (retries.restartPolicy !== 'Never' || retries.backoffLimit >= noLimit) return;
  // Limits per index came after the change.
  if (countsByIndex(retries)) return;
  const count = Math.min(retries.backoffLimit, 10_000);
  const cap = podFailureCap(env).value;
  const other = otherPodFailureCap(env).value;
  const sum = (limit: typeof cap) =>
    ms(take(podFailureWaits(limit), count).reduce((total, { lo }) => total + lo, 0));
  if (sum(cap) === sum(other)) return;
  const isNew = cap > other;
  yield {
    field: 'backoffLimit',
    text: isNew
      ? `The cap is ${formatDuration(cap)} since 1.28. Up to 1.27 it was ${formatDuration(other)}, as the documentation still says: ${formatDuration(sum(other))} in all there`
      : `From 1.28 on the cap is ${formatDuration(other)}: ${formatDuration(sum(other))} in all there`,
  };
}

const verdicts: ReadonlyMap<string, string> = new Map([
  ['FailJob', 'the Job fails at once'],
  ['FailIndex', 'its index fails at once'],
  ['Ignore', 'the pod is replaced and does not count against the limit'],
  ['Count', 'it counts against the limit'],
]);

const verdictText = (action: string): string => verdicts.get(action) ?? `\`${action}\``;

/** The failure policy read rule by rule, and what a drain comes to. */
function* policyNotes(rules: readonly FailureRule[]): Generator<JobNote> {
  if (rules.length === 0) return;
  const lines = rules.flatMap((rule, index) => {
    const match = describeMatch(rule);
    return match === undefined
      ? []
      : [`rule ${String(index)}: ${match}, ${verdictText(rule.action)}`];
  });
  yield {
    field: 'podFailurePolicy',
    text: `The first rule that matches decides. ${lines.join('; ')}; anything else counts against the limit`,
  };
  yield { field: 'podFailurePolicy', text: `A drained or preempted pod: ${drainText(rules)}` };
  const codes = firstCodes(rules);
  const told = codes.flatMap((code) => {
    const verdict = verdictOnCode(rules, code);
    return verdict === undefined ? [] : [`${String(code)}: ${verdictText(verdict.action)}`];
  });
  if (told.length > 1) {
    yield { field: 'podFailurePolicy', text: `By exit code: ${told.join('; ')}` };
  }
  if (rules.some(({ action }) => action === 'Ignore')) {
    yield {
      field: 'podFailurePolicy',
      text: 'Ignored failures still lengthen the wait: it doubles with every failed pod, counted or not',
    };
  }
}

function drainText(rules: readonly FailureRule[]): string {
  const killed = verdictOnDrain(rules, 137);
  const told = verdictOnDrain(rules, 143);
  const say = (verdict: typeof killed) =>
    verdict === undefined
      ? 'no rule matches, it counts against the limit'
      : `rule ${String(verdict.rule)}, ${verdictText(verdict.action)}`;
  const because = rules.some(matchesDisruption) ? '' : ` (no rule looks at ${disruption})`;
  if (say(killed) === say(told)) return `${say(killed)}${because}`;
  return `with exit code 143 ${say(told)}; with 137 ${say(killed)}${because}`;
}

/** The exit codes that the rules name, in order, and a few that matter. */
function firstCodes(rules: readonly FailureRule[]): readonly number[] {
  const named = rules.flatMap(({ on }) => (on?.kind === 'exit-codes' ? on.values : []));
  return [...new Set(named)].filter((code) => code !== 0).slice(0, 8);
}

/** What one setting does to the retries, in one sentence. */
export function jobEffect(policy: JobPolicy, field: keyof JobFields): string | undefined {
  const { settings, facts, env } = policy;
  const setting = settings[field];
  if (setting.from !== 'document' && setting.from !== 'runtime') return undefined;
  const retries = jobRetries(settings, facts);
  switch (field) {
    case 'backoffLimit':
      return limitEffect(retries, env, setting.from === 'runtime');
    case 'backoffLimitPerIndex':
      return perIndexEffect(retries, env);
    case 'restartPolicy': {
      if (settings.restartPolicy.from !== 'document') return undefined;
      const other = retries.restartPolicy === 'Never' ? 'OnFailure' : 'Never';
      const own = jobSchedule(retries, env);
      const instead = jobSchedule({ ...retries, restartPolicy: other }, env);
      return `Waits: ${describeWaits(own)}. With \`${other}\`: ${summarise(instead)}`;
    }
    case 'activeDeadlineSeconds':
      return deadlineEffect(retries, env);
    default:
      return undefined;
  }
}

function limitEffect(
  retries: JobRetries,
  env: JobPolicy['env'],
  isAssumed: boolean,
): string | undefined {
  const { backoffLimit, restartPolicy, perIndex } = retries;
  if (retries.restartsItself === true) {
    return 'No failure of a container counts: each is restarted in its pod';
  }
  if (backoffLimit >= noLimit) return 'No limit for the Job as a whole';
  if (countsByIndex(retries)) {
    return `The Job fails when ${plural(backoffLimit + 1, 'pod has', 'pods have')} failed over all indexes; each index waits on its own`;
  }
  if (retries.countsOnly !== undefined) {
    const codes = retries.countsOnly;
    return codes.length === 0
      ? 'No exit code counts: `podFailurePolicy` ignores them'
      : `The Job fails when ${plural(backoffLimit + 1, 'pod has', 'pods have')} failed with ${exitCodeText(codes)}; other exit codes do not count`;
  }
  const schedule = jobSchedule({ ...retries, deadline: undefined, failsOn: [] }, env);
  const starts = startsOf(retries);
  const total = take(schedule.waits, Math.min(starts, 10_000)).reduce((sum, { lo }) => sum + lo, 0);
  const waiting = `${formatDuration(ms(total))} of waiting`;
  const { together } = schedule;
  if (together !== undefined && starts > 0) {
    const lasts = between(together.least, together.most(starts));
    return `The Job fails ${restartPolicy === 'OnFailure' ? `as restart ${String(starts)} of all its containers begins` : `when ${plural(backoffLimit + 1, 'pod has', 'pods have')} failed`}, after ${formatWindow(lasts)} of waiting`;
  }
  const given = isAssumed ? 'With that value: ' : '';
  const where = perIndex === 'none' ? '' : ' over all indexes';
  if (restartPolicy === 'OnFailure') {
    return `${given}${plural(Math.max(backoffLimit, 1), 'run')} can finish${where}: the Job fails as restart ${String(starts)} begins, after ${waiting}`;
  }
  return `${given}${plural(backoffLimit + 1, 'pod')} in all${where}, ${waiting}`;
}

/** The pods and waits of one index. */
function perIndexEffect(retries: JobRetries, env: JobPolicy['env']): string | undefined {
  const { perIndex } = retries;
  if (typeof perIndex !== 'number' || perIndex >= noLimit || !countsByIndex(retries)) {
    return undefined;
  }
  const { waits } = jobSchedule(retries, env, 'index');
  const total = take(waits, Math.min(perIndex, 10_000)).reduce((sum, { lo }) => sum + lo, 0);
  return `${plural(perIndex + 1, 'pod')} for each index, ${formatDuration(ms(total))} of waiting`;
}

function deadlineEffect(retries: JobRetries, env: JobPolicy['env']): string | undefined {
  const { deadline } = retries;
  if (deadline === undefined || startsOf(retries) >= noLimit) return undefined;
  if (retries.countsOnly !== undefined) return undefined;
  const all = jobSchedule({ ...retries, deadline: undefined, failsOn: [] }, env);
  const wanted = startsOf(retries);
  const waits = take(all.waits, Math.min(wanted, 10_000));
  if (all.together !== undefined) return undefined;
  const total = ms(waits.reduce((sum, { lo }) => sum + lo, 0));
  const of = countsByIndex(retries) ? ' of an index' : '';
  if (total < deadline) {
    return `All ${plural(wanted, 'retry', 'retries')}${of} fit: ${formatDuration(total)} of waiting before ${formatDuration(deadline)}, which leaves ${formatDuration(ms(deadline - total))} for the runs`;
  }
  let passed = 0;
  let fitting = 0;
  for (const { lo } of waits) {
    passed += lo;
    if (passed >= deadline) break;
    fitting += 1;
  }
  return `Only ${String(fitting)} of ${plural(wanted, 'retry', 'retries')}${of} fit into ${formatDuration(deadline)}: all of them need ${formatDuration(total)} of waiting`;
}
