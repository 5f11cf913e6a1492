import { unknown, type LiveBackoff, type LiveInput, type LiveReader } from '../../live.ts';
import { child, itemsOf, nodeAt, textAt, toJson, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';

/** How many machines a health check calls unhealthy, and whether it may have them replaced. */
export const healthCheckLive: LiveReader = {
  reads: [
    {
      group: 'cluster.x-k8s.io',
      version: 'v1beta2',
      kind: 'MachineHealthCheck',
      plural: 'machinehealthchecks',
    },
  ],
  alsoNeeds: [],
  read: (input) => {
    const status = child(input.object, 'status');
    const expected = countAt(status, 'expectedMachines');
    const healthy = countAt(status, 'currentHealthy');
    if (expected === undefined || healthy === undefined) return [];
    return [{ state: stateOf(input, expected, healthy) }];
  },
};

function stateOf({ object, ref }: LiveInput, expected: number, healthy: number): LiveBackoff {
  const seen = ['expectedMachines', 'currentHealthy', 'remediationsAllowed'].flatMap((key) => {
    const node = nodeAt(object, ['status', key]);
    return node === undefined ? [] : [{ object: ref, path: `status.${key}`, value: toJson(node) }];
  });
  const sick = Math.max(0, expected - healthy);
  if (sick === 0) {
    return {
      kind: 'idle',
      because: 'healthy',
      reason: `All ${plural(expected, 'machine')} are healthy`,
      seen,
    };
  }
  const told = `${String(sick)} of ${plural(expected, 'machine')} ${sick === 1 ? 'is' : 'are'} unhealthy`;
  const perMachine = unknown('the check keeps no count of remediations');
  const blocked = [
    ...itemsOf(nodeAt(object, ['status', 'conditions'])),
    ...itemsOf(nodeAt(object, ['status', 'v1beta2', 'conditions'])),
  ].some(
    (one) => textAt(one, 'type') === 'RemediationAllowed' && textAt(one, 'status') === 'False',
  );
  if (blocked) {
    const open = unknown('it ends when enough machines are healthy again');
    return {
      kind: 'waiting',
      retry: perMachine,
      failures: perMachine,
      wait: open,
      lastFailureAt: perMachine,
      next: open,
      capped: open,
      reason: `${told}, more than the check allows: none is remediated until enough of them are healthy again`,
      seen,
    };
  }
  return {
    kind: 'attempting',
    retry: perMachine,
    failures: perMachine,
    reason: `${told} or not yet up; what owns them replaces those that stay unhealthy`,
    seen,
  };
}

function countAt(node: SourceNode | undefined, key: string): number | undefined {
  const found = child(node, key);
  return found?.kind === 'scalar' && typeof found.value === 'number' ? found.value : undefined;
}
