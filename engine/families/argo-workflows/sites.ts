import type { Site } from '../../family.ts';
import { textAt, type SourceNode } from '../../source.ts';
import { effectiveStrategy, isBlock } from './manifest.ts';

const group = 'argoproj.io';
const workflows = ['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate'] as const;
const needs = ['retryStrategy'] as const;

/** `spec` of a workflow, and the same below a CronWorkflow. */
const specs = [
  { kinds: workflows, spec: 'spec' },
  { kinds: ['CronWorkflow'], spec: 'spec.workflowSpec' },
] as const;

/** The places of a `retryStrategy` in the kinds that hold a workflow. */
export const strategySites: readonly Site[] = [
  ...specs.flatMap(({ kinds, spec }): readonly Site[] => [
    ...[
      `${spec}.templates[*].retryStrategy`,
      `${spec}.templates[*].steps[*][*].inline.retryStrategy`,
      `${spec}.templates[*].dag.tasks[*].inline.retryStrategy`,
    ].map((anchor) => ({ group, kinds, anchor, needs, view: effectiveStrategy })),
    ...[`${spec}.templateDefaults.retryStrategy`, `${spec}.retryStrategy`].map((anchor) => ({
      group,
      kinds,
      anchor,
      needs,
      view: isBlock,
    })),
  ]),
  ...storedSites(),
  ...controllerSites(),
];

/**
 * What a Workflow's status keeps of the templates that it names: the spec of its `workflowTemplateRef`, merged with
 * its own, and each template of a `templateRef`.
 */
function storedSites(): readonly Site[] {
  const spec = 'status.storedWorkflowTemplateSpec';
  const site = (anchor: string, view: Site['view'] & {}): Site => ({
    group,
    kinds: ['Workflow'],
    anchor,
    needs: ['storedWorkflowTemplateSpec', 'storedTemplates'],
    isCopy: true,
    view,
  });
  return [
    site(`${spec}.templates[*].retryStrategy`, effectiveStrategy),
    site('status.storedTemplates.*.retryStrategy', effectiveStrategy),
    site(`${spec}.templateDefaults.retryStrategy`, isBlock),
    site(`${spec}.retryStrategy`, isBlock),
  ];
}

/** Where a containerSet has its own, which is another type. */
export const containerSetSites: readonly Site[] = specs.flatMap(({ kinds, spec }) =>
  [
    `${spec}.templates[*].containerSet.retryStrategy`,
    `${spec}.templateDefaults.containerSet.retryStrategy`,
    `${spec}.templates[*].steps[*][*].inline.containerSet.retryStrategy`,
    `${spec}.templates[*].dag.tasks[*].inline.containerSet.retryStrategy`,
  ].map((anchor) => ({ group, kinds, anchor, needs: ['containerSet'], view: isBlock })),
);

/**
 * The controller's own defaults, in both layouts: a key for each setting, or all of them under `config`.
 *
 * Source: argo-workflows v4.1.2 config/controller.go parseConfigMap.
 */
function controllerSites(): readonly Site[] {
  const layouts = ['data.workflowDefaults>spec', 'data.config>workflowDefaults.spec'];
  return layouts.flatMap((spec) =>
    ['retryStrategy', 'templateDefaults.retryStrategy'].map((rest) => ({
      group: '',
      kinds: ['ConfigMap'],
      anchor: `${spec}.${rest}`,
      needs: ['workflowDefaults'],
      when: isControllerConfig,
      view: isBlock,
    })),
  );
}

/** Helm releases put their name in front; other ConfigMaps are never read as a controller's. */
function isControllerConfig(root: SourceNode): boolean {
  return (textAt(root, 'metadata', 'name') ?? '').endsWith('workflow-controller-configmap');
}

/** The kinds that hold templates, for rules over whole manifests. */
export const workflowKinds = [{ group, kinds: [...workflows, 'CronWorkflow'], needs }];
