import { valueOf } from '../../setting.ts';
import type { Settings } from '../../family.ts';
import { field } from '../../field.ts';
import { goDuration, integer, wholeSeconds } from '../../format.ts';
import { hours, ms, zero, type Ms } from '../../units.ts';
import type { ApiVersion, Renamed } from './apiVersion.ts';
import { sources } from './system.ts';

const bounds = {
  min: ms(0),
  consequence: 'the API server refuses it',
  cite: sources.controlPlaneTypes,
};

const retry = 'Wait before a machine is remediated that itself replaced an unhealthy one';
const healthy =
  'Time after a remediation from which a failure counts as a new one, and the count restarts';

/** The settings of a control plane's remediation, in the words of v1beta2 and of v1beta1. */
export const remediationFields = {
  maxRetry: field(
    integer,
    'maxRetry',
    'How often the replacement of an unhealthy machine is replaced in turn',
  ).unset('replacements are replaced without end'),
  retryPeriodSeconds: field(wholeSeconds, 'retryPeriodSeconds', retry)
    .beside()
    .within(bounds)
    .defaultsTo(zero, sources.controlPlaneTypes),
  minHealthyPeriodSeconds: field(wholeSeconds, 'minHealthyPeriodSeconds', healthy)
    .beside()
    .within(bounds)
    .defaultsTo(hours(1), sources.controlPlaneTypes),
  retryPeriod: field(goDuration, 'retryPeriod', `${retry} (v1beta1)`)
    .beside()
    .defaultsTo(zero, sources.controlPlaneTypes),
  minHealthyPeriod: field(goDuration, 'minHealthyPeriod', `${healthy} (v1beta1)`)
    .beside()
    .defaultsTo(hours(1), sources.controlPlaneTypes),
} as const;

export type RemediationFields = typeof remediationFields;

export const renamedSettings: readonly Renamed[] = [
  { v1beta1: 'retryPeriod', v1beta2: 'retryPeriodSeconds' },
  { v1beta1: 'minHealthyPeriod', v1beta2: 'minHealthyPeriodSeconds' },
];

export type RemediationPlace = {
  readonly version: ApiVersion | undefined;
  /** The block has the name of the other version: it is dropped with all that is in it. */
  readonly isDropped: boolean;
};

/** What a version calls the block. */
export const blockName = (version: ApiVersion): string =>
  version === 'v1beta1' ? 'remediationStrategy' : 'remediation';

type Periods = { readonly retry: Ms; readonly healthy: Ms };

/** The names of the two periods in a version. */
export const periodNames = (version: ApiVersion | undefined) =>
  version === 'v1beta1'
    ? ({ retry: 'retryPeriod', healthy: 'minHealthyPeriod' } as const)
    : ({ retry: 'retryPeriodSeconds', healthy: 'minHealthyPeriodSeconds' } as const);

/** The two periods as the version reads them; nothing where one of them is not known. */
export function periodsOf(
  settings: Settings<RemediationFields>,
  version: ApiVersion | undefined,
): Periods | undefined {
  const names = periodNames(version);
  const wait = valueOf(settings[names.retry]);
  const quiet = valueOf(settings[names.healthy]);
  if (wait === undefined || quiet === undefined) return undefined;
  return { retry: wait > 0 ? wait : zero, healthy: quiet > 0 ? quiet : zero };
}
