import { child, itemsOf, nameSpan, textAt, type SourceNode, type Span } from '../../source.ts';
import { seconds, type Ms } from '../../units.ts';
import { numberAt } from '../../liveFacts.ts';

/** What the pod template of a workload says about the time until a pod is ready. */
export type WorkloadPlace = {
  /** Set where the manifest is more than a patch: what it does not write is really absent. */
  readonly isWhole: boolean;
  /** The longest time that a container is given to start, as its startup probe says. */
  readonly startup?: Allowance;
  /** The longest time before a readiness probe asks at all. */
  readonly firstAsked?: Allowance;
};

export type Allowance = {
  readonly container: string;
  readonly time: Ms;
  /** The probe's key. */
  readonly at?: Span;
};

/** Reads the template below the `spec` of a workload; cheap where no probe is written. */
export function workloadPlace({ node }: { readonly node: SourceNode | undefined }): WorkloadPlace {
  const podSpec = child(child(node, 'template'), 'spec');
  const containers = itemsOf(child(podSpec, 'containers'));
  let isWhole = false;
  let startup: Allowance | undefined;
  let firstAsked: Allowance | undefined;
  for (const container of containers) {
    const name = textAt(container, 'name');
    if (name === undefined) continue;
    isWhole ||= child(container, 'image') !== undefined;
    const start = allowed(name, child(container, 'startupProbe'), startupTime);
    const ready = allowed(name, child(container, 'readinessProbe'), firstProbe);
    startup = longer(startup, start);
    firstAsked = longer(firstAsked, ready);
  }
  return {
    isWhole,
    ...(startup === undefined ? {} : { startup }),
    ...(firstAsked === undefined ? {} : { firstAsked }),
  };
}

function allowed(
  container: string,
  probe: SourceNode | undefined,
  timeOf: (probe: SourceNode) => Ms | undefined,
): Allowance | undefined {
  if (probe === undefined) return undefined;
  const time = timeOf(probe);
  if (time === undefined) return undefined;
  const at = nameSpan(probe);
  return { container, time, ...(at === undefined ? {} : { at }) };
}

/** `initialDelaySeconds` and `failureThreshold` periods; nothing where one of them is not known. */
function startupTime(probe: SourceNode): Ms | undefined {
  const delay = numberOr(probe, 'initialDelaySeconds', 0);
  const period = numberOr(probe, 'periodSeconds', 10);
  const failures = numberOr(probe, 'failureThreshold', 3);
  if (delay === undefined || period === undefined || failures === undefined) return undefined;
  // A period or threshold of 0 becomes the default.
  return seconds(delay + (period === 0 ? 10 : period) * (failures === 0 ? 3 : failures));
}

const firstProbe = (probe: SourceNode): Ms | undefined => {
  const delay = numberOr(probe, 'initialDelaySeconds', 0);
  return delay === undefined ? undefined : seconds(delay);
};

function numberOr(probe: SourceNode, key: string, fallback: number): number | undefined {
  return child(probe, key) === undefined ? fallback : numberAt(probe, key);
}

const longer = (a: Allowance | undefined, b: Allowance | undefined): Allowance | undefined =>
  a === undefined || (b !== undefined && b.time > a.time) ? b : a;
