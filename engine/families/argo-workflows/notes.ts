import { formatDuration } from '../../durations/format.ts';
import { explainRetryExpression } from '../../expression/explain.ts';
import type { Note, Policy } from '../../family.ts';
import { bound, type Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { plural } from '../../summary.ts';
import { ms } from '../../units.ts';
import type { Facts } from './facts.ts';
import type { Fields } from './fields.ts';
import { runsPod } from './manifest.ts';
import { effectivePolicy } from './policy.ts';
import { behaviourOf } from './waits.ts';

type Name = keyof Fields;
type Remark = Note<Name>;
type Given = Policy<Fields, Facts>;

/** What the hover says beyond the table. */
export function* notesOf(policy: Given, schedule: Schedule | undefined): Generator<Remark> {
  yield* aboutRuns(policy);
  yield* aboutPolicy(policy);
  yield* aboutWaits(policy);
  yield* aboutWindow(policy, schedule);
  yield* aboutPlace(policy);
}

function* aboutRuns({ settings, facts }: Given): Generator<Remark> {
  const limit = valueOf(settings.limit);
  if (limit !== undefined && limit > 0) {
    yield {
      text: `\`limit\` counts retries: up to ${plural(limit + 1, 'attempt')}, the first run and ${plural(limit, 'retry', 'retries')}`,
      field: 'limit',
    };
  }
  if (facts.body === 'suspend') {
    yield { text: 'A suspend template waits to be resumed and runs nothing that could fail' };
  }
  if (settings.nodeAntiAffinity.from === 'document') {
    const until =
      limit === undefined
        ? 'once every node has failed the next one stays Pending'
        : `with fewer nodes than runs (${String(Math.max(0, limit) + 1)}) the last ones stay Pending`;
    yield { text: `A retry avoids the nodes where earlier runs failed: ${until}` };
  }
}

function* aboutPolicy({ settings, facts, env }: Given): Generator<Remark> {
  const policy = effectivePolicy({ settings, facts });
  const written = valueOf(settings.retryPolicy) ?? undefined;
  const isDefault = written === undefined;
  if (policy === undefined) return;
  yield {
    text: `${isDefault ? `${policy} is the policy where none is written: it` : policy} ${policyMeans[policy]}`,
    field: 'retryPolicy',
  };
  const pattern = env.controllers.get('argo-workflows/TRANSIENT_ERROR_PATTERN');
  if (policy === 'OnTransientError' && pattern !== undefined) {
    yield {
      text: `The controller also takes messages that match \`${pattern}\` for transient`,
      field: 'retryPolicy',
    };
  }
  const expression = valueOf(settings.expression);
  if (expression === undefined || expression === '') return;
  const words = explainRetryExpression(expression);
  const both =
    isDefault && policy === 'Always' ? '' : `, and the policy ${policy} must allow it too`;
  yield {
    text:
      words === undefined
        ? `A retry needs the expression to be true${both}`
        : `A retry follows when: ${words}${both}`,
    field: 'expression',
  };
}

/** What each policy retries, to follow its name. */
export const policyMeans = {
  Always: 'retries every run that ends Failed or Error',
  OnFailure:
    'retries runs that end Failed, such as by an exit code; a pod that is evicted or deleted ends Error and is not retried',
  OnError:
    'retries runs that end Error, such as by a deleted pod; an exit code other than 0 ends Failed and is not retried',
  OnTransientError:
    'retries only runs whose message names a passing fault, such as a timeout or a lost connection',
} as const;

function* aboutWaits({ settings, facts, env }: Given): Generator<Remark> {
  const duration = valueOf(settings.duration) ?? undefined;
  if (duration === undefined) return;
  const behaviour = behaviourOf(env);
  if (behaviour.waitsWhen === 'always') {
    yield {
      text: 'This release waits once more after the last run, before the node fails, and waits without `limit` too',
      field: 'backoff',
    };
  } else if (valueOf(settings.limit) !== undefined) {
    yield { text: 'After the last retry the node fails at once, without a wait', field: 'backoff' };
  }
  yield {
    text: 'A wait counts from the end of the failed run, to the second; policy and expression are looked at after it, so a run that is not retried still sits the wait out',
    field: 'backoff',
  };
  if (behaviour.misreadsQuotedLimit && facts.limitIsText) {
    yield {
      text: 'This release reads a quoted `limit` as 0 here, and does not wait',
      field: 'limit',
    };
  }
}

function* aboutWindow(
  { settings, facts }: Given,
  schedule: Schedule | undefined,
): Generator<Remark> {
  const window = valueOf(settings.maxDuration) ?? undefined;
  const end = schedule === undefined ? undefined : bound(schedule);
  if (window === undefined) return;
  if (end?.kind === 'bounded' && end.retries === undefined && end.lasts.hi < window) {
    yield {
      text: `No wait is taken without \`limit\`, and yet retries end ${formatDuration(end.lasts.hi)} after the first run began: from then on the next wait, ${formatDuration(ms(window - end.lasts.hi))}, would reach beyond \`maxDuration\` of ${formatDuration(window)}`,
      field: 'maxDuration',
    };
  }
  yield {
    text: '`maxDuration` is no cap on one wait: it counts from the start of the first run, run time included',
    field: 'maxDuration',
  };
  if (end?.kind === 'bounded' && end.retries !== undefined && window > end.lasts.hi) {
    const runs = end.retries.hi + 1;
    const left = ms(window - end.lasts.hi);
    yield {
      text: `The waits take ${formatDuration(end.lasts.hi)}, which leaves ${formatDuration(left)} for ${plural(runs, 'run')}${runs === 1 ? '' : `, about ${formatDuration(ms(Math.floor(left / runs / 1000) * 1000))} each`}`,
      field: 'maxDuration',
    };
  }
  if (facts.level !== 'template' || runsPod(facts.body)) {
    yield {
      text: `A retry that still runs ${formatDuration(window)} after the first run began is ended then; the first run is not`,
      field: 'maxDuration',
    };
  }
}

function* aboutPlace({ settings, facts, resource }: Given): Generator<Remark> {
  const hasWindow = settings.maxDuration.from !== 'unset';
  if (facts.isPartial) {
    yield {
      text: 'Only what is written here is counted: what is left out may come from the manifest this is merged with',
    };
  }
  if (facts.inController) {
    yield {
      text: 'The controller merges this into every workflow it runs; what a workflow writes itself wins',
    };
  }
  if (facts.level === 'defaults') {
    yield {
      text: 'Every template takes from here what its own `retryStrategy` leaves out, setting by setting; steps and dag templates too',
    };
  }
  if (facts.level === 'spec') {
    yield {
      text: 'Holds for every template without a `retryStrategy` of its own, steps and dag templates too; nothing is merged',
    };
  }
  if (facts.inherited.length > 0) {
    yield {
      text: `From \`templateDefaults\`: ${facts.inherited.map((name) => `\`${name}\``).join(', ')}`,
    };
  }
  const isShared = facts.level !== 'template' || facts.inherited.length > 0;
  if (isShared && resource.kind.endsWith('WorkflowTemplate')) {
    yield {
      text: "What stands under `spec` here holds for workflows that run this template as a whole (`workflowTemplateRef`); a `templateRef` takes the calling workflow's instead",
    };
  }
  const levels = facts.nesting?.levels.filter(({ runs }) => runs !== 1) ?? [];
  if (facts.nesting !== undefined && levels.length > 1) {
    const { leafRuns } = facts.nesting;
    const chain = levels.map(
      ({ name, runs }) => `\`${name}\` ${runs === 'endless' ? 'without end' : plural(runs, 'run')}`,
    );
    yield {
      text: `Retries of nested templates multiply: ${chain.join(' × ')} = ${leafRuns === 'endless' ? 'no end' : `up to ${plural(leafRuns, 'leaf run')}`}`,
    };
  }
  if (facts.podDeadline !== undefined && facts.level === 'template' && !hasWindow) {
    yield {
      text: `Each run may take ${formatDuration(facts.podDeadline)} by \`activeDeadlineSeconds\``,
      field: 'podDeadline',
    };
  }
  if (facts.workflowDeadline !== undefined) {
    yield {
      text: `The whole workflow ends ${formatDuration(facts.workflowDeadline)} after its start, whatever is left to retry`,
      field: 'workflowDeadline',
    };
  }
}
