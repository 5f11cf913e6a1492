import { formatDuration } from '../../durations/format.ts';
import type { Note, Policy } from '../../family.ts';
import { valueOf } from '../../setting.ts';
import { ms } from '../../units.ts';
import { countedLimit, limitOfGrowth, retryMax } from './delays.ts';
import { fixedRequeuesText } from './fixedRequeues.ts';
import type { JobsFields } from './jobsFields.ts';
import type { Place, Role } from './place.ts';
import { waitsInWords } from './words.ts';

type JobsPolicy = Policy<JobsFields, Place>;
type Name = keyof JobsFields;

/** What hover says beyond the table of waits. */
export function* jobsNotes(policy: JobsPolicy): Generator<Note<Name>> {
  const { role, remediates, cluster } = policy.facts;
  const limit = valueOf(policy.settings.failedJobsHistoryLimit);
  yield { text: inheritance(role, cluster) };
  yield {
    text: 'Each operation counts its own failures, back to its own last success: a failing drift check never delays an apply; no annotation and no new inputs skip a wait',
  };
  yield {
    text: 'Counted is a Job that fails or that its deadline kills, and a plan that cannot be read; a drain, an eviction or a deletion is not, and is made up for at once; an apply that stops before a destructive or a changed plan is not either, and waits for a person',
  };
  yield { text: byReason(role) };
  yield {
    text: 'A failed restore is never retried for the same serial: to try again remove `captf.io/restore-state`, wait until `status.lastRestoredSerial` is gone, and set it again',
  };
  yield { text: fixedRequeuesText() };
  yield {
    field: 'failedJobsHistoryLimit',
    text: 'Interrupted and blocked Jobs take up kept places too and may push a counted failure out: then the next wait is shorter than the table says',
  };
  if (remediates && limit !== undefined) {
    const count = countedLimit(limit);
    const failed = count === 1 ? '1 remediation' : `${String(count)} remediations`;
    yield {
      field: 'failedJobsHistoryLimit',
      text: `With \`drift.action: Remediate\`, ${failed} may fail between two successful drift checks; interrupted ones count here, although they do not lengthen the wait`,
    };
  }
  const deadline = valueOf(policy.settings.activeDeadlineSeconds);
  const lock = valueOf(policy.settings.lockTimeoutSeconds);
  if (deadline !== undefined && lock !== undefined && lock > 0 && lock < deadline) {
    yield {
      field: 'lockTimeoutSeconds',
      text: `The lock wait is part of the deadline: in the worst case ${formatDuration(ms(deadline - lock))} of ${formatDuration(deadline)} are left for the work`,
    };
  }
}

function inheritance(role: Role, cluster: string | undefined): string {
  switch (role) {
    case 'cluster':
      return "These are the Jobs of the TerraformCluster itself: `spec.defaults.jobs` does not apply to them, it is for the cluster's machines and pools";
    case 'machine':
    case 'pool':
      if (cluster !== undefined) {
        return `What the ${role} does not set comes from \`spec.defaults.jobs\` of ${cluster} in this file (newer builds then look at the cluster's own \`spec.jobs\`); the merged pair of lock wait and deadline is only checked when a Job is due, and a bad one stops all Jobs with JobPolicyInvalid`;
      }
      return `What the ${role} does not set comes from \`spec.defaults.jobs\` of its TerraformCluster (newer builds then look at the cluster's own \`spec.jobs\`), which this manifest does not show; the merged pair of lock wait and deadline is only checked when a Job is due, and a bad one stops all Jobs with JobPolicyInvalid`;
    case 'defaults':
      return "For the machines and pools of this cluster, where they set nothing themselves; the TerraformCluster's own Jobs follow `spec.jobs`";
  }
}

function byReason(role: Role): string {
  const apply =
    role === 'machine'
      ? 'an apply is due until the state carries its inputs (NoState, StateWithoutInputsHash)'
      : role === 'defaults'
        ? 'an apply is due until one succeeds'
        : 'an apply is due until one succeeds (LastApplyFailed), even when the inputs are back to the old ones';
  return `What makes it try again: ${apply}, a destroy until it succeeds (Deleting), a plan as long as a change waits, refresh and drift because they are still due; while an apply is due, refresh and drift do not run`;
}

/** What one field's value does to the retries, in one sentence. */
export function jobsEffect(policy: JobsPolicy, field: Name): string | undefined {
  const { settings } = policy;
  switch (field) {
    case 'failedJobsHistoryLimit': {
      const limit = valueOf(settings.failedJobsHistoryLimit);
      return limit === undefined ? undefined : limitEffect(limit);
    }
    case 'activeDeadlineSeconds': {
      const deadline = valueOf(settings.activeDeadlineSeconds);
      if (deadline === undefined) return undefined;
      return `A Job that runs longer than ${formatDuration(deadline)} is killed and counts as a failure, even when it reports that it was interrupted`;
    }
    case 'lockTimeoutSeconds': {
      const lock = valueOf(settings.lockTimeoutSeconds);
      if (lock === undefined) return undefined;
      return lock === 0
        ? 'A Job that finds the state locked fails at once, and counts: the next one waits as after any failure'
        : `A Job waits up to ${formatDuration(lock)} for the state's lock, then fails and counts`;
    }
    case 'successfulJobsHistoryLimit':
      return 'None on the retries: the newest success of an operation is kept in any case, and the count of failures ends there';
  }
}

function limitEffect(limit: number): string {
  const longest = formatDuration(retryMax.value);
  const waits = waitsInWords(limit);
  const from = countedLimit(limit);
  if (limit === 0)
    return `Waits ${waits}: 0 counts as 1, so the first failure is already the limit`;
  if (limit >= limitOfGrowth) return `Waits ${waits}: the waits double until ${longest}`;
  return `Waits ${waits}: the wait jumps to ${longest} after failure ${String(from)}`;
}
