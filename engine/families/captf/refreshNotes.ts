import { formatDuration, formatWindow } from '../../durations/format.ts';
import type { Note, Policy } from '../../family.ts';
import { valueOf } from '../../setting.ts';
import { countedLimit, defaultFailedLimit, pendingMax, spread } from './delays.ts';
import { defaultDriftInterval, type RefreshFields } from './refreshFields.ts';
import type { RefreshPlace } from './refreshPlace.ts';

type RefreshPolicy = Policy<RefreshFields, RefreshPlace>;
type Name = keyof RefreshFields;

export function* refreshNotes({ facts, settings }: RefreshPolicy): Generator<Note<Name>> {
  const { role, isDefaults } = facts;
  yield {
    text: 'These waits are a schedule and count no failure; a refresh that fails waits as any failed Job does',
  };
  yield {
    text: 'Every wait is up to a tenth longer, by an amount that the uid of the object fixes, so that objects created together are not read together',
  };
  yield {
    text:
      role === 'pool'
        ? 'A pool is read every 30s while its health is pending or its members still join, however long that takes'
        : 'The count of pending readings starts anew with another reading or a successful apply, and is lost when `clusterctl move` moves the object',
  };
  if (isDefaults) {
    yield {
      text: `For the ${role === 'pool' ? 'pools' : 'machines and pools'} of this cluster that set nothing themselves, not for the cluster`,
    };
  }
  const drift = valueOf(settings['drift.intervalSeconds']);
  if (drift === 0 && role !== 'pool') {
    yield {
      field: 'drift.intervalSeconds',
      text:
        role === 'machine'
          ? 'Without drift checks the health of a provisioned machine is read no more, unless `annotateMachine` is true'
          : 'Without drift checks the health of a provisioned cluster is read no more',
    };
  } else if (drift !== undefined && drift > 0 && drift < pendingMax.value) {
    yield {
      field: 'drift.intervalSeconds',
      text: `A drift check reads the health too, so with ${formatDuration(drift)} between checks the longer waits are cut short`,
    };
  }
  if (settings['drift.intervalSeconds'].from === 'default') {
    yield {
      field: 'drift.intervalSeconds',
      text: `The ${formatDuration(defaultDriftInterval.value)} are the default of the manager's flag \`--drift-default-interval\``,
    };
  }
}

/** What one field's value does, in one sentence. */
export function refreshEffect(policy: RefreshPolicy, field: Name): string | undefined {
  const { settings, facts } = policy;
  switch (field) {
    case 'membershipRefreshIntervalSeconds': {
      const every = valueOf(settings.membershipRefreshIntervalSeconds);
      if (every === undefined || facts.role !== 'pool') return undefined;
      return `The members are looked up every ${formatWindow(spread(every))}`;
    }
    case 'remediation.annotateMachine': {
      const every = valueOf(settings['remediation.healthCheckIntervalSeconds']);
      if (every === undefined) return undefined;
      return valueOf(settings['remediation.annotateMachine']) === true
        ? `The health of a provisioned machine is read every ${formatWindow(spread(every))}, and an unhealthy one is handed over`
        : 'The health of a provisioned machine is read with the drift checks only';
    }
    case 'remediation.healthCheckIntervalSeconds': {
      const every = valueOf(settings['remediation.healthCheckIntervalSeconds']);
      if (every === undefined) return undefined;
      return valueOf(settings['remediation.annotateMachine']) === true
        ? `The health of a provisioned machine is read every ${formatWindow(spread(every))}, which also cuts longer pending waits short`
        : 'None without `annotateMachine: true`';
    }
    case 'remediation.unhealthyThreshold': {
      const threshold = valueOf(settings['remediation.unhealthyThreshold']);
      return threshold === undefined
        ? undefined
        : `After ${String(threshold)} unhealthy readings in a row the machine is handed over, a terminated one after the first; pending readings do not count`;
    }
    case 'drift.intervalSeconds': {
      const every = valueOf(settings['drift.intervalSeconds']);
      if (every === undefined) return undefined;
      return every === 0
        ? 'Drift is not looked for'
        : `Drift is looked for every ${formatWindow(spread(every))}, and the health is read with it`;
    }
    case 'drift.action': {
      const action = valueOf(settings['drift.action']);
      if (action === undefined || facts.role === 'machine') return undefined;
      const limit = countedLimit(facts.limit ?? defaultFailedLimit.value);
      return action === 'Report'
        ? 'Drift is reported and left alone'
        : `Drift is repaired by an apply; after ${String(limit)} failed ${limit === 1 ? 'repair' : 'repairs'} none runs until a drift check succeeds (\`jobs.failedJobsHistoryLimit\`)`;
    }
  }
}
