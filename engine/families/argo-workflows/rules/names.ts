import { fix, renameKey } from '../../../edits.ts';
import type { DocumentRule, Report } from '../../../family.ts';
import { nearest } from '../../../format.ts';
import { isRunTimeText } from '../../../runTimeText.ts';
import { child, nameSpan, nodeAt, type SourceNode } from '../../../source.ts';
import { callsOf, specOf, templatesOf } from '../manifest.ts';
import { workflowKinds } from '../sites.ts';
import { cite } from '../system.ts';

/** A `retryStrategy` that is a number, a text or a list. */
export const strategyShape: DocumentRule = {
  slug: 'retry-strategy-shape',
  severity: 'error',
  summary: 'A `retryStrategy` that is no map of settings.',
  explanation:
    'The number of retries is `limit` below `retryStrategy`, not its value. The manifest is refused as it stands.',
  cite: cite('pkg/apis/workflow/v1alpha1/workflow_types.go RetryStrategy, ContainerSetTemplate'),
  sites: workflowKinds,
  *check({ root }) {
    for (const place of placesIn(root)) {
      yield* misshapen(child(place, 'retryStrategy'), 'limit');
      yield* misshapen(nodeAt(place, ['containerSet', 'retryStrategy']), 'retries');
    }
  },
};

function* misshapen(node: SourceNode | undefined, counter: string): Generator<Report> {
  if (node === undefined || node.kind === 'map' || node.via !== undefined) return;
  const at = node.span ?? nameSpan(node);
  if (at === undefined) return;
  if (node.kind === 'scalar' && (node.value === null || isRunTimeText(node.text))) return;
  const written = node.kind === 'list' ? 'a list' : `\`${node.text}\``;
  const count = node.kind === 'scalar' && /^\d+$/.test(node.text) ? node.text : '3';
  const { span } = node;
  yield {
    message: `The manifest is refused: ${written} is no retryStrategy. Write settings below it, such as \`${counter}: ${count}\``,
    at,
    fixes:
      node.kind === 'scalar' && count === node.text && span !== undefined && node.rough !== true
        ? fix(`Write {${counter}: ${count}}`, true, {
            at: span,
            text: `{${counter}: ${count}}`,
          })
        : [],
  };
}

const right = 'retryStrategy';

/** Names that people give it; spelling alone does not lead from them. */
const meant = new Set(['retry', 'retries', 'retrypolicy', 'retrybackoff', 'retrylimit', 'backoff']);

/** A key that is nearly `retryStrategy`, or means it, where that would stand. */
export const misspelledStrategy: DocumentRule = {
  slug: 'misspelled-retry-strategy',
  severity: 'warning',
  summary: 'A key that is nearly `retryStrategy`: nothing is retried by it.',
  explanation:
    'Names are read letter by letter, capitals included. Strict validation refuses a key that the API does not know; where the short CRDs are installed it is dropped in silence, and the first failure is the last one.',
  cite: cite('pkg/apis/workflow/v1alpha1/workflow_types.go WorkflowSpec, Template'),
  sites: workflowKinds.map((site) => ({ ...site, needs: ['retry', 'Retry', 'backoff'] })),
  *check({ root }) {
    for (const place of placesIn(root)) {
      if (place.kind !== 'map' || place.children.has(right)) continue;
      for (const [key, node] of place.children) {
        const isMeant = meant.has(key.toLowerCase());
        const at = nameSpan(node);
        if (node.via !== undefined || at === undefined) continue;
        if (!isMeant && nearest(key, [right]) === undefined) continue;
        const isWhole = node.kind === 'map' && key.toLowerCase() !== 'backoff';
        yield {
          message: `Nothing is retried by this: Argo Workflows does not know \`${key}\` here. ${isWhole ? 'Write' : 'It belongs below'} \`${right}\``,
          at,
          unnecessary: true,
          fixes: isWhole ? fix(`Rename to ${right}`, !isMeant, renameKey(node, right)) : [],
        };
      }
    }
  },
};

/** Every block of a workflow that a `retryStrategy` may stand in. */
export function placesIn(root: SourceNode): readonly SourceNode[] {
  const spec = specOf(root);
  const templates = templatesOf(spec);
  const inline = templates.flatMap(callsOf).map((call) => child(call, 'inline'));
  return [spec, child(spec, 'templateDefaults'), ...templates, ...inline].filter(
    (place) => place !== undefined,
  );
}
