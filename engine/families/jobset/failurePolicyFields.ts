import { field } from '../../field.ts';
import { anything, integer, oneOf } from '../../format.ts';
import { sources } from './system.ts';

/** The settings of a JobSet's failure policy. */
export const failurePolicyFields = {
  maxRestarts: field(integer, 'maxRestarts', 'How often the JobSet may be restarted')
    .within({
      max: 2_147_483_647,
      consequence: 'the API server refuses it',
      cite: sources.types,
    })
    .defaultsTo(0, sources.types),
  restartStrategy: field(
    oneOf('Recreate', 'BlockingRecreate', 'InPlaceRestart'),
    'restartStrategy',
    'How a restart replaces the Jobs',
  )
    .beside()
    .since(
      '0.7.0',
      'the API server drops it, and each Job is created as soon as the old one is gone',
    )
    .defaultsTo('Recreate', sources.types),
  rules: field(
    anything,
    'rules',
    'What to do for which failures; the first rule that matches decides',
  )
    .beside()
    .since('0.6.0', 'the API server drops them, and every failure restarts the JobSet')
    .unset('every failure restarts the JobSet, as far as `maxRestarts` allows'),
} as const;

export type FailurePolicyFields = typeof failurePolicyFields;
