import { formatDuration } from '../../durations/format.ts';
import { parseGoDuration } from '../../durations/go.ts';
import { atLeast, compareVersions, versionOf, type Environment } from '../../environment.ts';
import { constant, waits } from '../../growth.ts';
import type { Origin, Schedule, Waits } from '../../schedule.ts';
import { exactly, hours, ms, toNanoseconds, zero, type Ms } from '../../units.ts';
import { certManager, sources } from './system.ts';

/** The names of the two settings, in the configuration file and in `env.controllers`. */
export const minimumName = 'certificateRequestMinimumBackoffDuration';
export const maximumName = 'certificateRequestMaximumBackoffDuration';

export const defaultMinimum: Ms = hours(1);
export const defaultMaximum: Ms = hours(32);

// 1.20: from the seventh failure on the wait is the built-in 32h, whatever the minimum.
const lastDoubling = 6;

/**
 * How a controller of some version waits after failed issuances.
 *
 * `constant`: 1h each time (up to 1.7). `stepped`: doubling six times, then 32h (1.20). `capped`: doubling up to
 * the maximum (1.8 to 1.19 with fixed bounds, and 1.21 on).
 */
export type IssuanceBackoff = {
  readonly growth: 'constant' | 'stepped' | 'capped';
  readonly min: Ms;
  readonly max: Ms;
};

/** `file`: a configuration file that is not at hand may set it; the default is what to take until then. */
export type BackoffOrigin = 'set' | 'default' | 'built-in' | 'file';

/** The setting, as `env.controllers` names it, that says which configuration file the controller reads. */
export const fileName = 'config';

/** A controller's back-off with where its two bounds were taken from. */
export type KnownBackoff = IssuanceBackoff & {
  readonly minFrom: BackoffOrigin;
  readonly maxFrom: BackoffOrigin;
};

/** The back-off of a version with these bounds; older versions have fixed ones. */
export function backoffOf(
  env: Environment,
  min: Ms = defaultMinimum,
  max: Ms = defaultMaximum,
): IssuanceBackoff {
  if (neverCounts(env)) {
    return {
      growth: 'constant',
      min: atLeast(env, certManager, '1.20.0') ? min : defaultMinimum,
      max,
    };
  }
  if (atLeast(env, certManager, '1.21.0')) return { growth: 'capped', min, max };
  if (atLeast(env, certManager, '1.20.0')) return { growth: 'stepped', min, max: defaultMaximum };
  const growth = atLeast(env, certManager, '1.8.0') ? 'capped' : 'constant';
  return { growth, min: defaultMinimum, max: defaultMaximum };
}

/** With this feature gate the count of failures is never stored, so that each of them looks like the first. */
export const serverSideApply = 'ServerSideApply';

/** Up to 1.21.1; what came after stores the count. */
const neverCounts = (env: Environment): boolean =>
  env.gates.get(serverSideApply) === true &&
  compareVersions(versionOf(env, certManager).version, '1.21.1') <= 0;

/** The back-off in force for Certificates: as the environment says, else the version's defaults. */
export function knownBackoff(env: Environment): KnownBackoff {
  const min = atLeast(env, certManager, '1.20.0') ? controllerSetting(env, minimumName) : undefined;
  const max = atLeast(env, certManager, '1.21.0') ? controllerSetting(env, maximumName) : undefined;
  const open = env.controllers.has(`${certManager.id}/${fileName}`) ? 'file' : 'default';
  const fixed = atLeast(env, certManager, '1.20.0') ? open : 'built-in';
  const fixedMax = atLeast(env, certManager, '1.21.0') ? open : 'built-in';
  return {
    ...backoffOf(env, min, max),
    minFrom: min === undefined ? fixed : 'set',
    maxFrom: max === undefined ? fixedMax : 'set',
  };
}

function controllerSetting(env: Environment, name: string): Ms | undefined {
  const text = env.controllers.get(`${certManager.id}/${name}`);
  const read = text === undefined ? undefined : parseGoDuration(text);
  return read?.ok === true ? read.value : undefined;
}

/**
 * The wait after a number of failed issuances in a row: 1h, 2h, 4h… up to the maximum.
 *
 * `failures` is `status.failedIssuanceAttempts`; missing, 0 and negative counts wait as after the first failure.
 */
export function issuanceWait(backoff: IssuanceBackoff, failures: number | undefined): Ms {
  const { growth, min, max } = backoff;
  if (min <= 0) return zero;
  if (growth === 'constant' || failures === undefined || failures <= 0) return min;
  if (growth === 'stepped') {
    return failures > lastDoubling ? longer(max, min) : ms(min * 2 ** (failures - 1));
  }
  const grown = doubled(min, failures);
  return longer(grown === undefined || grown < min || grown > max ? max : grown, min);
}

const longer = (a: Ms, b: Ms): Ms => (a > b ? a : b);

/** `min·2^(failures-1)` in Go's 64 bits, where it wraps around; nothing where the power itself is too large. */
function doubled(min: Ms, failures: number): Ms | undefined {
  if (failures > 63) return undefined;
  const nanoseconds = BigInt.asIntN(64, toNanoseconds(min) << BigInt(failures - 1));
  return ms(Number(nanoseconds) / 1e6);
}

/** The waits before retry 1, 2, 3… of an issuance that keeps failing. */
export function issuanceWaits(backoff: IssuanceBackoff): Waits {
  const at = (retry: number): Ms => issuanceWait(backoff, retry);
  if (backoff.min <= 0 || backoff.growth === 'constant') return constant(at(1));
  let from = 65;
  const last = at(from);
  while (from > 1 && at(from - 1) === last) from -= 1;
  return waits((retry) => exactly(at(retry)), from);
}

/** The highest wait, where there is one that all later waits keep. */
export function capOf(backoff: IssuanceBackoff): Ms | undefined {
  const { growth, min, max } = backoff;
  if (min <= 0 || growth === 'constant') return undefined;
  if (growth === 'stepped') {
    // The waits before the jump have no ceiling: with a long minimum they exceed the 32h that follow.
    return min * 2 ** (lastDoubling - 1) > max ? undefined : max;
  }
  return longer(max, min);
}

/** The longest of all waits: 1h where none grows, 64h before the jump of 1.20 with a minimum of 2h. */
export const longestWait = (backoff: IssuanceBackoff): Ms =>
  [1, lastDoubling, 65].map((failures) => issuanceWait(backoff, failures)).reduce(longer);

/** The schedule of a back-off; it ends only by success. */
export function issuanceSchedule<Name extends string>(
  backoff: IssuanceBackoff,
  maximum: Origin<Name>,
): Schedule<Name> {
  const cap = capOf(backoff);
  return {
    waits: issuanceWaits(backoff),
    ...(cap === undefined ? {} : { cap: { value: cap, origin: maximum } }),
    stops: [],
    resets: [
      {
        text: 'a successful issuance',
        origin: { kind: 'built-in', name: 'issuance', cite: sources.counting },
      },
    ],
    clock: 'after-attempt',
  };
}

/** Which bounds the numbers assume, and where to say otherwise; one sentence. */
export function describeBounds(backoff: KnownBackoff, env: Environment): string {
  const { growth, min, max, minFrom, maxFrom } = backoff;
  const { version } = versionOf(env, certManager);
  if (minFrom === 'built-in') {
    const upTo = growth === 'constant' ? '' : ` and ${formatDuration(max)}`;
    return `cert-manager ${version} has ${formatDuration(min)}${upTo} built in: neither this resource nor a flag changes them`;
  }
  if (growth === 'constant') {
    return `With the ServerSideApply gate the count of failures is not stored: every wait is the minimum of ${formatDuration(min)}`;
  }
  const source = {
    set: 'as set for the controller',
    default: 'the default',
    'built-in': 'built in',
    file: 'the default, unless its configuration file says otherwise',
  };
  const lower = `a minimum of ${formatDuration(min)} (${source[minFrom]})`;
  const upper = `a maximum of ${formatDuration(max)} (${source[maxFrom]})`;
  const change =
    minFrom === 'set' || maxFrom === 'set'
      ? "The controller's flags or configuration decide"
      : `The controller's flags or configuration (\`${minimumName}\`) can say otherwise`;
  return `These waits assume ${lower} and ${upper}. ${change}, this resource has no setting for them`;
}
