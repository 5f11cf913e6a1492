import { isVersion, versionOf, type Environment } from '../../environment.ts';
import type { FactsInput, Policy, PolicyContext, Rule } from '../../family.ts';
import { field } from '../../field.ts';
import { boolean, goDuration } from '../../format.ts';
import type { Setting } from '../../setting.ts';
import { valueOf } from '../../setting.ts';
import { nodeAt, textAt } from '../../source.ts';
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
import { certManager, sources } from './system.ts';

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

/** The environment of the controller at hand, whose image may tell its version. */
export type ControllerPlace = { readonly env: Environment; readonly tag?: string };
export type ControllerPolicy = Policy<ControllerFields, ControllerPlace>;
export type ControllerContext = PolicyContext<ControllerFields, ControllerPlace>;
export type ControllerRule = Rule<ControllerFields, ControllerPlace>;

/** The tag of the controller's own image, where nobody states another version. */
export function controllerPlace({ root, anchor, env }: FactsInput): ControllerPlace {
  const image = textAt(nodeAt(root, anchor), 'image') ?? '';
  const tag = /(?:^|\/)cert-manager-controller:v?(\d[^@]*)/.exec(image)?.[1];
  if (tag === undefined || !isVersion(tag)) return { env };
  if (versionOf(env, certManager).from === 'stated') return { env };
  return { env: { ...env, versions: new Map([...env.versions, [certManager.id, tag]]) }, tag };
}

/** A bound as the controller takes it: 0 in the file stands for the default, 0 in a flag for itself. */
export function effective(setting: Setting<Ms>, fallback: Ms): Ms | undefined {
  const value = valueOf(setting);
  if (value !== 0 || setting.from !== 'document') return value;
  return isFlag(setting.at.path) ? value : fallback;
}

/** The back-off that a controller with these settings has. */
export function controllerBackoff({
  settings,
  facts: { env },
}: Pick<ControllerPolicy, 'settings' | 'facts'>): IssuanceBackoff {
  const gates = new Map(env.gates);
  if (valueOf(settings.serverSideApply) === true) gates.set(serverSideApply, true);
  return backoffOf(
    { ...env, gates },
    effective(settings[minimumName], defaultMinimum),
    effective(settings[maximumName], defaultMaximum),
  );
}
