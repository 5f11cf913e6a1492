import { defineRule, type PolicyContext, type Report, type Rule } from '../../family.ts';
import { formatDuration } from '../../durations/format.ts';
import { fix, replaceValue } from '../../edits.ts';
import type { Fix } from '../../finding.ts';
import { child, nodeAt, type SourceNode } from '../../source.ts';
import type { Ms } from '../../units.ts';
import { clusterBeside } from './clusterBeside.ts';
import { defaultDeadline, defaultLockTimeout, fittingLock, type JobsFields } from './jobsFields.ts';
import { secondsAt, type Place } from './place.ts';
import { captfSource } from './system.ts';

type Context = PolicyContext<JobsFields, Place>;

/** Found where one file shows a machine and its cluster. */
export const mergedLockFillsDeadline: Rule<JobsFields, Place> = defineRule({
  slug: 'merged-lock-fills-deadline',
  severity: 'error',
  summary:
    "A machine's or pool's job policy, merged over its cluster's defaults, runs no Job at all.",
  explanation:
    'A machine or pool takes what it does not set from `spec.defaults.jobs` of its TerraformCluster. The webhook sees one policy at a time and accepts both, ' +
    'but when a Job is due the merged lock wait is not below the merged deadline: `ApplyJobSucceeded` turns False with JobPolicyInvalid and no Job runs. ' +
    'It is found where one file holds both objects.',
  cite: captfSource('internal/controllers/shared/effective.go ValidateEffectiveJobPolicy'),
  *check(context) {
    const { role, isTemplate } = context.policy.facts;
    if (isTemplate || (role !== 'machine' && role !== 'pool')) return;
    const cluster = clusterBeside(context);
    if (cluster === undefined) return;
    const lock = merged(context, cluster, 'lockTimeoutSeconds');
    const deadline = merged(context, cluster, 'activeDeadlineSeconds');
    if (lock === undefined || deadline === undefined || lock.value < deadline.value) return;
    // Every other pair is seen, and refused, by the webhook.
    const pair = `${lock.from} ${deadline.from}`;
    if (pair !== 'own cluster' && pair !== 'cluster own') return;
    const own = lock.from === 'own' ? 'lockTimeoutSeconds' : 'activeDeadlineSeconds';
    yield {
      message: `No Job of this ${role} can run (JobPolicyInvalid): the lock wait of ${formatDuration(lock.value)} ${sourceText(lock.from)} is not below the deadline of ${formatDuration(deadline.value)} ${sourceText(deadline.from)}; write both here, the lock wait below the deadline`,
      at: context.valueSpanOf(own),
      related: relatedOf(
        cluster,
        lock.from === 'own' ? 'activeDeadlineSeconds' : 'lockTimeoutSeconds',
      ),
      fixes: fixesOf(context, own, deadline.value),
    };
  },
});

function fixesOf(context: Context, own: keyof JobsFields, deadline: Ms): readonly Fix[] {
  const node = context.nodeOf(own);
  const value = own === 'lockTimeoutSeconds' ? fittingLock(deadline / 1000) : 7200;
  return node === undefined
    ? []
    : fix(`Set ${own} to ${String(value)}`, false, replaceValue(node, String(value)));
}

type Merged = { readonly value: Ms; readonly from: 'own' | 'cluster' | 'built-in' };

function merged(
  context: Context,
  cluster: SourceNode,
  name: 'lockTimeoutSeconds' | 'activeDeadlineSeconds',
): Merged | undefined {
  const setting = context.settings[name];
  if (setting.from === 'document') return { value: setting.value, from: 'own' };
  if (setting.from !== 'default') return undefined;
  const spec = child(cluster, 'spec');
  if (nodeAt(spec, ['defaults', 'jobs', name]) !== undefined) {
    const value = secondsAt(spec, 'defaults', 'jobs', name);
    return value === undefined ? undefined : { value, from: 'cluster' };
  }
  // Newer builds take the cluster's own policy here and older ones do not: nothing certain can be said.
  if (nodeAt(spec, ['jobs', name]) !== undefined) return undefined;
  const builtIn = name === 'lockTimeoutSeconds' ? defaultLockTimeout : defaultDeadline;
  return { value: builtIn.value, from: 'built-in' };
}

const sourceText = (from: Merged['from']): string => {
  switch (from) {
    case 'own':
      return 'set here';
    case 'cluster':
      return "from the cluster's `spec.defaults.jobs`";
    case 'built-in':
      return 'that is built in';
  }
};

function relatedOf(cluster: SourceNode, name: string): NonNullable<Report['related']> {
  const at = nodeAt(cluster, ['spec', 'defaults', 'jobs', name])?.span;
  return at === undefined ? [] : [{ at, message: "The cluster's default" }];
}
