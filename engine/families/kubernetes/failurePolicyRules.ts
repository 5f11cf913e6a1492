import { fix, replaceText, replaceValue } from '../../edits.ts';
import type { Report } from '../../family.ts';
import { valueOf } from '../../setting.ts';
import { child, itemsOf, nameSpan, textAt, type SourceNode } from '../../source.ts';
import {
  isLeftOut,
  isSure,
  jobRule,
  setEntry,
  setPodEntry,
  type JobContext,
  type JobRule,
} from './jobContext.ts';
import { killCodes, matchesCode, matchesDisruption } from './failurePolicy.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { sources } from './system.ts';

const rulesOf = (context: JobContext): readonly SourceNode[] =>
  itemsOf(child(context.nodeOf('podFailurePolicy'), 'rules'));

const needsNever = jobRule({
  slug: 'job-failure-policy-restart',
  about: ['podFailurePolicy'],
  severity: 'error',
  summary: 'A pod failure policy in a Job that restarts containers in place.',
  explanation:
    'A pod failure policy judges failed pods, so it needs `restartPolicy: Never`. The API server refuses the Job otherwise.',
  cite: sources.jobValidation,
  *check(context) {
    if (!isSure(context, 'podFailurePolicy')) return;
    const { settings, policy } = context;
    const written = valueOf(settings.restartPolicy);
    const isOther = isSure(context, 'restartPolicy') && written === 'OnFailure';
    const isFilledIn = policy.facts.owner === 'JobSet' && isLeftOut(context, 'restartPolicy');
    if (!isOther && !isFilledIn) return;
    const because = isOther ? '' : ' (JobSet fills in `OnFailure`)';
    yield {
      message: `\`podFailurePolicy\` judges failed pods, so the API server refuses it with any \`restartPolicy\` but \`Never\`${because}`,
      at: context.keyOf(isOther ? 'restartPolicy' : 'podFailurePolicy'),
      fixes: fix(
        'Write restartPolicy: Never',
        true,
        setPodEntry(context, 'restartPolicy', 'Never'),
      ),
    };
  },
});

const replacement = jobRule({
  slug: 'job-replacement-policy',
  about: ['podFailurePolicy'],
  severity: 'error',
  summary: 'A pod failure policy with a replacement policy that it excludes.',
  explanation:
    'With a pod failure policy pods are replaced only once they have failed: `podReplacementPolicy` must be `Failed` or left out. The API server refuses anything else.',
  cite: sources.jobValidation,
  *check(context) {
    const { settings } = context;
    if (!isSure(context, 'podFailurePolicy') || !isSure(context, 'podReplacementPolicy')) return;
    if (valueOf(settings.podReplacementPolicy) !== 'TerminatingOrFailed') return;
    yield {
      message:
        'With a `podFailurePolicy` pods are replaced only when they have failed: the API server refuses anything but `Failed` here',
      at: context.valueSpanOf('podReplacementPolicy'),
      fixes: fix('Write Failed', true, setEntry(context, 'podReplacementPolicy', 'Failed')),
    };
  },
});

const failIndex = jobRule({
  slug: 'job-fail-index',
  about: ['podFailurePolicy'],
  severity: 'error',
  summary: '`FailIndex` in a Job without a limit per index.',
  explanation:
    '`FailIndex` fails one index and lets the others go on, which needs `backoffLimitPerIndex`. The API server refuses the Job otherwise.',
  cite: sources.jobValidation,
  *check(context) {
    if (!isLeftOut(context, 'backoffLimitPerIndex')) return;
    for (const rule of rulesOf(context)) {
      const action = child(rule, 'action');
      if (action?.span === undefined || textAt(rule, 'action') !== 'FailIndex') continue;
      yield {
        message:
          '`FailIndex` needs `backoffLimitPerIndex`, without which no single index can fail: the API server refuses the Job',
        at: action.span,
        fixes: [
          ...fix('Write FailJob', false, replaceValue(action, 'FailJob')),
          ...fix(
            'Add backoffLimitPerIndex: 1',
            false,
            setEntry(context, 'backoffLimitPerIndex', '1'),
          ),
        ],
      };
    }
  },
});

const exitCodes = jobRule({
  slug: 'job-exit-codes',
  about: ['podFailurePolicy'],
  severity: 'error',
  summary: 'Exit codes that the API server refuses in a rule of a pod failure policy.',
  explanation:
    'The exit codes of a rule are 1 to 255 numbers in ascending order without repetition, and not 0 with `In`: a container that exits with 0 has not failed.',
  cite: sources.jobValidation,
  *check(context) {
    for (const rule of rulesOf(context)) {
      const codes = child(rule, 'onExitCodes');
      const values = child(codes, 'values');
      if (values?.kind !== 'list' || values.span === undefined) continue;
      yield* codeReports(values, textAt(codes, 'operator'));
    }
  },
});

function* codeReports(
  list: SourceNode & { readonly kind: 'list' },
  operator: string | undefined,
): Generator<Report> {
  const numbers: number[] = [];
  for (const item of list.items) {
    if (item.kind !== 'scalar' || typeof item.value !== 'number') return;
    numbers.push(item.value);
    if (item.value !== 0 || operator !== 'In' || item.span === undefined) continue;
    yield {
      message:
        'Exit code 0 is no failure, so the API server refuses it with `In`: remove it from the list',
      at: item.span,
      fixes: flowList(
        list,
        numbersOf(list).filter((code) => code !== 0),
      ),
    };
  }
  const at = list.span ?? { start: 0, end: 0 };
  const sorted = [...new Set(numbers)].toSorted((a, b) => a - b);
  if (numbers.length === 0) {
    yield { message: 'A rule without exit codes is refused by the API server: name 1 to 255', at };
  } else if (
    sorted.some((code, index) => code !== numbers[index]) ||
    sorted.length !== numbers.length
  ) {
    yield {
      message: `The API server wants exit codes in ascending order, each once: ${sorted.join(', ')}`,
      at,
      fixes: flowList(list, sorted),
    };
  }
  if (numbers.length > 255) {
    yield {
      message: `${String(numbers.length)} exit codes are refused by the API server: a rule has at most 255`,
      at,
    };
  }
}

const numbersOf = (list: SourceNode & { readonly kind: 'list' }): readonly number[] =>
  list.items.flatMap((item) =>
    item.kind === 'scalar' && typeof item.value === 'number' ? [item.value] : [],
  );

function flowList(list: SourceNode & { readonly kind: 'list' }, codes: readonly number[]) {
  if (codes.length === 0) return [];
  const written = codes.map(String);
  if (list.flow) {
    return fix(
      `Write [${written.join(', ')}]`,
      true,
      replaceValue(list, `[${written.join(', ')}]`),
    );
  }
  if (codes.length !== list.items.length) return [];
  // A block list of as many items keeps its lines and comments.
  return fix(
    `Write ${written.join(', ')}`,
    true,
    ...list.items.map((item, index) =>
      item.kind === 'scalar' ? replaceText(item, written[index] ?? '') : undefined,
    ),
  );
}

const actions = new Set(['FailJob', 'FailIndex', 'Ignore', 'Count']);

const ruleShape = jobRule({
  slug: 'job-failure-rule',
  about: ['podFailurePolicy'],
  severity: 'error',
  summary: 'A rule of a pod failure policy that the API server refuses.',
  explanation:
    'A rule has an `action` (FailJob, FailIndex, Ignore or Count) and exactly one of `onExitCodes` and `onPodConditions`; `containerName` must be a container of the template. There are at most 20 rules.',
  cite: sources.jobValidation,
  *check(context) {
    if (!isSure(context, 'podFailurePolicy')) return;
    const rules = rulesOf(context);
    if (rules.length > 20) {
      yield {
        message: `${String(rules.length)} rules are refused by the API server: a pod failure policy has at most 20`,
        at: context.keyOf('podFailurePolicy'),
      };
    }
    for (const rule of rules) {
      if (rule.kind === 'map') yield* ruleReports(context, rule);
    }
  },
});

function* ruleReports(context: JobContext, rule: SourceNode): Generator<Report> {
  const action = child(rule, 'action');
  const at = (action === undefined ? undefined : nameSpan(action)) ?? rule.span ?? context.name;
  const codes = child(rule, 'onExitCodes');
  const conditions = child(rule, 'onPodConditions');
  const word = textAt(rule, 'action');
  if (action === undefined) {
    yield {
      message:
        'A rule without `action` is refused by the API server: write FailJob, FailIndex, Ignore or Count',
      at,
    };
  }
  if (word !== undefined && !isRunTimeText(word) && !actions.has(word)) {
    yield {
      message: `\`${word}\` is no action, so the API server refuses the Job: write FailJob, FailIndex, Ignore or Count`,
      at: action?.span ?? at,
    };
  }
  if ((codes === undefined) === (conditions === undefined)) {
    const has = codes === undefined ? 'neither' : 'both';
    yield {
      message: `A rule looks at either \`onExitCodes\` or \`onPodConditions\`, and this one has ${has}: the API server refuses the Job`,
      at,
    };
  }
  const name = child(codes, 'containerName');
  const { containers, initContainers, isWhole } = context.policy.facts;
  const known = [...containers, ...initContainers];
  if (name?.kind !== 'scalar' || name.span === undefined || !isWhole) return;
  if (isRunTimeText(name.text) || known.some(isRunTimeText) || known.includes(name.text)) return;
  const [only] = known;
  yield {
    message: `The pod has no container ${name.text}, so the API server refuses the Job: it has ${known.join(', ')}`,
    at: name.span,
    fixes:
      only !== undefined && known.length === 1
        ? fix(`Write ${only}`, true, replaceText(name, only))
        : [],
  };
}

const disruptionRule = jobRule({
  slug: 'job-disruption-rule',
  about: ['podFailurePolicy'],
  severity: 'info',
  summary: 'A rule on exit codes that also meets pods which were drained or preempted.',
  explanation:
    'A drained, evicted or preempted pod is told to stop, and its containers end with exit code 143 or 137. The first rule that matches decides: put a rule for the condition DisruptionTarget above the one on exit codes.',
  cite: sources.failurePolicy,
  *check(context) {
    const { failureRules } = context.policy.facts;
    const nodes = rulesOf(context);
    for (const [index, rule] of failureRules.entries()) {
      if (matchesDisruption(rule)) return;
      const code = killCodes.find((one) => matchesCode(rule, one));
      if (code === undefined) continue;
      if (rule.action !== 'FailJob' && rule.action !== 'FailIndex') return;
      const what = rule.action === 'FailJob' ? 'the Job' : 'the index';
      const action = child(nodes[index], 'action');
      yield {
        message: `A drained or preempted pod often ends with exit code ${String(code)}, and this rule then fails ${what}: put a rule that ignores the condition DisruptionTarget above it`,
        at: action?.span ?? context.keyOf('podFailurePolicy'),
        fixes: ignoreDisruption(context, nodes[0]),
      };
      return;
    }
  },
});

/** A rule above the first one, in the style of a block list. */
function ignoreDisruption(context: JobContext, first: SourceNode | undefined) {
  const { text } = context.tree;
  const at = first?.span?.start;
  if (text === undefined || at === undefined) return [];
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  const dash = /^( *)- +$/.exec(before)?.[1];
  if (dash === undefined) return [];
  const rule = `action: Ignore\n${dash}  onPodConditions:\n${dash}    - type: DisruptionTarget\n${dash}- `;
  return fix('Ignore drained and preempted pods', false, {
    at: { start: at, end: at },
    text: rule,
  });
}

/** The rules about pod failure policies. */
export const failurePolicyRules: readonly JobRule[] = [
  needsNever,
  replacement,
  failIndex,
  exitCodes,
  ruleShape,
  disruptionRule,
];
