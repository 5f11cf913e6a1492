import { fix, insertEntry, removeEntry } from '../../../edits.ts';
import { defineRule, type DocumentRule, type Report } from '../../../family.ts';
import type { Edit } from '../../../finding.ts';
import {
  child,
  itemsOf,
  nameSpan,
  nodeAt,
  textAt,
  type MapNode,
  type SourceNode,
  type SourceTree,
} from '../../../source.ts';
import { plural } from '../../../summary.ts';
import type { Facts } from '../facts.ts';
import type { Fields } from '../fields.ts';
import { callsOf, specOf, templatesOf } from '../manifest.ts';
import type { Level, Nesting } from '../nesting.ts';
import { workflowKinds } from '../sites.ts';
import { placesIn } from './names.ts';
import { cite } from '../system.ts';

/** One strategy for all templates wraps groups and their steps alike. */
export const nestedRetries = defineRule<Fields, Facts>({
  slug: 'nested-retries',
  severity: 'warning',
  summary: 'A strategy for all templates also retries steps and dag templates: retries multiply.',
  explanation:
    'A `retryStrategy` under `spec` or `templateDefaults` holds for every template, those that only call others included. When a leaf has used up its retries the group around it fails, and is retried as a whole with every leaf starting from zero, and so on outwards. Put the strategy on the templates that do the work.',
  cite: cite('workflow/controller/operator.go retryStrategy, mergedTemplateDefaultsInto'),
  *check(context) {
    const { nesting, level, shadowed } = context.policy.facts;
    if (nesting === undefined || level === 'template' || shadowed) return;
    const levels = nesting.levels.filter(({ runs }) => runs !== 1);
    const wrapped = levels.filter((one) => one.isGroup && one.inherited);
    if (levels.length < 2 || wrapped.length === 0) return;
    yield {
      message: `Retries multiply: ${wrapped.map(({ name }) => `\`${name}\``).join(', ')} ${wrapped.length === 1 ? 'is' : 'are'} retried as a whole too, so ${leafRuns(nesting, levels)}. Put retryStrategy on the templates that do the work`,
      at: context.name,
      fixes: fix(
        'Give the templates that only call others no retries',
        false,
        ...templatesNamed(context.parents, wrapped).map((one) => withoutRetries(context.tree, one)),
      ),
    };
  },
});

function leafRuns({ leafRuns: runs }: Nesting, levels: readonly Level[]): string {
  const leaf = levels.at(-1);
  const name = `\`${leaf?.name ?? ''}\``;
  const unless = leaf?.isElsewhere === true ? ' unless it has a retryStrategy of its own' : '';
  return runs === 'endless'
    ? `${name} can run without end${unless}`
    : `${name} can run ${plural(runs, 'time')} (${levels.map((one) => String(one.runs)).join(' × ')})${unless}`;
}

function templatesNamed(
  parents: readonly SourceNode[],
  levels: readonly Level[],
): readonly SourceNode[] {
  const names = new Set(levels.map(({ name }) => name));
  return parents
    .flatMap((parent) => templatesOf(parent))
    .filter((template) => names.has(textAt(template, 'name') ?? ''));
}

function withoutRetries(tree: SourceTree, template: SourceNode): Edit | undefined {
  return template.kind === 'map'
    ? insertEntry(tree, template, 'retryStrategy', '{limit: 0}', 'name')
    : undefined;
}

/** `spec.retryStrategy` beside `templateDefaults.retryStrategy`. */
export const shadowedByDefaults = defineRule<Fields, Facts>({
  slug: 'shadowed-by-defaults',
  needs: ['templateDefaults'],
  severity: 'warning',
  summary: '`spec.retryStrategy` is never used: `templateDefaults` has one for every template.',
  explanation:
    'The defaults are merged into every template first, so every template has a `retryStrategy` of its own, and the one under `spec` is only for templates without any.',
  cite: cite('workflow/controller/operator.go retryStrategy, mergedTemplateDefaultsInto'),
  *check(context) {
    if (!context.policy.facts.shadowed) return;
    yield {
      message:
        'This strategy is never used: `templateDefaults.retryStrategy` gives every template one of its own. Remove one of the two',
      at: context.name,
      unnecessary: true,
      fixes:
        context.node === undefined
          ? []
          : fix('Remove retryStrategy', false, removeEntry(context.tree, context.node)),
    };
  },
});

/** A strategy for all templates together with lifecycle hooks of the workflow. */
export const hooksWithSharedRetries = defineRule<Fields, Facts>({
  slug: 'hooks-with-shared-retries',
  needs: ['hooks'],
  severity: 'warning',
  summary: 'With workflow hooks, retries from `spec` or `templateDefaults` may not happen.',
  explanation:
    'Hooks run as templates too, take the same strategy and become children of the same nodes. It is reported, and open, that tasks are then not retried, or that the workflow ends although a retry is due. The same strategy on the template itself works.',
  cite: cite('issues 13233 and 14058', 'v3.5 to v4.1.2'),
  *check(context) {
    const { level, hooks, shadowed } = context.policy.facts;
    if (level === 'template' || hooks.length === 0 || shadowed) return;
    yield {
      message: `Retries may not happen: with ${hooks.length === 1 ? `the hook \`${hooks[0] ?? ''}\`` : 'hooks'} on the workflow, a strategy for all templates is known to fail. Put retryStrategy on the templates themselves`,
      at: context.name,
    };
  },
});

/** Tags that have no value where the strategy of the spec is read. */
export const unresolvedTag = defineRule<Fields, Facts>({
  slug: 'unresolved-tag',
  needs: ['{{'],
  severity: 'error',
  summary: 'A tag in `spec.retryStrategy` names something that only exists in a template.',
  explanation:
    'Only workflow variables are filled in under `spec`. A strategy on a template, or under `templateDefaults`, is part of the template and may use its inputs.',
  cite: cite('workflow/controller/operator.go substituteGlobalVariables, retryStrategy'),
  *check(context) {
    if (context.policy.facts.level !== 'spec') return;
    for (const name of [
      'limit',
      'expression',
      'duration',
      'factor',
      'cap',
      'maxDuration',
    ] as const) {
      const node = context.nodeOf(name);
      if (node?.kind !== 'scalar') continue;
      const found = /\{\{\s*(inputs|steps|tasks|item|pod|node|outputs)\b[^{}]*\}\}/.exec(node.text);
      if (found === null) continue;
      yield {
        message: `\`${found[0]}\` is never filled in here, so the first failure ends the node in Error: under \`spec\` only \`{{workflow.…}}\` has a value. Move retryStrategy to the template`,
        at: context.valueSpanOf(name),
      };
    }
  },
});

/** A `retryStrategy` where the system does not look for one. */
export const misplaced: DocumentRule = {
  slug: 'misplaced-retry-strategy',
  severity: 'error',
  summary: '`retryStrategy` stands where Argo Workflows does not read it.',
  explanation:
    'Only templates have a `retryStrategy`, and `spec` and `templateDefaults` one for all of them. A step or a task calls a template and has none of its own, nor has a container. Strict validation refuses the manifest; where the short CRDs are installed it is dropped in silence.',
  cite: cite('pkg/apis/workflow/v1alpha1/workflow_types.go WorkflowStep, DAGTask, Template'),
  sites: workflowKinds.map((site) => ({
    ...site,
    needs: ['retryStrategy', 'retries:', '"retries"', 'limit:', '"limit"'],
  })),
  *check({ root, tree }) {
    const spec = specOf(root);
    const templates = templatesOf(spec);
    for (const template of templates) {
      for (const call of callsOf(template)) yield* onCall(tree, call, templates);
      for (const place of ['container', 'script', 'dag', 'resource', 'http', 'data', 'metadata']) {
        yield* elsewhere(tree, child(child(template, place), 'retryStrategy'), template, place);
      }
      for (const place of ['sidecars', 'initContainers']) {
        for (const container of itemsOf(child(template, place))) {
          yield* report(
            child(container, 'retryStrategy'),
            `one of the \`${place}\` has no retries of its own. Write it in the template, beside \`${place}\``,
          );
        }
      }
      yield* report(
        nodeAt(template, ['containerSet', 'retries']),
        'it belongs below `retryStrategy` of `containerSet`',
      );
      for (const container of itemsOf(nodeAt(template, ['containerSet', 'containers']))) {
        yield* report(
          child(container, 'retryStrategy'),
          'a container of a set has no retries of its own: write it in `containerSet`',
        );
      }
    }
    for (const place of placesIn(root)) {
      const hasStrategy = child(place, 'retryStrategy') !== undefined;
      // Without a strategy beside them these are read as a misspelled one.
      const settings = hasStrategy ? ['limit', 'retryPolicy', 'backoff'] : ['limit'];
      for (const name of settings) {
        yield* report(child(place, name), `it belongs below \`retryStrategy\``);
      }
    }
    if (textAt(root, 'kind') === 'CronWorkflow') {
      const wrong =
        nodeAt(root, ['spec', 'retryStrategy']) ??
        nodeAt(root, ['spec', 'templateDefaults', 'retryStrategy']);
      yield* report(wrong, 'in a CronWorkflow it belongs below `spec.workflowSpec`');
    }
    yield* report(child(root, 'retryStrategy'), 'it belongs below `spec` or in a template');
  },
};

function* report(
  node: SourceNode | undefined,
  why: string,
  fixes: Report['fixes'] = [],
): Generator<Report> {
  const at = node === undefined || node.via !== undefined ? undefined : nameSpan(node);
  if (at === undefined) return;
  yield { message: `Nothing is retried by this: ${why}`, at, fixes };
}

function* onCall(
  tree: SourceTree,
  call: SourceNode,
  templates: readonly SourceNode[],
): Generator<Report> {
  const node = child(call, 'retryStrategy');
  if (node === undefined) return;
  const name = textAt(call, 'template');
  const called = templates.find((one) => textAt(one, 'name') === name);
  const where = name === undefined ? 'the template it calls' : `the template \`${name}\``;
  const canMove = called?.kind === 'map' && !called.children.has('retryStrategy');
  yield* report(
    node,
    `a ${node.path.includes('dag') ? 'task' : 'step'} only calls a template and has no retries of its own. Write it in ${where}`,
    canMove ? move(tree, node, called, `Move it to the template ${name ?? ''}`) : [],
  );
}

function* elsewhere(
  tree: SourceTree,
  node: SourceNode | undefined,
  template: SourceNode,
  place: string,
): Generator<Report> {
  if (node === undefined) return;
  const canMove = template.kind === 'map' && !template.children.has('retryStrategy');
  yield* report(
    node,
    `\`${place}\` has no retries of its own. Write it in the template, beside \`${place}\``,
    canMove ? move(tree, node, template, 'Move it to the template') : [],
  );
}

/** Takes the block out and puts it below the template's name, with its lines moved to the new depth. */
function move(
  tree: SourceTree,
  node: SourceNode,
  template: MapNode,
  title: string,
): Report['fixes'] {
  const { text } = tree;
  const first = template.children.get('name')?.key;
  if (
    text === undefined ||
    node.span === undefined ||
    node.key === undefined ||
    first === undefined
  )
    return [];
  const written = text.slice(node.span.start, node.span.end);
  const isBlock = node.kind === 'map' && !node.flow;
  const depthNow = columnOf(text, node.span.start);
  const depthThen = columnOf(text, first.start) + 2;
  const lines = written.split('\n').map((line, index) => {
    const bare =
      index === 0 ? line : line.slice(Math.min(depthNow, /^ */.exec(line)?.[0].length ?? 0));
    return bare === '' ? bare : ' '.repeat(depthThen) + bare;
  });
  const value = isBlock ? `\n${lines.join('\n')}` : written;
  return fix(
    title,
    true,
    removeEntry(tree, node),
    insertEntry(tree, template, 'retryStrategy', value, 'name'),
  ).map((one) => ({
    ...one,
    edits: one.edits.map((edit) => ({ ...edit, text: edit.text.replace(/: \n/, ':\n') })),
  }));
}

const columnOf = (text: string, offset: number): number =>
  offset - (text.lastIndexOf('\n', offset - 1) + 1);
