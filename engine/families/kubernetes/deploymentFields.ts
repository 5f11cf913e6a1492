import { field } from '../../field.ts';
import { boolean, integer, wholeSeconds } from '../../format.ts';
import { ms, seconds } from '../../units.ts';
import { componentSources as sources } from './componentSources.ts';
import { countOrPercent } from './countOrPercent.ts';

const refused = { consequence: 'the API server refuses it', cite: sources.workloadValidation };

/** `progressDeadlineSeconds` that means none: the largest int32. */
export const noDeadline = seconds(2_147_483_647);

/** The settings of a Deployment that decide how a rollout goes on and when it counts as failed. */
export const deploymentFields = {
  progressDeadlineSeconds: field(
    wholeSeconds,
    'progressDeadlineSeconds',
    'How long a rollout may go without progress before it counts as failed',
  )
    .beside()
    .within({ ...refused, min: ms(0), max: noDeadline })
    .defaultsTo(seconds(600), sources.workloadDefaults),
  minReadySeconds: field(
    wholeSeconds,
    'minReadySeconds',
    'How long a new pod must be ready before it counts as available',
  )
    .beside()
    .within({ ...refused, min: ms(0) })
    .defaultsTo(ms(0), sources.workloadDefaults),
  maxUnavailable: field(
    countOrPercent,
    'strategy.rollingUpdate.maxUnavailable',
    'How many pods may be missing during a rollout',
  )
    .beside()
    .defaultsTo('25%', sources.workloadDefaults),
  maxSurge: field(
    countOrPercent,
    'strategy.rollingUpdate.maxSurge',
    'How many pods there may be beyond the wanted number during a rollout',
  )
    .beside()
    .defaultsTo('25%', sources.workloadDefaults),
  revisionHistoryLimit: field(
    integer,
    'revisionHistoryLimit',
    'Old ReplicaSets to keep, which a rollback needs',
  )
    .beside()
    .within({ ...refused, min: 0 })
    .defaultsTo(10, sources.workloadDefaults),
  paused: field(boolean, 'paused', 'Whether rollouts are held back')
    .beside()
    .defaultsTo(false, sources.workloadDefaults),
} as const;

export type DeploymentFields = typeof deploymentFields;
