import { versionOf, type Environment } from '../../environment.ts';
import { fix, insertEntry, removeEntry, replaceValue } from '../../edits.ts';
import { defineRule, type PolicyContext, type Report, type Rule } from '../../family.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { child, itemsOf, nameSpan, textAt, type SourceNode } from '../../source.ts';
import type { RestartFields } from './restartFields.ts';
import { hasRestartAll, hasRestartRules } from './restartGates.ts';
import type { RestartPlace } from './restartPlace.ts';
import { kubernetes, sources } from './system.ts';

type Context = PolicyContext<RestartFields, RestartPlace>;
type RestartRule = Rule<RestartFields, RestartPlace>;
const rule = (one: RestartRule): RestartRule => defineRule(one);

const version = (env: Environment): string => versionOf(env, kubernetes).version;

const rulesNeedPolicy = rule({
  slug: 'restart-rules-need-policy',
  about: ['restartPolicyRules'],
  severity: 'error',
  summary: 'Restart rules in a container without a restart policy of its own.',
  explanation:
    '`restartPolicyRules` are exceptions from the `restartPolicy` of the same container, which must be written beside them. The API server refuses the pod otherwise.',
  cite: sources.podValidation,
  *check(context) {
    const { settings, node, tree } = context;
    if (settings.restartPolicyRules.from !== 'document' || node?.kind !== 'map') return;
    if (settings.restartPolicy.from !== 'unset' || !context.policy.facts.isWhole) return;
    yield {
      message:
        '`restartPolicyRules` are exceptions from the `restartPolicy` of the same container, and the API server refuses them without one: write it, `Never` for instance',
      at: context.keyOf('restartPolicyRules'),
      fixes: ['Never', 'OnFailure', 'Always'].flatMap((word) => [
        ...fix(
          `Add restartPolicy: ${word}`,
          false,
          insertEntry(tree, node, 'restartPolicy', word, 'name'),
        ),
      ]),
    };
  },
});

const ruleShape = rule({
  slug: 'restart-rule',
  about: ['restartPolicyRules'],
  severity: 'error',
  summary: 'A restart rule that the API server refuses.',
  explanation:
    'A restart rule has an `action` (Restart or RestartAllContainers) and `exitCodes` with an `operator` (In or NotIn) and at most 255 values. A container has at most 20 rules.',
  cite: sources.podValidation,
  *check(context) {
    const rules = context.nodeOf('restartPolicyRules');
    if (rules === undefined) return;
    const items = itemsOf(rules);
    if (items.length > 20) {
      yield {
        message: `${String(items.length)} rules are refused by the API server: a container has at most 20`,
        at: context.keyOf('restartPolicyRules'),
      };
    }
    for (const item of items) if (item.kind === 'map') yield* shapeReports(context, item);
  },
});

function* shapeReports(context: Context, item: SourceNode): Generator<Report> {
  const action = child(item, 'action');
  const at = (action === undefined ? undefined : nameSpan(action)) ?? item.span ?? context.name;
  const word = textAt(item, 'action');
  if (action === undefined && context.policy.facts.isWhole) {
    yield {
      message:
        'A rule without an `action` is refused by the API server: write Restart or RestartAllContainers',
      at: item.span ?? context.name,
      fixes:
        item.kind === 'map'
          ? fix('Add action: Restart', true, insertEntry(context.tree, item, 'action', 'Restart'))
          : [],
    };
  }
  if (word !== undefined && !isRunTimeText(word) && !/^Restart(AllContainers)?$/.test(word)) {
    yield {
      message: `\`${word}\` is no action, so the API server refuses the pod: write Restart or RestartAllContainers`,
      at: action?.span ?? at,
      fixes:
        action === undefined ? [] : fix('Write Restart', false, replaceValue(action, 'Restart')),
    };
  }
  const codes = child(item, 'exitCodes');
  if (codes === undefined) {
    yield {
      message:
        'A rule without `exitCodes` is refused by the API server: name the exit codes that it is for',
      at,
    };
    return;
  }
  const operator = child(codes, 'operator');
  const written = textAt(codes, 'operator');
  if (
    written !== 'In' &&
    written !== 'NotIn' &&
    !(written !== undefined && isRunTimeText(written))
  ) {
    yield {
      message:
        written === undefined
          ? '`exitCodes` need an `operator`, In or NotIn: the API server refuses the pod'
          : `\`${written}\` is no operator, so the API server refuses the pod: write In or NotIn`,
      at: operator?.span ?? nameSpan(codes) ?? at,
    };
  }
  const values = child(codes, 'values');
  if (itemsOf(values).length > 255) {
    yield {
      message: `${String(itemsOf(values).length)} exit codes are refused by the API server: a rule has at most 255`,
      at: (values === undefined ? undefined : nameSpan(values)) ?? at,
    };
  }
}

const ownPolicyGate = rule({
  slug: 'container-restart-policy-version',
  about: ['restartPolicy'],
  severity: 'error',
  summary: 'A restart policy of a single container that this version does not take.',
  explanation:
    'Containers have a `restartPolicy` of their own from 1.35 on (1.34 with the gate ContainerRestartRules). Before, only init containers could have one, and only `Always`, which makes them run beside the others (from 1.29 on).',
  cite: sources.gates,
  *check(context) {
    const { settings, env, policy, node } = context;
    if (settings.restartPolicy.from !== 'document' || hasRestartRules(env)) return;
    const { role } = policy.facts;
    const own = context.nodeOf('restartPolicy');
    const fixes = fix(
      'Remove restartPolicy',
      false,
      own === undefined || node === undefined ? undefined : removeEntry(context.tree, own),
    );
    const at = context.keyOf('restartPolicy');
    const now = version(env);
    if (role === 'init' && settings.restartPolicy.value === 'Always') {
      yield {
        severity: 'warning',
        message: `Kubernetes ${now} does not know init containers that run beside the others: \`restartPolicy\` is dropped, and the pod waits until this container ends`,
        at,
      };
    } else if (role === 'app') {
      yield {
        message: `Kubernetes ${now} refuses a \`restartPolicy\` on a single container, which 1.35 brings: write it for the pod, or remove it`,
        at,
        fixes,
      };
    } else if (role === 'init') {
      yield {
        message: `Kubernetes ${now} refuses any \`restartPolicy\` but \`Always\` on an init container, others come with 1.35: remove it`,
        at,
        fixes,
      };
    }
  },
});

const restartAll = rule({
  slug: 'restart-all-containers-version',
  about: ['restartPolicyRules'],
  severity: 'warning',
  summary: 'RestartAllContainers in a version that does not have it.',
  explanation:
    'The action RestartAllContainers comes with 1.36 (1.35 with the gate RestartAllContainersOnContainerExits). Other versions refuse it.',
  cite: sources.gates,
  *check(context) {
    const { env } = context;
    // Without rules at all the whole field is dropped, and said to be.
    if (hasRestartAll(env) || !hasRestartRules(env)) return;
    for (const item of itemsOf(context.nodeOf('restartPolicyRules'))) {
      const action = child(item, 'action');
      if (action?.span === undefined || textAt(item, 'action') !== 'RestartAllContainers') continue;
      yield {
        message: `Kubernetes ${version(env)} does not have RestartAllContainers, which 1.36 brings: write Restart, which restarts this container alone`,
        at: action.span,
        fixes: fix('Write Restart', false, replaceValue(action, 'Restart')),
      };
    }
  },
});

const sidecarRules = rule({
  slug: 'sidecar-restart-rules',
  about: ['restartPolicyRules'],
  severity: 'error',
  summary: 'Restart rules of a sidecar in a version that takes none.',
  explanation:
    'An init container with `restartPolicy: Always` is restarted whatever its exit code is. It may have rules only where RestartAllContainers is known, from 1.36 on (1.35 with the gate RestartAllContainersOnContainerExits); the API server refuses the pod otherwise.',
  cite: sources.podValidation,
  *check(context) {
    const { env, settings, policy, tree } = context;
    if (policy.facts.role !== 'sidecar' || hasRestartAll(env) || !hasRestartRules(env)) return;
    const node = context.nodeOf('restartPolicyRules');
    if (settings.restartPolicyRules.from !== 'document' || itemsOf(node).length === 0) return;
    yield {
      message: `Kubernetes ${version(env)} refuses rules on a sidecar, which is restarted after every exit code as it is: remove them`,
      at: context.keyOf('restartPolicyRules'),
      fixes:
        node === undefined ? [] : fix('Remove restartPolicyRules', false, removeEntry(tree, node)),
    };
  },
});

const broadRule = rule({
  slug: 'restart-rule-too-broad',
  about: ['restartPolicyRules'],
  severity: 'info',
  summary: 'A restart rule of a Job that meets every failure.',
  explanation:
    'Restarts by a rule happen in the pod, where no `backoffLimit` counts them (with `restartPolicy: Never` for the pod). A rule that meets every exit code restarts a container without end.',
  cite: sources.restartDecision,
  *check(context) {
    const { facts } = context.policy;
    if (facts.owner !== 'job' || context.settings.podRestartPolicy.from === 'default') return;
    if (textAt(context.parents[1], 'restartPolicy') !== 'Never') return;
    for (const item of itemsOf(context.nodeOf('restartPolicyRules'))) {
      const codes = child(item, 'exitCodes');
      const values = child(codes, 'values');
      const isAny = textAt(codes, 'operator') === 'NotIn' && itemsOf(values).every(isZero);
      if (!isAny || textAt(item, 'action') !== 'Restart') continue;
      yield {
        message:
          'This rule restarts the container after every failure, without end: restarts in a pod do not count against the `backoffLimit` of the Job. Name the exit codes that are worth another run',
        at: child(item, 'action')?.span ?? context.keyOf('restartPolicyRules'),
      };
    }
  },
});

const isZero = (item: SourceNode): boolean => item.kind === 'scalar' && item.value === 0;

const alwaysOnly = new Set([
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'ReplicationController',
]);

const workloadPolicy = rule({
  slug: 'workload-restart-policy',
  about: ['podRestartPolicy'],
  severity: 'error',
  summary: 'A pod template whose controller accepts only `Always`.',
  explanation:
    'Deployments, ReplicaSets, StatefulSets, DaemonSets and ReplicationControllers keep pods running, so their templates must have `restartPolicy: Always` or none. The API server refuses anything else; work that ends belongs into a Job.',
  cite: sources.templateValidation,
  *check(context) {
    const { policy, settings } = context;
    if (!alwaysOnly.has(policy.resource.kind)) return;
    if (settings.podRestartPolicy.from !== 'document') return;
    if (settings.podRestartPolicy.value === 'Always') return;
    const node = context.nodeOf('podRestartPolicy');
    yield {
      message: `The API server refuses \`${settings.podRestartPolicy.value}\` in a ${policy.resource.kind}, which keeps its pods running: write \`Always\` or nothing, and use a Job for work that ends`,
      at: context.valueSpanOf('podRestartPolicy'),
      fixes: node === undefined ? [] : fix('Write Always', false, replaceValue(node, 'Always')),
    };
  },
});

/** The rules about restarts of containers. */
export const restartRules: readonly RestartRule[] = [
  rulesNeedPolicy,
  ruleShape,
  ownPolicyGate,
  restartAll,
  sidecarRules,
  broadRule,
  workloadPolicy,
];
