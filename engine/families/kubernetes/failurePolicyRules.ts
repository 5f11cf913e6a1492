import { fix, replaceText, replaceValue } from '../../edits.ts';
import type { Report } from '../../family.ts';
import { valueOf } from '../../setting.ts';
import { child, itemsOf, nameSpan, textAt, type SourceNode } from '../../source.ts';
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
import { killCodes, matchesCode, matchesDisruption, usualFate } from './failurePolicy.ts';
import { operatorReports } from './exitCodeOperator.ts';
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
            context.nodeOf('backoffLimitPerIndex') === undefined
              ? setEntry(context, 'backoffLimitPerIndex', '1')
              : undefined,
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
    'The `operator` of a rule is `In` or `NotIn`, and its exit codes are 1 to 255 numbers in ascending order without repetition, not 0 with `In`: a container that exits with 0 has not failed.',
  cite: sources.jobValidation,
  *check(context) {
    for (const rule of rulesOf(context)) {
      const codes = child(rule, 'onExitCodes');
      const values = child(codes, 'values');
      yield* operatorReports(codes);
      yield* bareCode(values);
      if (values?.kind !== 'list' || values.span === undefined) continue;
      yield* codeReports(values, textAt(codes, 'operator'));
    }
  },
});

/** One code where a list of them is wanted. */
function* bareCode(values: SourceNode | undefined): Generator<Report> {
  if (values?.kind !== 'scalar' || values.value === null || values.span === undefined) return;
  if (isRunTimeText(values.text)) return;
  const code = /^\d+$/.test(values.text) ? values.text : '1';
  yield {
    message: `The API server refuses this: exit codes are a list, write [${code}]`,
    at: values.span,
    fixes:
      code === values.text ? fix(`Write [${code}]`, true, replaceValue(values, `[${code}]`)) : [],
  };
}

function* codeReports(
  list: SourceNode & { readonly kind: 'list' },
  operator: string | undefined,
): Generator<Report> {
  const numbers: number[] = [];
  for (const item of list.items) {
    if (item.kind !== 'scalar') return;
    if (typeof item.value === 'string' && /^\d+$/.test(item.text) && item.span !== undefined) {
      yield {
        message: `The API server refuses the text "${item.text}" here: exit codes are numbers, write ${item.text}`,
        at: item.span,
        fixes: fix(`Write ${item.text}`, true, replaceValue(item, item.text)),
      };
    }
    if (typeof item.value !== 'number') return;
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
  yield* conditionReports(conditions);
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
  if (isThere(codes) === isThere(conditions)) {
    const has = isThere(codes) ? 'both' : 'neither';
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

/** An empty list is as good as none. */
const isThere = (node: SourceNode | undefined): boolean =>
  node !== undefined && (node.kind === 'list' ? node.items.length > 0 : node.kind === 'map');

const statuses = ['True', 'False', 'Unknown'];

function* conditionReports(conditions: SourceNode | undefined): Generator<Report> {
  for (const condition of itemsOf(conditions)) {
    if (condition.kind !== 'map') continue;
    if (!condition.children.has('type') && condition.span !== undefined) {
      yield {
        message:
          'A condition without `type` is refused by the API server: write the one that is meant, such as DisruptionTarget',
        at: condition.span,
      };
    }
    const status = child(condition, 'status');
    if (status?.kind !== 'scalar' || status.value === null || status.span === undefined) continue;
    if (isRunTimeText(status.text)) continue;
    const meant = statuses.find((one) => one.toLowerCase() === status.text.toLowerCase());
    const isText = typeof status.value === 'string';
    if (isText && meant === status.text) continue;
    const what = isText
      ? `the status \`${status.text}\``
      : `the ${typeof status.value} ${status.text}`;
    yield {
      message: `The API server refuses ${what} here: write "${meant ?? 'True'}" in quotes`,
      at: status.span,
      fixes:
        meant === undefined
          ? []
          : fix(`Write "${meant}"`, true, replaceValue(status, `"${meant}"`)),
    };
  }
}

const ignoresAll = behaviourRule({
  slug: 'job-ignores-every-failure',
  about: ['podFailurePolicy'],
  severity: 'warning',
  summary: 'A rule that ignores every exit code there is, or all but a few.',
  explanation:
    'A failure that a rule ignores does not count against `backoffLimit`, and a new pod takes the place of the failed one. A rule that ignores all exit codes leaves a Job that is broken to start pods without end. Name the codes that are to be ignored, or set `activeDeadlineSeconds`.',
  cite: sources.failurePolicy,
  *check(context) {
    if (!isSure(context, 'podFailurePolicy') || !isLeftOut(context, 'activeDeadlineSeconds'))
      return;
    const { failureRules, containers, initContainers } = context.policy.facts;
    const fate = usualFate(failureRules, [...containers, ...initContainers]);
    if (fate?.action !== 'Ignore') return;
    const index = failureRules.findIndex(
      ({ action, on }) =>
        action === 'Ignore' && on?.kind === 'exit-codes' && on.operator === 'NotIn',
    );
    const but = fate.except.length === 0 ? '' : ` but ${fate.except.join(', ')}`;
    yield {
      message: `Pods that fail are replaced without end: this rule ignores every exit code${but}, so ${but === '' ? 'no failure counts' : 'no other failure counts'} against \`backoffLimit\`. Name the codes to ignore with \`In\`, or set \`activeDeadlineSeconds\``,
      at: child(rulesOf(context)[index], 'action')?.span ?? context.keyOf('podFailurePolicy'),
    };
  },
});

const disruptionRule = behaviourRule({
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
  ignoresAll,
  disruptionRule,
];
