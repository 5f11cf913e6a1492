import type { FactsInput, Settings } from '../../family.ts';
import { valueOf } from '../../setting.ts';
import { child, textAt } from '../../source.ts';
import { ms, seconds, type Ms, type Window } from '../../units.ts';
import { numberAt } from '../../liveFacts.ts';
import { containerRole, podOwner, type ContainerRole, type PodOwner } from './podSites.ts';
import { orDefault, probeDefaults, type ProbeFields } from './probeFields.ts';

export type ProbeKind = 'liveness' | 'readiness' | 'startup';

/** Which probe it is, and what its container and pod say. */
export type ProbePlace = {
  readonly kind: ProbeKind;
  readonly role: ContainerRole;
  readonly owner: PodOwner;
  readonly hasStartupProbe: boolean;
  readonly podGrace: Ms;
  /** What the pod does with a container that a probe had killed. */
  readonly restarts: boolean;
};

export function probePlace({ parents, root, anchor, env }: FactsInput): ProbePlace {
  const [container, , podSpec] = parents;
  const name = String(anchor.at(-1) ?? '');
  const kind =
    name === 'livenessProbe' ? 'liveness' : name === 'readinessProbe' ? 'readiness' : 'startup';
  const own = textAt(container, 'restartPolicy');
  return {
    kind,
    role: containerRole(container, anchor, env),
    owner: podOwner(root),
    hasStartupProbe: child(container, 'startupProbe') !== undefined,
    podGrace: seconds(numberAt(podSpec, 'terminationGracePeriodSeconds') ?? 30),
    restarts: (own ?? textAt(podSpec, 'restartPolicy')) !== 'Never',
  };
}

/** The numbers of a probe that count, zeros replaced; nothing where one of them is not known. */
export type ProbeNumbers = {
  readonly delay: Ms;
  readonly period: Ms;
  readonly timeout: Ms;
  readonly failures: number;
  readonly successes: number;
};

export function probeNumbers(settings: Settings<ProbeFields>): ProbeNumbers | undefined {
  const delay = valueOf(settings.initialDelaySeconds);
  const period = valueOf(settings.periodSeconds);
  const timeout = valueOf(settings.timeoutSeconds);
  const failures = valueOf(settings.failureThreshold);
  const successes = valueOf(settings.successThreshold);
  if (delay === undefined || period === undefined || timeout === undefined) return undefined;
  if (failures === undefined || successes === undefined) return undefined;
  return {
    delay,
    period: orDefault(period, probeDefaults.periodSeconds),
    timeout: orDefault(timeout, probeDefaults.timeoutSeconds),
    failures: orDefault(failures, probeDefaults.failureThreshold),
    successes: orDefault(successes, probeDefaults.successThreshold),
  };
}

/**
 * When a container that never answers well is given up, from its start: 20s to 31s with the defaults.
 *
 * The first probe comes within a period after the delay; the last may take its whole timeout.
 */
export function givenUpAfter({ delay, period, timeout, failures }: ProbeNumbers): Window<Ms> {
  return {
    lo: ms(delay + (failures - 1) * period),
    hi: ms(delay + failures * Math.max(period, timeout) + Math.min(timeout, period)),
  };
}

/** How long it takes to notice that a container that was well no longer is. */
export function noticedAfter({ period, timeout, failures }: ProbeNumbers): Window<Ms> {
  return {
    lo: ms((failures - 1) * period),
    hi: ms(failures * Math.max(period, timeout) + Math.min(timeout, period)),
  };
}
