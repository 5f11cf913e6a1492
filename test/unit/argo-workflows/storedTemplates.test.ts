import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inflateNodes } from '../../../client/src/cluster/inflateNodes.ts';
import { manifestStates } from '../../../engine/manifestState.ts';
import { formatPath } from '../../../engine/source.ts';
import { instant } from '../../../engine/units.ts';
import { analyse, waitsOf } from '../../support/analyse.ts';

const workflow = (spec: unknown, status: unknown): string =>
  JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'etl' },
    spec,
    status,
  });

const told = (text: string) => {
  const { policies, findings, failures } = analyse(text);
  expect([failures, findings]).toEqual([[], []]);
  return policies.map((policy) => [formatPath(policy.policy.anchor), waitsOf(policy, 9).join(' ')]);
};

const main = { name: 'main', container: { image: 'a' } };
const limited = { limit: 2, backoff: { duration: '10s', factor: 3 } };

describe('what a status keeps of other templates', () => {
  it('is told, with its own defaults, and not judged', () => {
    const spec = {
      entrypoint: 'main',
      templateDefaults: { retryStrategy: { backoff: { duration: '5s' } } },
      templates: [{ ...main, retryStrategy: { limit: '{{workflow.parameters.n}}' } }],
      arguments: { parameters: [{ name: 'n', value: '3' }] },
    };
    const text = workflow(
      { workflowTemplateRef: { name: 'tpl' } },
      { storedWorkflowTemplateSpec: spec },
    );
    expect(told(text)[0]).toEqual([
      'status.storedWorkflowTemplateSpec.templates[0].retryStrategy',
      '5s 5s 5s',
    ]);
  });

  it('may be a strategy for all templates, or one template', () => {
    expect(
      told(
        workflow({}, { storedWorkflowTemplateSpec: { retryStrategy: limited, templates: [main] } }),
      ),
    ).toEqual([['status.storedWorkflowTemplateSpec.retryStrategy', '10s 30s']]);
    expect(
      told(
        workflow(
          {},
          { storedTemplates: { 'namespaced/lib/load': { ...main, retryStrategy: limited } } },
        ),
      ),
    ).toEqual([['status.storedTemplates["namespaced/lib/load"].retryStrategy', '10s 30s']]);
  });
});

it('reads the nodes that a manifest carries packed', () => {
  const nodes = {
    etl: { id: 'etl', displayName: 'etl', type: 'Retry', phase: 'Running', children: [] },
  };
  const packed = gzipSync(JSON.stringify(nodes)).toString('base64');
  const [policy] = analyse(
    workflow({ templates: [{ ...main, retryStrategy: limited }] }, { compressedNodes: packed }),
  ).policies;
  if (policy === undefined) throw new Error('no policy');
  const kinds = (unpack?: typeof inflateNodes) =>
    manifestStates(policy, instant(0), unpack === undefined ? {} : { unpack }).map(
      ({ state }) => state.kind,
    );
  expect(kinds()).toEqual(['unseen']);
  expect(kinds(inflateNodes)).toEqual(['idle']);
});
