import type { Policy, PolicyContext, Rule } from '../../family.ts';
import { field } from '../../field.ts';
import { boolean, goDuration } from '../../format.ts';
import type { Setting } from '../../setting.ts';
import { valueOf } from '../../setting.ts';
import { zero, type Ms } from '../../units.ts';
import {
  backoffOf,
  defaultMaximum,
  defaultMinimum,
  maximumName,
  minimumName,
  serverSideApply,
  type IssuanceBackoff,
} from './backoff.ts';
import { isFlag } from './controllerSites.ts';
import { sources } from './system.ts';

const bounds = {
  min: zero,
  consequence: 'the controller does not start with it (1.20: it does not wait at all)',
  cite: sources.configuration,
} as const;

/** The controller's settings that all issuances share. */
export const controllerFields = {
  certificateRequestMinimumBackoffDuration: field(
    goDuration,
    minimumName,
    'Wait after the first failed issuance of a Certificate',
  )
    .within(bounds)
    .since('1.20.0', 'the controller does not start')
    .defaultsTo(defaultMinimum, sources.defaults),
  certificateRequestMaximumBackoffDuration: field(
    goDuration,
    maximumName,
    'Longest wait between two issuances of a Certificate',
  )
    .within(bounds)
    .since('1.21.0', 'the controller does not start')
    .defaultsTo(defaultMaximum, sources.defaults),
  serverSideApply: field(
    boolean,
    `featureGates.${serverSideApply}`,
    'Whether the controller applies statuses instead of updating them',
  ).defaultsTo(false, sources.serverSideApply),
} as const;

export type ControllerFields = typeof controllerFields;
export type ControllerPolicy = Policy<ControllerFields, undefined>;
export type ControllerContext = PolicyContext<ControllerFields, undefined>;
export type ControllerRule = Rule<ControllerFields, undefined>;

/** A bound as the controller takes it: 0 in the file stands for the default, 0 in a flag for itself. */
export function effective(setting: Setting<Ms>, fallback: Ms): Ms | undefined {
  const value = valueOf(setting);
  if (value !== 0 || setting.from !== 'document') return value;
  return isFlag(setting.at.path) ? value : fallback;
}

/** The back-off that a controller with these settings has. */
export function controllerBackoff({
  settings,
  env,
}: Pick<ControllerPolicy, 'settings' | 'env'>): IssuanceBackoff {
  const gates = new Map(env.gates);
  if (valueOf(settings.serverSideApply) === true) gates.set(serverSideApply, true);
  return backoffOf(
    { ...env, gates },
    effective(settings[minimumName], defaultMinimum),
    effective(settings[maximumName], defaultMaximum),
  );
}
