import { fix, insertEntry, removeItem, replaceText, replaceValue } from '../../edits.ts';
import { atLeast, type Environment } from '../../environment.ts';
import { defineRule, type PolicyContext, type Report, type Rule } from '../../family.ts';
import { nearest } from '../../format.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { child, itemsOf, nameSpan, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { scalarOf } from '../../policyRules.ts';
import { valueOf } from '../../setting.ts';
import {
  actions,
  ignoresLimit,
  knowsRules,
  reasons,
  rulesIn,
  takesAll,
  type JobSetPlace,
} from './failureRules.ts';
import type { FailurePolicyFields } from './failurePolicyFields.ts';
import { unreadablePattern } from './messagePatterns.ts';
import { jobset, sources } from './system.ts';

type Context = PolicyContext<FailurePolicyFields, JobSetPlace>;
type FailurePolicyRule = Rule<FailurePolicyFields, JobSetPlace>;

const rule = (made: FailurePolicyRule): FailurePolicyRule => defineRule(made);

/** `rules[1]`, or its name where it has one. */
const nameOf = (node: SourceNode, index: number): string => {
  const name = textAt(node, 'name');
  return name === undefined ? `\`rules[${String(index)}]\`` : `\`${name}\``;
};

/** The rules that are written, unless the version drops them all. */
const writtenRules = ({ env, node }: Context): readonly SourceNode[] =>
  knowsRules(env) ? rulesIn(node) : [];

const placeOf = (context: Context, node: SourceNode, key: string) =>
  child(node, key)?.span ?? node.span ?? context.name;

const noRestart = rule({
  slug: 'no-restart',
  severity: 'warning',
  summary: 'A failure policy that never restarts anything: `maxRestarts` is 0.',
  explanation:
    '`maxRestarts` is 0 where it is not written, and then the first failed Job fails the JobSet, as it does without a failure policy. Rules that restart count against it too, unless their action ends in `AndIgnoreMaxRestarts`.',
  cite: sources.apply,
  *check(context: Context) {
    const { settings, node, tree, policy } = context;
    const { rules, isWhole } = policy.facts;
    if (node?.kind !== 'map' || rules.some(({ action }) => ignoresLimit(action))) return;
    const { maxRestarts } = settings;
    const restarts = rules.some(
      ({ action }) => action === 'RestartJobSet' || action === 'RestartJob',
    );
    const isLeftOut = maxRestarts.from === 'default' && isWhole;
    const isZero = maxRestarts.from === 'document' && maxRestarts.value <= 0 && restarts;
    if (!isLeftOut && !isZero) return;
    const written = scalarOf(context, 'maxRestarts');
    yield {
      message: isLeftOut
        ? 'Nothing is restarted: `maxRestarts` is 0 where it is not written, so the first Job that fails ends the JobSet. Write how many restarts you want, such as 3'
        : `The rules that restart never do: with \`maxRestarts: ${String(maxRestarts.value)}\` the first Job that fails ends the JobSet. Write how many restarts you want, such as 3`,
      at: context.valueSpanOf('maxRestarts'),
      fixes: fix(
        'Write maxRestarts: 3',
        false,
        written === undefined
          ? insertEntry(tree, node, 'maxRestarts', '3')
          : replaceValue(written, '3'),
      ),
    };
  },
});

const endless = rule({
  slug: 'endless-restarts',
  severity: 'warning',
  summary: 'A rule that restarts without a limit, whatever the reason.',
  explanation:
    'An action that ends in `AndIgnoreMaxRestarts` does not count, and a restart of a JobSet has no wait of its own. A rule without `onJobFailureReasons` and `onJobFailureMessagePatterns` takes every failure, also one that comes back each time: the Jobs are created again and again, without end. Name the reasons that pass by themselves, such as a pod failure policy for node maintenance.',
  cite: sources.apply,
  *check(context: Context) {
    const { rules } = context.policy.facts;
    const nodes = rulesIn(context.node);
    for (const found of rules) {
      const node = nodes[found.index];
      if (node !== undefined && ignoresLimit(found.action) && !found.byReason && !found.byMessage) {
        const where = found.byJob ? 'of these Jobs ' : '';
        yield {
          message: `Restarts without end and without a wait: ${nameOf(node, found.index)} takes every failure ${where}and does not count it against \`maxRestarts\`. Name the reasons it is for in \`onJobFailureReasons\``,
          at: placeOf(context, node, 'action'),
          fixes: countInstead(node, found.action ?? ''),
        };
      }
      if (takesAll(found)) return;
    }
  },
});

function countInstead(node: SourceNode, action: string) {
  const written = child(node, 'action');
  const counted = action.replace('AndIgnoreMaxRestarts', '');
  return written?.kind === 'scalar'
    ? fix(`Write ${counted}`, false, replaceText(written, counted))
    : [];
}

const neverReached = rule({
  slug: 'rule-never-reached',
  severity: 'warning',
  summary: 'A rule below one that takes every failure.',
  explanation:
    'Rules are read from the top, and the first that matches decides. A rule without reasons, messages and targets matches every failure, so those below it have no effect.',
  cite: sources.match,
  *check(context: Context) {
    const { rules } = context.policy.facts;
    const first = rules.find(takesAll);
    const nodes = rulesIn(context.node);
    const list = child(context.node, 'rules');
    const above = first === undefined ? undefined : nodes[first.index];
    if (first === undefined || above === undefined || list === undefined) return;
    for (const [index, node] of nodes.entries()) {
      if (index <= first.index) continue;
      yield {
        message: `This rule has no effect: ${nameOf(above, first.index)} above takes every failure. Move it up, or remove it`,
        at: placeOf(context, node, 'action'),
        unnecessary: true,
        fixes: fix('Remove the rule', false, removeItem(context.tree, list, node)),
      };
    }
  },
});

const unknownJob = rule({
  slug: 'unknown-replicated-job',
  severity: 'error',
  summary: 'A rule that names a Job which the JobSet does not have.',
  explanation:
    '`targetReplicatedJobs` holds names of `spec.replicatedJobs`. The webhook refuses a JobSet whose rules name others.',
  cite: sources.webhook,
  *check(context: Context) {
    const { isWhole, jobs } = context.policy.facts;
    const all = itemsOf(nodeAt(context.root, ['spec', 'replicatedJobs']));
    // A name that is filled in at run time may be any.
    if (!isWhole || jobs.length !== all.length) return;
    const names = jobs.map(({ name }) => name);
    for (const node of writtenRules(context)) {
      for (const target of itemsOf(child(node, 'targetReplicatedJobs'))) {
        if (target.kind !== 'scalar' || isRunTimeText(target.text)) continue;
        if (names.includes(target.text)) continue;
        const meant = nearest(target.text, names) ?? (names.length === 1 ? names[0] : undefined);
        yield {
          message: `The webhook refuses the JobSet: it has no replicated Job \`${target.text}\`. It has ${names.map((name) => `\`${name}\``).join(', ')}`,
          at: target.span ?? context.name,
          fixes:
            meant === undefined ? [] : fix(`Write ${meant}`, false, replaceText(target, meant)),
        };
      }
    }
  },
});

const unknownReason = rule({
  slug: 'unknown-reason',
  severity: 'error',
  summary: 'A reason that no Job fails with.',
  explanation: `The webhook knows these reasons: ${reasons.map((word) => `\`${word}\``).join(', ')}. It refuses a JobSet whose rules name others.`,
  cite: sources.webhook,
  *check(context: Context) {
    for (const node of writtenRules(context)) {
      for (const reason of itemsOf(child(node, 'onJobFailureReasons'))) {
        if (reason.kind === 'scalar') yield* known(context, reason, reasons, 'reason');
      }
    }
  },
});

const unknownAction = rule({
  slug: 'unknown-action',
  severity: 'error',
  summary: 'A rule whose action the API does not know, or that has none.',
  explanation: `A rule has one of these actions: ${actions.map((word) => `\`${word}\``).join(', ')}. The API server refuses all others.`,
  cite: sources.types,
  *check(context: Context) {
    for (const [index, node] of writtenRules(context).entries()) {
      const action = child(node, 'action');
      if (action?.kind === 'scalar' && action.value !== null) {
        yield* known(context, action, actions, 'action', meantAction(context, action.text));
      } else if (action === undefined && node.kind === 'map' && context.policy.facts.isWhole) {
        yield {
          message: `The API server refuses the JobSet: ${nameOf(node, index)} has no \`action\`. Write one of ${actions.join(', ')}`,
          at: node.span ?? context.name,
        };
      }
    }
  },
});

/** The action that a word stands for, of those that this JobSet takes. */
function meantAction({ env }: Context, word: string): string | undefined {
  if (/^restart$/i.test(word)) return 'RestartJobSet';
  if (/^fail$/i.test(word)) return 'FailJobSet';
  const taken = actions.filter(
    (action) => !/^RestartJob(?!Set)/.test(action) || restartsSingleJobs(env),
  );
  return nearest(word, taken);
}

const restartsSingleJobs = (env: Environment): boolean =>
  atLeast(env, jobset, '0.12.0') && env.gates.get('RestartJob') === true;

function* known(
  context: Context,
  node: SourceNode & { readonly kind: 'scalar' },
  words: readonly string[],
  what: string,
  meant = nearest(node.text, words),
): Generator<Report> {
  if (words.includes(node.text) || isRunTimeText(node.text)) return;
  yield {
    message: `The JobSet is refused: there is no ${what} \`${node.text}\`. Write one of ${words.join(', ')}`,
    at: node.span ?? context.name,
    fixes: meant === undefined ? [] : fix(`Write ${meant}`, true, replaceText(node, meant)),
  };
}

const needsGate = rule({
  slug: 'needs-feature-gate',
  severity: 'warning',
  summary: 'A setting that JobSet refuses unless a feature gate is on.',
  explanation:
    'Restarting single Jobs needs JobSet 0.12 and the feature gate `RestartJob`, restarting in place needs 0.11 and `InPlaceRestart`. Both are off by default, and the webhook then refuses the JobSet. Where you have turned one on, say so in `.kube-backoff.yaml`.',
  cite: sources.gates,
  *check(context: Context) {
    const { env, settings } = context;
    const asks = (word: string, gate: string, version: string): string | undefined => {
      if (!atLeast(env, jobset, version)) return `JobSet before ${version} refuses \`${word}\``;
      return env.gates.get(gate) === true
        ? undefined
        : `The webhook refuses \`${word}\` unless JobSet runs with the feature gate ${gate}, which is off by default`;
    };
    for (const one of writtenRules(context)) {
      const action = child(one, 'action');
      const text = action?.kind === 'scalar' ? action.text : '';
      if (text !== 'RestartJob' && text !== 'RestartJobAndIgnoreMaxRestarts') continue;
      const message = asks(text, 'RestartJob', '0.12.0');
      const instead = text.replace('RestartJob', 'RestartJobSet');
      if (message === undefined || action?.kind !== 'scalar') continue;
      yield {
        message: `${message}. \`${instead}\` restarts all Jobs instead`,
        at: action.span ?? context.name,
        fixes: fix(`Write ${instead}`, false, replaceText(action, instead)),
      };
    }
    if (valueOf(settings.restartStrategy) !== 'InPlaceRestart') return;
    const message = asks('InPlaceRestart', 'InPlaceRestart', '0.11.0');
    const written = scalarOf(context, 'restartStrategy');
    if (message === undefined || written === undefined) return;
    yield {
      message: `${message}. \`Recreate\` creates all Jobs anew instead`,
      at: context.valueSpanOf('restartStrategy'),
      fixes: fix('Write Recreate', false, replaceText(written, 'Recreate')),
    };
  },
});

const ruleName = rule({
  slug: 'rule-name',
  severity: 'error',
  summary: 'A name of a rule that is taken, or that the webhook does not take.',
  explanation:
    'Names of rules are unique, have 1 to 128 characters, start with a letter, and hold letters, digits, `_`, `,` and `:`; the last one is neither `,` nor `:`. The webhook refuses the JobSet otherwise.',
  cite: sources.webhook,
  *check(context: Context) {
    const seen = new Set<string>();
    for (const node of writtenRules(context)) {
      const name = child(node, 'name');
      if (name?.kind !== 'scalar' || name.text === '' || isRunTimeText(name.text)) continue;
      const isTaken = seen.has(name.text);
      seen.add(name.text);
      const isFit =
        name.text.length <= 128 && /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(name.text);
      if (!isTaken && isFit) continue;
      const fit = name.text.replaceAll(/[^A-Za-z0-9_]/g, '_').slice(0, 128);
      yield {
        message: isTaken
          ? `The webhook refuses the JobSet: two rules are named \`${name.text}\`. Give this one another name`
          : `The webhook refuses the name \`${name.text}\`: it starts with a letter and holds letters, digits, _, comma and colon`,
        at: name.span ?? nameSpan(name) ?? context.name,
        fixes:
          isTaken || seen.has(fit) || !/^[A-Za-z]/.test(fit)
            ? []
            : fix(`Write ${fit}`, false, replaceText(name, fit)),
      };
    }
  },
});

/** The rules about failure policies of JobSets. */
export const failurePolicyRules: readonly FailurePolicyRule[] = [
  noRestart,
  endless,
  neverReached,
  unknownJob,
  unknownReason,
  unknownAction,
  needsGate,
  ruleName,
  unreadablePattern,
];
