import { formatDuration } from '../../durations/format.ts';
import {
  inferred,
  reported,
  unknown,
  type Evidence,
  type Known,
  type LiveInput,
  type LiveReader,
  type LiveState,
  type ResourceRef,
  type ResourceType,
} from '../../live.ts';
import { evidenceAt } from '../../liveFacts.ts';
import { parseGoDuration } from '../../durations/go.ts';
import { child, itemsOf, nodeAt, textAt, type SourceNode } from '../../source.ts';
import {
  after,
  exactly,
  formatInstant,
  hours,
  instant,
  parseInstant,
  seconds,
  zero,
  type Instant,
  type Ms,
} from '../../units.ts';

const machines: ResourceType = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'Machine',
  plural: 'machines',
};

/** Machines of a control plane that wait for their remediation, or get none any more. */
export const remediationLive: LiveReader = {
  reads: [
    {
      group: 'controlplane.cluster.x-k8s.io',
      version: 'v1beta2',
      kind: 'KubeadmControlPlane',
      plural: 'kubeadmcontrolplanes',
    },
  ],
  alsoNeeds: [machines],
  read: (input) => {
    if (child(input.object, 'status') === undefined) return [];
    const held = [...input.view.related(input.ref, machines)].flatMap((machine) =>
      heldBack(input, machine),
    );
    return held.length > 0 ? held : [{ state: planeState(input) }];
  },
};

/** The control plane as a whole, where no machine is held back. */
function planeState({ object, ref }: LiveInput): LiveState['state'] {
  const last = nodeAt(object, ['status', 'lastRemediation']);
  const seen = last === undefined ? [] : evidenceAt(ref, object, ['status', 'lastRemediation']);
  const remediating = itemsOf(nodeAt(object, ['status', 'conditions'])).find(
    (one) => textAt(one, 'type') === 'Remediating' && textAt(one, 'status') === 'True',
  );
  const count = numberAt(last, 'retryCount');
  if (remediating !== undefined) {
    return {
      kind: 'attempting',
      retry: count === undefined ? unknown('the status has no count') : reported(count),
      failures:
        count === undefined
          ? unknown('the status has no count')
          : inferred(count + 1, '`status.lastRemediation.retryCount`'),
      reason: 'An unhealthy machine is being replaced',
      seen,
    };
  }
  const time = timeIn(last);
  const machine = textAt(last, 'machine');
  return {
    kind: 'idle',
    because: 'healthy',
    reason:
      time === undefined
        ? 'No machine has been remediated'
        : `No machine waits for remediation; the last one${machine === undefined ? '' : `, ${machine},`} was remediated at ${formatInstant(time)}`,
    seen,
  };
}

/** A machine whose remediation is put off, or refused. */
function heldBack(input: LiveInput, machine: SourceNode): readonly LiveState[] {
  const list = [
    ...itemsOf(nodeAt(machine, ['status', 'conditions'])),
    ...itemsOf(nodeAt(machine, ['status', 'v1beta2', 'conditions'])),
  ];
  const condition = list.find(
    (one) =>
      textAt(one, 'type') === 'OwnerRemediated' &&
      textAt(one, 'status') === 'False' &&
      /\((?:MaxRetry|RetryPeriod(?:Seconds)?)\)/.test(textAt(one, 'message') ?? ''),
  );
  if (condition === undefined) return [];
  const message = textAt(condition, 'message') ?? '';
  const name = textAt(machine, 'metadata', 'name');
  const object: ResourceRef = {
    apiVersion: textAt(machine, 'apiVersion') ?? 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    ...(input.ref.namespace === undefined ? {} : { namespace: input.ref.namespace }),
    ...(name === undefined ? {} : { name }),
  };
  const last = lastOf(input, machine);
  const { count, time } = last;
  const { retry, healthy } = periodsIn(input.object);
  const seen = [
    ...evidenceAt(object, machine, [...condition.path, 'reason']),
    ...evidenceAt(object, machine, [...condition.path, 'message']),
    ...last.seen,
  ];
  const part = name === undefined ? {} : { part: name };
  const failures: Known<number> =
    count === undefined ? unknown('no count is kept') : inferred(count + 1, 'the count of retries');
  if (message.includes('(MaxRetry)')) {
    const limit = numberAt(specOf(input.object), 'maxRetry') ?? count ?? 0;
    const until = time === undefined ? '' : `, that is ${formatInstant(after(time, healthy))}`;
    const since = parseInstant(textAt(condition, 'lastTransitionTime'));
    return [
      {
        ...part,
        state: {
          kind: 'gave-up',
          by: reported({
            kind: 'retries',
            limit,
            then: 'no machine is remediated',
            origin: { kind: 'field', field: 'maxRetry' },
          }),
          at: since === undefined ? unknown('the condition has no time') : reported(since),
          failures,
          reason: `It was replaced as often as \`maxRetry\` allows; it is remediated again ${formatDuration(healthy)} after the last remediation${until}, when the count restarts`,
          seen,
        },
      },
    ];
  }
  const next = time === undefined ? undefined : after(time, retry < healthy ? retry : healthy);
  return [
    {
      ...part,
      state: {
        kind: 'waiting',
        retry:
          count === undefined
            ? unknown('no count is kept')
            : inferred(count + 1, 'the count of retries'),
        failures,
        wait: inferred(
          exactly(retry < healthy ? retry : healthy),
          'the periods in the `spec` of the control plane',
        ),
        lastFailureAt: unknown('only the time of the last remediation is kept'),
        next:
          next === undefined
            ? unknown('the last remediation has no time')
            : inferred(
                { lo: next, hi: instant(next + 1000) },
                'the last remediation and the retry period',
              ),
        capped: unknown('the wait does not grow'),
        reason: `It replaced an unhealthy machine and is unhealthy itself; its turn comes after the retry period, and ${formatDuration(healthy)} since the last remediation reset the count`,
        seen,
      },
    },
  ];
}

type Last = {
  readonly count: number | undefined;
  readonly time: Instant | undefined;
  readonly seen: readonly Evidence[];
};

/** What the machine's own annotation says of the remediation that made it, or else the control plane. */
function lastOf({ object, ref }: LiveInput, machine: SourceNode): Last {
  const annotation = textAt(
    machine,
    'metadata',
    'annotations',
    'controlplane.cluster.x-k8s.io/remediation-for',
  );
  const count = /"retryCount":\s*(\d+)/.exec(annotation ?? '')?.[1];
  const time = parseInstant(/"timestamp":\s*"([^"]+)"/.exec(annotation ?? '')?.[1]);
  if (time !== undefined) {
    return { count: count === undefined ? undefined : Number(count), time, seen: [] };
  }
  const last = nodeAt(object, ['status', 'lastRemediation']);
  return {
    count: numberAt(last, 'retryCount'),
    time: timeIn(last),
    seen: evidenceAt(ref, object, ['status', 'lastRemediation']),
  };
}

const timeIn = (last: SourceNode | undefined): Instant | undefined =>
  parseInstant(textAt(last, 'time') ?? textAt(last, 'timestamp'));

const specOf = (object: SourceNode): SourceNode | undefined =>
  nodeAt(object, ['spec', 'remediation']) ?? nodeAt(object, ['spec', 'remediationStrategy']);

function periodsIn(object: SourceNode): { readonly retry: Ms; readonly healthy: Ms } {
  const spec = specOf(object);
  return {
    retry: periodIn(spec, 'retryPeriodSeconds', 'retryPeriod') ?? zero,
    healthy: periodIn(spec, 'minHealthyPeriodSeconds', 'minHealthyPeriod') ?? hours(1),
  };
}

function periodIn(spec: SourceNode | undefined, whole: string, text: string): Ms | undefined {
  const count = numberAt(spec, whole);
  if (count !== undefined) return seconds(count);
  const read = parseGoDuration(textAt(spec, text) ?? '');
  return read.ok ? read.value : undefined;
}

function numberAt(node: SourceNode | undefined, key: string): number | undefined {
  const found = child(node, key);
  return found?.kind === 'scalar' && typeof found.value === 'number' ? found.value : undefined;
}
