import { formatDuration } from '../../durations/format.ts';
import { fix, insertEntry, replaceValue } from '../../edits.ts';
import { defineRule, type PolicyContext, type Rule } from '../../family.ts';
import type { Fix } from '../../finding.ts';
import { scalarOf } from '../../policyRules.ts';
import { valueOf } from '../../setting.ts';
import type { Ms } from '../../units.ts';
import { componentSources as sources } from './componentSources.ts';
import { noDeadline, type DeploymentFields } from './deploymentFields.ts';
import { bothNone, cannotMove } from './rolloutRules.ts';
import type { WorkloadPlace } from './workloadPlace.ts';

type Context = PolicyContext<DeploymentFields, WorkloadPlace>;

const rule = (made: Rule<DeploymentFields, WorkloadPlace>): Rule<DeploymentFields, WorkloadPlace> =>
  defineRule(made);

const deadline = 'progressDeadlineSeconds';

/** The deadline that holds: the written one, or the default of a manifest that is whole. */
function deadlineOf({ settings, policy }: Context): Ms | undefined {
  const setting = settings.progressDeadlineSeconds;
  if (setting.from === 'default' && !policy.facts.isWhole) return undefined;
  return valueOf(setting);
}

function write(context: Context, value: number): readonly Fix[] {
  const { node, tree } = context;
  const written = scalarOf(context, deadline);
  const text = String(value);
  const edit =
    written === undefined
      ? node?.kind === 'map'
        ? insertEntry(tree, node, deadline, text)
        : undefined
      : replaceValue(written, text);
  return fix(`Write ${deadline}: ${text}`, false, edit);
}

/** The rules about Deployments. */
export const deploymentRules: readonly Rule<DeploymentFields, WorkloadPlace>[] = [
  rule({
    slug: 'deployment-deadline-below-ready',
    about: ['minReadySeconds', 'progressDeadlineSeconds'],
    severity: 'error',
    summary: 'The progress deadline is not longer than the time a pod must be ready.',
    explanation:
      'A pod counts as available once it has been ready for `minReadySeconds`. A rollout could make no progress within a deadline that is not longer, so the API server refuses the Deployment. The default deadline is 600.',
    cite: sources.workloadValidation,
    *check(context: Context) {
      const ready = valueOf(context.settings.minReadySeconds);
      const limit = deadlineOf(context);
      if (ready === undefined || limit === undefined || limit > ready) return;
      const isDefault = context.settings.progressDeadlineSeconds.from === 'default';
      const wanted = ready / 1000 + 600;
      const isWritable = wanted * 1000 < noDeadline;
      const advice = isWritable ? `Write ${String(wanted)}, say` : 'Lower `minReadySeconds`';
      yield {
        message: `The API server refuses it: \`${deadline}\` (${formatDuration(limit)}${isDefault ? ', the default' : ''}) must be longer than \`minReadySeconds\` (${formatDuration(ready)}). ${advice}`,
        at: context.valueSpanOf(isDefault || !isWritable ? 'minReadySeconds' : deadline),
        fixes: isWritable ? write(context, wanted) : [],
      };
    },
  }),
  rule({
    slug: 'deployment-deadline-below-startup',
    needs: ['startupProbe', 'initialDelaySeconds'],
    severity: 'warning',
    summary: 'A rollout counts as failed while its pods may still be starting.',
    explanation:
      'A rollout makes progress when a pod is created, becomes ready or becomes available, or when an old one is gone. A pod that starts slowly, as its startup probe allows, or whose readiness probe asks late, makes none in the meantime. After the deadline `kubectl rollout status` ends with an error, and pipelines take the rollout for failed, although it goes on.',
    cite: sources.deploymentProgress,
    *check(context: Context) {
      const { startup, firstAsked } = context.policy.facts;
      if (startup === undefined && firstAsked === undefined) return;
      const limit = deadlineOf(context);
      if (limit === undefined || limit <= 0) return;
      const isDefault = context.settings.progressDeadlineSeconds.from === 'default';
      const told = `${formatDuration(limit)}${isDefault ? ', the default,' : ''}`;
      const isLate = firstAsked !== undefined && firstAsked.time >= limit;
      const slow = isLate ? firstAsked : startup;
      if (slow === undefined || slow.time <= limit) return;
      const wanted = slow.time / 1000 + 60;
      const why = isLate
        ? `no pod is ready before its readiness probe asks, ${formatDuration(slow.time)} after the start`
        : `the startup probe of \`${slow.container}\` gives a pod ${formatDuration(slow.time)} to start`;
      yield {
        message: `The rollout counts as failed after ${told} without progress, but ${why}: it can be called failed while all is well. Write \`${deadline}: ${String(wanted)}\` or more`,
        at: isDefault ? (slow.at ?? context.name) : context.valueSpanOf(deadline),
        fixes: write(context, wanted),
      };
    },
  }),
  rule({
    ...cannotMove,
    needs: ['maxUnavailable', 'maxSurge'],
    cite: sources.workloadValidation,
    check: (context: Context) =>
      bothNone(
        context.settings.maxUnavailable,
        context.settings.maxSurge,
        scalarOf(context, 'maxSurge'),
        context.valueSpanOf('maxSurge'),
      ),
  }),
];
