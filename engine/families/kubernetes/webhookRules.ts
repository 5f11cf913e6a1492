import { formatDuration } from '../../durations/format.ts';
import { fix, insertEntry, replaceText, replaceValue } from '../../edits.ts';
import { defineRule, type PolicyContext, type Rule } from '../../family.ts';
import { scalarOf } from '../../policyRules.ts';
import { valueOf } from '../../setting.ts';
import { child, itemsOf, textAt, type SourceNode } from '../../source.ts';
import { seconds } from '../../units.ts';
import { componentSources as sources } from './componentSources.ts';
import type { WebhookFields } from './webhookFields.ts';

type Context = PolicyContext<WebhookFields>;

// What kubebuilder generates is completed by a kustomization, selectors included.
const scaffolded = 'system';

const usualTimeout = seconds(10);

/** The rules about admission webhooks. */
export const webhookRules: readonly Rule<WebhookFields>[] = [
  defineRule({
    slug: 'webhook-stops-all-pods',
    severity: 'warning',
    summary:
      'A webhook in the cluster that must answer before any pod can be created, its own too.',
    explanation:
      'An admission webhook is called once and not retried. With `failurePolicy: Fail`, every request that its rules match is refused while it does not answer. Where they match the creation of every pod and the webhook runs in the same cluster, its own pods cannot come back after all of them are gone. Leave its namespace out with `namespaceSelector` or `objectSelector`, or let requests pass with `failurePolicy: Ignore`.',
    cite: sources.webhookDispatch,
    *check(context: Context) {
      const { node, tree } = context;
      if (node?.kind !== 'map' || valueOf(context.settings.failurePolicy) !== 'Fail') return;
      const service = child(child(node, 'clientConfig'), 'service');
      if (service?.kind !== 'map' || textAt(service, 'namespace') === scaffolded) return;
      if (isNarrowed(node) || !matchesEveryPod(node)) return;
      const policy = scalarOf(context, 'failurePolicy');
      const edit =
        policy === undefined
          ? insertEntry(tree, node, 'failurePolicy', 'Ignore')
          : replaceText(policy, 'Ignore');
      yield {
        message: `While this webhook does not answer, no pod can be created in the cluster, those of the webhook included: there is no retry and \`failurePolicy\` is Fail${policy === undefined ? ', the default' : ''}. Leave out its own namespace with \`namespaceSelector\``,
        at: context.valueSpanOf('failurePolicy'),
        fixes: fix('Write failurePolicy: Ignore', false, edit),
      };
    },
  }),
  defineRule({
    slug: 'webhook-slows-all-writes',
    severity: 'info',
    summary: 'A webhook that may hold up every write of the cluster for longer than 10s.',
    explanation:
      'A webhook whose rules match all resources of all groups is asked at every write. While it does not answer, each of them waits for `timeoutSeconds`; mutating webhooks wait one after another. Controllers, the kubelet and kubectl wait as long. A few seconds are enough for most webhooks.',
    cite: sources.webhookDispatch,
    *check(context: Context) {
      const timeout = valueOf(context.settings.timeoutSeconds);
      const written = scalarOf(context, 'timeoutSeconds');
      if (written === undefined || timeout === undefined || timeout <= usualTimeout) return;
      if (context.node === undefined || isNarrowed(context.node)) return;
      if (!matchesEveryWrite(context.node)) return;
      yield {
        message: `While this webhook does not answer, every write in the cluster takes ${formatDuration(timeout)} longer: its rules match all resources. Write a shorter \`timeoutSeconds\``,
        at: context.valueSpanOf('timeoutSeconds'),
        fixes: fix('Write 5', false, replaceValue(written, '5')),
      };
    },
  }),
];

/** Whether something beside the rules decides which requests are sent. */
function isNarrowed(webhook: SourceNode): boolean {
  const selectors = ['namespaceSelector', 'objectSelector'].map((key) => child(webhook, key));
  const conditions = child(webhook, 'matchConditions');
  // An empty selector selects all; a text is filled in at run time.
  return [...selectors, conditions].some(
    (node) =>
      node !== undefined &&
      ((node.kind === 'scalar' && node.value !== null) ||
        (node.kind === 'map' && node.children.size > 0) ||
        (node.kind === 'list' && node.items.length > 0)),
  );
}

const matchesEveryPod = (webhook: SourceNode): boolean =>
  itemsOf(child(webhook, 'rules')).some(
    (rule) =>
      has(rule, 'apiGroups', ['*', '']) &&
      has(rule, 'resources', ['*', '*/*', 'pods']) &&
      has(rule, 'operations', ['*', 'CREATE']) &&
      isEveryScope(rule, 'Namespaced'),
  );

const matchesEveryWrite = (webhook: SourceNode): boolean =>
  itemsOf(child(webhook, 'rules')).some(
    (rule) =>
      has(rule, 'apiGroups', ['*']) &&
      has(rule, 'resources', ['*', '*/*']) &&
      (has(rule, 'operations', ['*']) ||
        (has(rule, 'operations', ['CREATE']) && has(rule, 'operations', ['UPDATE']))) &&
      isEveryScope(rule),
  );

const has = (rule: SourceNode, key: string, words: readonly string[]): boolean =>
  itemsOf(child(rule, key)).some((item) => item.kind === 'scalar' && words.includes(item.text));

function isEveryScope(rule: SourceNode, also?: string): boolean {
  const scope = child(rule, 'scope');
  if (scope === undefined) return true;
  return scope.kind === 'scalar' && (scope.text === '*' || scope.text === also);
}
