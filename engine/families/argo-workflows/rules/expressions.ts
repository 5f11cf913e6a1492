import { fix, insertEntry, replaceText } from '../../../edits.ts';
import { versionOf } from '../../../environment.ts';
import { checkRetryExpression } from '../../../expression/check.ts';
import { evaluateRetryExpression } from '../../../expression/evaluate.ts';
import type { ExpressionProblem, ProblemKind } from '../../../expression/problem.ts';
import { defineRule, type Report, type Rule } from '../../../family.ts';
import type { Edit, Fix, Severity } from '../../../finding.ts';
import type { ScalarNode, Span } from '../../../source.ts';
import type { Facts } from '../facts.ts';
import type { Fields } from '../fields.ts';
import { cite, system } from '../system.ts';
import { certainEnd, expressionProblems } from '../expressionProblems.ts';
import { effectivePolicy } from '../policy.ts';
import { given, scalarOf, type Context } from './context.ts';

const evaluation = cite('util/expr/argoexpr/eval.go EvalBool; expr-lang/expr v1.17.8');

type Kinds = {
  readonly slug: string;
  readonly severity: Severity;
  readonly kinds: readonly ProblemKind[];
  readonly summary: string;
  readonly explanation: string;
};

const groups: readonly Kinds[] = [
  {
    slug: 'expression-does-not-compile',
    severity: 'error',
    kinds: ['syntax', 'unknown-name', 'mismatched-types', 'wrong-call', 'bad-pattern'],
    summary: 'The `expression` cannot be compiled, so the first failure ends the node in Error.',
    explanation:
      'The expression is compiled each time a run has failed, not when the workflow is submitted, and `argo lint` does not look at it. All variables are text: `retries` and every member of `lastRetry`. Compare them with text in quotes, or turn them into numbers with `asInt(...)`.',
  },
  {
    slug: 'expression-fails',
    severity: 'error',
    kinds: ['fails-at-run-time', 'not-boolean'],
    summary: 'The `expression` compiles and fails when it is evaluated: the node ends in Error.',
    explanation:
      'An expression that fails, or that gives something else than true or false, ends the node in Error and nothing is retried. `lastRetry.exitCode > 1` compares text with a number: write `asInt(lastRetry.exitCode) > 1`.',
  },
  {
    slug: 'expression-not-substituted',
    severity: 'error',
    kinds: ['not-substituted'],
    summary: 'A `{{...}}` tag in the `expression` is not filled in.',
    explanation:
      '`retries` and `lastRetry` are variables of the expression itself, written without braces. As tags they are filled in only in the body of the template.',
  },
  {
    slug: 'expression-always-the-same',
    severity: 'error',
    kinds: ['never-true', 'always-true', 'unknown-member'],
    summary: 'A comparison in the `expression` has the same answer whatever the last run did.',
    explanation:
      'Text never equals a number, and a member that does not exist is nil: both compile and run, and decide nothing. `lastRetry.exitCode == 2` is never true, `lastRetry.exitCode != 0` always is.',
  },
  {
    slug: 'expression-compares-text',
    severity: 'warning',
    kinds: ['compares-as-text'],
    summary: 'The `expression` compares numbers letter by letter.',
    explanation:
      "`lastRetry.exitCode > '9'` compares text: '10' comes before '9'. Write `asInt(lastRetry.exitCode) > 9`.",
  },
];

/** One rule for each way an expression goes wrong. */
export const expressionRules: readonly Rule<Fields, Facts>[] = groups.map(({ kinds, ...head }) =>
  defineRule<Fields, Facts>({
    ...head,
    about: ['expression'],
    cite: evaluation,
    *check(context) {
      for (const problem of expressionProblems(given(context).expression, context.env)) {
        if (kinds.includes(problem.kind)) yield toReport(context, problem);
      }
    },
  }),
);

function toReport(context: Context, problem: ExpressionProblem): Report {
  const node = scalarOf(context, 'expression');
  const offset = node === undefined ? undefined : offsetOf(context, node);
  const move = (span: Span): Span => ({
    start: span.start + (offset ?? 0),
    end: span.end + (offset ?? 0),
  });
  const whole = withoutLastBreak(context, context.valueSpanOf('expression'));
  const isEmpty = problem.at.start === problem.at.end;
  return {
    message: consequence(problem.message).replace(/\.$/, ''),
    at: offset === undefined || isEmpty ? whole : move(problem.at),
    fixes:
      offset === undefined || node === undefined
        ? []
        : problem.fixes.flatMap((one) => moved(context, one, node, move)),
  };
}

/** Says what happens before it says why. */
function consequence(message: string): string {
  return message
    .replace(
      /^Does not compile: /,
      'The first failure ends the node in Error, as this does not compile: ',
    )
    .replace(
      /^Fails at run time: /,
      'The first failure ends the node in Error, as this fails at run time: ',
    );
}

/** The text of a block ends with its last line break, which no reader sees as a part of it. */
function withoutLastBreak({ tree }: Context, { start, end }: Span): Span {
  const written = (tree.text ?? '').slice(start, end);
  return { start, end: end - (written.length - written.trimEnd().length) };
}

/** Where the text of the expression starts, if it stands in the document letter by letter. */
function offsetOf({ tree }: Context, node: ScalarNode): number | undefined {
  const at = node.inner ?? node.span;
  if (at === undefined || node.style === 'block' || tree.text === undefined) return undefined;
  return tree.text.slice(at.start, at.end) === node.text ? at.start : undefined;
}

/** The fix as edits of the document: quotes inside quotes are written as YAML wants them. */
function moved(
  { tree }: Context,
  found: Fix,
  node: ScalarNode,
  move: (span: Span) => Span,
): readonly Fix[] {
  const quote = node.span === undefined ? '' : (tree.text?.[node.span.start] ?? '');
  const edits: Edit[] = [];
  for (const edit of found.edits) {
    const text = asYaml(edit.text, node, quote);
    if (text === undefined) return [];
    edits.push({ at: move(edit.at), text });
  }
  return [{ ...found, edits }];
}

function asYaml(
  text: string,
  { inner, span, style }: ScalarNode,
  quote: string,
): string | undefined {
  if (style === 'plain') return /: | #|^[-?:,[\]{}#&*!|>'"%@`]/.test(text) ? undefined : text;
  const isSingle = inner !== undefined && span !== undefined && inner.start === span.start + 1;
  if (!isSingle) return undefined;
  // Expressions know both kinds of quotes: those that YAML does not use here need no escape.
  const [own, other] = quote === "'" ? ["'", '"'] : ['"', "'"];
  if (!text.includes(own)) return own === '"' && text.includes('\\') ? undefined : text;
  return text.includes(other) || text.includes('\\') ? undefined : text.replaceAll(own, other);
}

/** A policy that refuses what the expression asks for. */
export const policyRefusesExpression = defineRule<Fields, Facts>({
  slug: 'policy-refuses-expression',
  about: ['expression'],
  severity: 'warning',
  summary: 'The `expression` accepts runs that `retryPolicy` does not retry.',
  explanation:
    'Both must hold. `OnFailure` never retries a run that ended Error, `OnError` none that ended Failed, whatever the expression says. From 3.5 on leaving `retryPolicy` out lets the expression decide alone; before, the policy is then `OnFailure`. Write `retryPolicy: Always`.',
  cite: cite('pkg/apis/workflow/v1alpha1/workflow_types.go RetryPolicyActual'),
  *check(context) {
    const { expression, retryPolicy } = given(context);
    if (expression === undefined || !expression.includes('status')) return;
    const effective = effectivePolicy(context.policy);
    if (effective !== 'OnFailure' && effective !== 'OnError') return;
    // Without any policy nothing would be retried either: other rules say why.
    if (certainEnd(expression, context.env) !== undefined) return;
    const refused = effective === 'OnFailure' ? 'Error' : 'Failed';
    const isNothing = refuses(expression, effective === 'OnFailure' ? 'Failed' : 'Error');
    if (isNothing ? refuses(expression, refused) : !allows(expression, refused)) return;
    const node = scalarOf(context, 'retryPolicy');
    const said =
      retryPolicy === undefined || retryPolicy === null
        ? `on ${versionOf(context.env, system).version} the policy is OnFailure where none is written, and it`
        : `\`retryPolicy: ${retryPolicy}\``;
    yield {
      message: `${isNothing ? 'Nothing is ever retried' : `Runs that end ${refused} are not retried`}: ${said} refuses what the expression accepts. Write retryPolicy: Always`,
      at: node === undefined ? context.keyOf('expression') : context.valueSpanOf('retryPolicy'),
      fixes:
        node !== undefined
          ? fix('Write Always', true, replaceText(node, 'Always'))
          : context.node?.kind === 'map'
            ? fix(
                'Add retryPolicy: Always',
                true,
                insertEntry(context.tree, context.node, 'retryPolicy', 'Always', 'limit'),
              )
            : [],
    };
  },
});

/** Whether the expression is true for a run that ended so, whatever else is known of it. */
const allows = (expression: string, status: string): boolean =>
  evaluateRetryExpression(expression, { status }).kind === 'retries';

/** Whether it is false for a run that ended so, or fails, whatever else is known of it. */
function refuses(expression: string, status: string): boolean {
  const { kind } = evaluateRetryExpression(expression, { status });
  return kind === 'stops' || kind === 'fails';
}

/** Exit codes of templates that run no container. */
export const exitCodeOfGroup = defineRule<Fields, Facts>({
  slug: 'no-exit-code',
  about: ['expression'],
  severity: 'warning',
  summary: '`lastRetry.exitCode` is "-1" for templates that only call others.',
  explanation:
    'A steps or dag template has no container and so no exit code: `lastRetry.exitCode` is "-1" after every failure. A condition on it then retries the whole group always or never. Put the `retryStrategy` on the templates that run a container.',
  cite: cite('workflow/controller/operator.go buildRetryStrategyLocalScope'),
  *check(context) {
    const { expression } = given(context);
    const { groups: calling, level } = context.policy.facts;
    const [name] = calling;
    if (expression === undefined || name === undefined || expression.includes('-1')) return;
    const { problems, uses } = checkRetryExpression(expression);
    const use = uses.find(({ fact }) => fact === 'exitCode');
    if (use === undefined || problems.length > 0) return;
    const outcome = evaluateRetryExpression(expression, { exitCode: '-1' });
    // Shared by all templates, "never" for the groups is what one wants.
    if (outcome.kind === 'stops' && level !== 'template') return;
    const node = scalarOf(context, 'expression');
    const offset = node === undefined ? undefined : offsetOf(context, node);
    const so =
      outcome.kind === 'retries'
        ? ', so it is retried after every failure'
        : outcome.kind === 'stops'
          ? ', so it is never retried'
          : '';
    yield {
      message: `The exit code is always "-1" for \`${name}\`, which runs no container of its own${so}. Put retryStrategy on the templates that run a container`,
      at:
        offset === undefined
          ? context.valueSpanOf('expression')
          : { start: use.at.start + offset, end: use.at.end + offset },
    };
  },
});
