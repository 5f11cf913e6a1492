import { fix, removeEntry } from '../../edits.ts';
import { valueOf } from '../../setting.ts';
import { itemsOf, child, nameSpan } from '../../source.ts';
import { plural } from '../../summary.ts';
import {
  behaviourRule,
  isLeftOut,
  isSure,
  jobRule,
  setEntry,
  setPodEntry,
  type JobContext,
  type JobRule,
} from './jobContext.ts';
import { jobRetries } from './jobRetries.ts';
import { countsByIndex, startsOf } from './jobSchedule.ts';
import { successReports } from './successRules.ts';
import { sources } from './system.ts';

/** The completion mode is certainly not Indexed; JobSet's webhook fills in Indexed. */
function isNotIndexed(context: JobContext): boolean {
  const { completionMode } = context.settings;
  if (completionMode.from === 'document') return completionMode.value !== 'Indexed';
  return isLeftOut(context, 'completionMode') && context.policy.facts.owner !== 'JobSet';
}

const makeIndexed = (context: JobContext) =>
  fix('Write completionMode: Indexed', false, setEntry(context, 'completionMode', 'Indexed'));

const needsIndexed = jobRule({
  slug: 'job-needs-indexed',
  about: ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy'],
  severity: 'error',
  summary: 'A limit per index, or a success policy, in a Job without indexes.',
  explanation:
    '`backoffLimitPerIndex`, `maxFailedIndexes` and `successPolicy` count by index, so they need `completionMode: Indexed` and `completions`. The API server refuses the Job otherwise.',
  cite: sources.jobValidation,
  *check(context) {
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy'] as const) {
      if (context.settings[name].from !== 'document' || !isNotIndexed(context)) continue;
      yield {
        message: `\`${name}\` counts by index, and this Job has no indexes, so the API server refuses it: write \`completionMode: Indexed\``,
        at: context.keyOf(name),
        fixes: makeIndexed(context),
      };
    }
  },
});

// Validation: without a tighter rule a Job may lose this many indexes, and less where it has very many.
const mostFailed = 100_000;
const mostFailedOfMany = 10_000;

const maxFailed = jobRule({
  slug: 'job-max-failed-indexes',
  about: ['maxFailedIndexes'],
  severity: 'error',
  summary: 'A `maxFailedIndexes` that the API server refuses.',
  explanation:
    '`maxFailedIndexes` needs `backoffLimitPerIndex`, cannot be larger than `completions`, and at most 100000 (10000 where a Job has more than 100000 completions, where it must be set).',
  cite: sources.jobValidation,
  *check(context) {
    const { settings } = context;
    const failed = valueOf(settings.maxFailedIndexes);
    const completions = valueOf(settings.completions);
    const at = context.valueSpanOf('maxFailedIndexes');
    if (settings.maxFailedIndexes.from !== 'document' || failed === undefined) return;
    if (isLeftOut(context, 'backoffLimitPerIndex')) {
      yield {
        message:
          '`maxFailedIndexes` needs `backoffLimitPerIndex`, without which no single index can fail: the API server refuses the Job',
        at: context.keyOf('maxFailedIndexes'),
        fixes: fix(
          'Add backoffLimitPerIndex: 1',
          false,
          setEntry(context, 'backoffLimitPerIndex', '1'),
        ),
      };
    }
    const most = (completions ?? 0) > mostFailed ? mostFailedOfMany : mostFailed;
    const limit = Math.min(most, completions ?? most);
    if (failed > limit) {
      yield {
        message: `${String(failed)} failed indexes are more than the ${String(limit)} that are allowed here: the API server refuses the Job`,
        at,
        fixes: fix(
          `Write maxFailedIndexes: ${String(limit)}`,
          false,
          setEntry(context, 'maxFailedIndexes', String(limit)),
        ),
      };
    }
  },
});

const manyIndexes = jobRule({
  slug: 'job-many-indexes',
  about: ['backoffLimitPerIndex'],
  severity: 'error',
  summary: 'More than 100000 indexes with a limit per index, without the bounds that this needs.',
  explanation:
    'With `backoffLimitPerIndex` and more than 100000 completions the API server asks for `maxFailedIndexes` (at most 10000) and a `parallelism` of at most 10000.',
  cite: sources.jobValidation,
  *check(context) {
    const { settings } = context;
    const completions = valueOf(settings.completions);
    if (settings.backoffLimitPerIndex.from !== 'document') return;
    if (completions === undefined || completions <= mostFailed) return;
    if (isLeftOut(context, 'maxFailedIndexes')) {
      yield {
        message: `With ${String(completions)} indexes and a limit for each the API server refuses the Job without \`maxFailedIndexes\`: add it, at most ${String(mostFailedOfMany)}`,
        at: context.keyOf('backoffLimitPerIndex'),
        fixes: fix(
          `Add maxFailedIndexes: ${String(mostFailedOfMany)}`,
          false,
          setEntry(context, 'maxFailedIndexes', String(mostFailedOfMany)),
        ),
      };
    }
    const parallelism = valueOf(settings.parallelism) ?? 1;
    if (parallelism > mostFailedOfMany) {
      yield {
        message: `With ${String(completions)} indexes and a limit for each at most ${String(mostFailedOfMany)} pods may run at once: the API server refuses a parallelism of ${String(parallelism)}`,
        at: context.valueSpanOf('parallelism'),
        fixes: fix(
          `Write parallelism: ${String(mostFailedOfMany)}`,
          false,
          setEntry(context, 'parallelism', String(mostFailedOfMany)),
        ),
      };
    }
  },
});

const successPolicy = jobRule({
  slug: 'job-success-policy',
  about: ['successPolicy'],
  severity: 'error',
  summary:
    'A success policy without rules, or with a rule that asks for nothing or for what there is not.',
  explanation:
    'Each rule of a success policy needs `succeededIndexes`, `succeededCount` or both, and a policy has 1 to 20 rules. Indexes are a text such as "0,2-4", in ascending order and below `completions`; the count is at most the number of them. The API server refuses the Job otherwise.',
  cite: sources.jobValidation,
  *check(context) {
    const policy = context.nodeOf('successPolicy');
    if (policy?.kind !== 'map' || !isSure(context, 'successPolicy')) return;
    const rules = child(policy, 'rules');
    const { completions: written } = context.settings;
    const completions = written.from === 'document' ? written.value : undefined;
    const items = itemsOf(rules);
    if (items.length === 0 && context.policy.facts.isWhole) {
      yield {
        message:
          'A success policy without rules is refused by the API server: add a rule with `succeededIndexes` or `succeededCount`, or remove the policy',
        at: context.keyOf('successPolicy'),
        fixes: fix('Remove successPolicy', false, removeEntry(context.tree, policy)),
      };
    }
    for (const rule of items) {
      if (rule.kind !== 'map' || rule.span === undefined) continue;
      const isEmpty =
        child(rule, 'succeededIndexes') === undefined &&
        child(rule, 'succeededCount') === undefined;
      if (!isEmpty) {
        yield* successReports(rule, completions);
        continue;
      }
      yield {
        message:
          'This rule asks for nothing, so the API server refuses the Job: name `succeededIndexes`, `succeededCount` or both',
        at: rule.span,
      };
    }
    if (items.length > 20) {
      yield {
        message: `${String(items.length)} rules are refused by the API server: a success policy has at most 20`,
        at: (rules === undefined ? undefined : nameSpan(rules)) ?? context.keyOf('successPolicy'),
      };
    }
  },
});

const indexOnFailure = behaviourRule({
  slug: 'job-index-on-failure',
  about: ['backoffLimitPerIndex'],
  severity: 'warning',
  summary: 'A limit per index that never counts, because containers are restarted in place.',
  explanation:
    '`backoffLimitPerIndex` counts failed pods. With `restartPolicy: OnFailure` the kubelet restarts containers in their pod, which fails no pod, and `backoffLimit` has no default limit beside it: the retries never end. The API documentation asks for `Never`, the API server does not.',
  cite: sources.jobIndexes,
  *check(context) {
    const { settings } = context;
    if (settings.backoffLimitPerIndex.from !== 'document') return;
    if (valueOf(settings.restartPolicy) !== 'OnFailure' || !isSure(context, 'restartPolicy'))
      return;
    const restarts = startsOf(jobRetries(settings, context.policy.facts));
    const end = isSure(context, 'backoffLimit')
      ? `only \`backoffLimit\` ends them, as restart ${String(restarts)} over all indexes begins`
      : 'nothing ends the retries';
    yield {
      message: `With \`restartPolicy: OnFailure\` containers are restarted in their pod, which \`backoffLimitPerIndex\` does not count: ${end}. Write \`Never\``,
      at: context.keyOf('restartPolicy'),
      fixes: fix(
        'Write restartPolicy: Never',
        true,
        setPodEntry(context, 'restartPolicy', 'Never'),
      ),
    };
  },
});

const limitOverIndexes = behaviourRule({
  slug: 'job-limit-over-indexes',
  about: ['backoffLimitPerIndex'],
  severity: 'warning',
  summary: 'A `backoffLimit` for the whole Job that is used up before the limits of its indexes.',
  explanation:
    'An explicit `backoffLimit` counts the failures of all indexes together, also where each index has a limit of its own. Left out, it has no limit beside `backoffLimitPerIndex`.',
  cite: sources.jobLimits,
  *check(context) {
    const { settings } = context;
    const limit = valueOf(settings.backoffLimit);
    const perIndex = valueOf(settings.backoffLimitPerIndex);
    const indexes = valueOf(settings.completions);
    if (limit === undefined || perIndex === undefined || indexes === undefined) return;
    // Restarts in place are no failed pods: they have a finding of their own.
    if (!countsByIndex(jobRetries(settings, context.policy.facts))) return;
    if (!isSure(context, 'backoffLimit') || !isSure(context, 'backoffLimitPerIndex')) return;
    const failing = Math.min(indexes, (valueOf(settings.maxFailedIndexes) ?? indexes) + 1);
    const allowed = failing * (perIndex + 1);
    if (limit >= allowed || limit < 0) return;
    const node = context.nodeOf('backoffLimit');
    yield {
      message: `The whole Job fails at failure ${String(limit + 1)} over all indexes, although they allow ${String(allowed)} (${plural(failing, 'index', 'indexes')}, ${plural(perIndex + 1, 'pod')} each): leave \`backoffLimit\` out`,
      at: context.keyOf('backoffLimit'),
      fixes: fix(
        'Remove backoffLimit',
        false,
        node === undefined ? undefined : removeEntry(context.tree, node),
      ),
    };
  },
});

/** The rules about Indexed Jobs. */
export const jobIndexRules: readonly JobRule[] = [
  needsIndexed,
  maxFailed,
  manyIndexes,
  successPolicy,
  indexOnFailure,
  limitOverIndexes,
];
