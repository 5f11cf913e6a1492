import { formatDuration } from '../../durations/format.ts';
import { fix, renameKey, replaceText } from '../../edits.ts';
import {
  defineFamily,
  defineRule,
  type Note,
  type Policy,
  type PolicyContext,
} from '../../family.ts';
import { constant } from '../../growth.ts';
import { scalarOf } from '../../policyRules.ts';
import type { Schedule } from '../../schedule.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { plural } from '../../summary.ts';
import { hours, zero, type Ms } from '../../units.ts';
import { apiVersionOf, keysOfOther, otherVersion } from './apiVersion.ts';
import {
  blockName,
  periodNames,
  periodsOf,
  remediationFields,
  renamedSettings,
  type RemediationFields,
  type RemediationPlace,
} from './remediationFields.ts';
import { remediationLive } from './remediationLive.ts';
import { clusterApi, sources } from './system.ts';

const group = 'controlplane.cluster.x-k8s.io';

type RemediationPolicy = Policy<RemediationFields, RemediationPlace>;
type Context = PolicyContext<RemediationFields, RemediationPlace>;

/** How often a control plane replaces a machine whose replacement fails again. */
export const family = defineFamily({
  id: 'cluster-api/remediation',
  system: clusterApi,
  title: 'Control plane remediation',
  summary:
    'A KubeadmControlPlane replaces a machine that its health check calls unhealthy, at once. Where the replacement fails too, it is replaced after the retry period, up to `maxRetry` times; once the healthy period has passed since the last remediation, the count restarts.',
  formula:
    'wait before retry n = retryPeriod, always the same; maxRetry retries, so maxRetry + 1 machines are replaced; after minHealthyPeriod without a remediation the count is 0 again',
  cite: sources.controlPlane,
  sites: [
    { group, kinds: ['KubeadmControlPlane'], anchor: 'spec.remediation' },
    { group, kinds: ['KubeadmControlPlane'], anchor: 'spec.remediationStrategy' },
    { group, kinds: ['KubeadmControlPlaneTemplate'], anchor: 'spec.template.spec.remediation' },
    {
      group,
      kinds: ['KubeadmControlPlaneTemplate'],
      anchor: 'spec.template.spec.remediationStrategy',
    },
  ],
  fields: remediationFields,
  closed: { alsoKnown: [] },
  facts: ({ root, anchor }): RemediationPlace => {
    const version = apiVersionOf(root);
    const isDropped = version !== undefined && anchor.at(-1) !== blockName(version);
    return { version, isDropped };
  },
  schedule: ({ maxRetry }, { settings, facts }) =>
    facts.isDropped
      ? remediation(undefined, defaultPeriods)
      : remediation(maxRetry, periodsOf(settings, facts.version) ?? defaultPeriods),
  rules: [
    defineRule({
      slug: 'retry-limit-without-effect',
      severity: 'warning',
      summary:
        'The retry period is not shorter than the healthy period, so retries are never counted.',
      explanation:
        'A failure counts as a retry only within the healthy period after the last remediation. A retry that has to wait as long as that is no retry any more when its time comes: the count starts at 0 again, `maxRetry` is never reached, and the wait is the healthy period.',
      cite: sources.controlPlane,
      *check(context: Context) {
        const { settings, policy } = context;
        const { version, isDropped } = policy.facts;
        const periods = periodsOf(settings, version);
        if (isDropped || periods === undefined || periods.retry < periods.healthy) return;
        const names = periodNames(version);
        const limit = valueOf(settings.maxRetry);
        // Without a limit and without a wait there is nothing to lose.
        if (limit === undefined && !isWritten(settings[names.retry])) return;
        const { retry, healthy } = periods;
        const isDefault = !isWritten(settings[names.healthy]);
        const lost = limit === undefined ? 'A' : `\`maxRetry: ${String(limit)}\` has no effect: a`;
        const node = scalarOf(context, names.retry);
        const shorter = version === 'v1beta1' ? '5m' : '300';
        yield {
          message: `${lost} retry waits ${formatDuration(retry)}, but ${formatDuration(healthy)} after a remediation (\`${names.healthy}\`${isDefault ? ', the default' : ''}) the count restarts, so machines are replaced every ${formatDuration(healthy)} without end. Make \`${names.retry}\` shorter`,
          at: context.valueSpanOf(isWritten(settings[names.retry]) ? names.retry : names.healthy),
          fixes:
            node === undefined || healthy <= 300_000
              ? []
              : fix(`Write ${shorter}`, false, replaceText(node, shorter)),
        };
      },
    }),
    defineRule({
      ...otherVersion,
      cite: sources.controlPlaneTypes,
      *check(context: Context) {
        const { version, isDropped } = context.policy.facts;
        yield* keysOfOther(context, version, renamedSettings);
        const block = context.policy.anchor.at(-1);
        if (version === undefined || !isDropped || context.node === undefined) return;
        const right = blockName(version);
        yield {
          message: `${version} does not know \`${String(block)}\`, so it is dropped and machines are replaced without a wait and without end: write \`${right}\``,
          at: context.name,
          unnecessary: true,
          fixes: fix(`Rename to ${right}`, true, renameKey(context.node, right)),
        };
      },
    }),
  ],
  notes,
  effect: ({ settings, facts }, name) => {
    const periods = periodsOf(settings, facts.version);
    const limit = valueOf(settings.maxRetry);
    if (facts.isDropped) return 'None: the version does not know the block around it';
    if (periods === undefined) return undefined;
    const names = periodNames(facts.version);
    switch (name) {
      case 'maxRetry':
        if (limit === undefined || periods.retry >= periods.healthy) return undefined;
        return `${plural(Math.max(0, limit) + 1, 'machine')} replaced in a row, then none until ${formatDuration(periods.healthy)} after the last one`;
      case names.retry:
        return periods.retry === zero
          ? 'A replacement that fails is replaced at once'
          : `A replacement that fails is replaced ${formatDuration(periods.retry)} after it was made, at the earliest`;
      case names.healthy:
        return `A failure ${formatDuration(periods.healthy)} after the last remediation starts a new count`;
      default:
        return undefined;
    }
  },
  live: remediationLive,
  examples: [
    {
      name: 'three retries, a minute apart',
      yaml: `apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: KubeadmControlPlane
metadata:
  name: prod
spec:
  remediation:
    maxRetry: 3
    retryPeriodSeconds: 60
    minHealthyPeriodSeconds: 3600
`,
      waits: ['1m', '1m', '1m'],
      ends: 'after 3 retries',
      findings: [],
    },
    {
      name: 'a limit that is never reached',
      yaml: `apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: prod
spec:
  remediationStrategy:
    maxRetry: 3
    retryPeriod: 1h
    minHealthyPeriod: 1h
`,
      waits: ['1h', '1h', '1h', '1h'],
      ends: 'never',
      findings: ['cluster-api/retry-limit-without-effect'],
    },
  ],
});

/** Without a word: at once, and counted anew after an hour. */
const defaultPeriods = { retry: zero, healthy: hours(1) } as const;

/** The waits between remediations in a row, and what ends them. */
function remediation(
  maxRetry: number | undefined,
  { retry, healthy }: { readonly retry: Ms; readonly healthy: Ms },
): Schedule<keyof RemediationFields> {
  const isCounted = retry < healthy;
  return {
    waits: constant(isCounted ? retry : healthy),
    stops:
      maxRetry === undefined || !isCounted
        ? []
        : [
            {
              kind: 'retries',
              limit: Math.max(0, maxRetry),
              then: `remediation pauses for ${formatDuration(healthy)}`,
              origin: { kind: 'field', field: 'maxRetry' },
            },
          ],
    resets: [
      {
        text: 'no machine was remediated',
        after: healthy,
        origin: { kind: 'built-in', name: 'minHealthyPeriod', cite: sources.controlPlane },
      },
    ],
    clock: 'fixed-rate',
  };
}

function* notes({ settings, facts }: RemediationPolicy): Generator<Note<keyof RemediationFields>> {
  const periods = periodsOf(settings, facts.version);
  if (
    !facts.isDropped &&
    periods !== undefined &&
    valueOf(settings.maxRetry) !== undefined &&
    periods.retry < periods.healthy
  ) {
    yield {
      text: `The limit is a pause, not an end: ${formatDuration(periods.healthy)} after the last remediation the count restarts, and a machine that is still unhealthy is replaced again`,
    };
  }
  yield {
    text: 'It acts only on machines that a MachineHealthCheck calls unhealthy, one at a time, and only while etcd keeps its quorum',
  };
}
