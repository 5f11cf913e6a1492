import { formatDuration, formatWindow } from '../../durations/format.ts';
import { fix, removeEntry, replaceText } from '../../edits.ts';
import {
  defineFamily,
  defineRule,
  type Note,
  type PolicyContext,
  type Rule,
} from '../../family.ts';
import { field } from '../../field.ts';
import { decimal, goDuration, integerOrText } from '../../format.ts';
import { waitBackoffLoop, waitBackoffSteps, type WaitBackoff } from '../../goBackoff.ts';
import { take } from '../../growth.ts';
import { plural } from '../../summary.ts';
import { scalarOf } from '../../policyRules.ts';
import type { Schedule, Stop } from '../../schedule.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { hours, ms, type Ms } from '../../units.ts';
import { namesLimiter } from './configMap.ts';
import { controllerRuntime, sources } from './system.ts';

const waitBackoffFields = {
  duration: field(goDuration, 'duration', 'Wait before the first retry').required(
    'without `duration` there is no wait',
  ),
  factor: field(decimal, 'factor', 'What each wait is multiplied by for the next one').required(
    'without `factor` no wait grows',
  ),
  steps: field(integerOrText, 'steps', 'Attempts in all, the first run among them').required(
    'without `steps` nothing is tried',
  ),
  jitter: field(decimal, 'jitter', 'Share of a wait that chance can add to it').defaultsTo(
    0,
    sources.step,
  ),
  cap: field(goDuration, 'cap', 'Longest wait; the retries end when it is met').unset(
    'waits keep growing',
  ),
} as const;

type Fields = typeof waitBackoffFields;

const rules: readonly Rule<Fields>[] = [
  defineRule({
    slug: 'cap-ends-retries',
    severity: 'info',
    summary: 'The cap is met before the steps are used up, and that ends the retries.',
    explanation:
      '`wait.ExponentialBackoff`, `retry.OnError` and their relatives try while steps are left. The step that meets the cap sets the steps to 0: the loop sleeps once more and ends without another attempt, long before the number of steps that was written. Only code that calls `Step()` itself goes on at the cap. Make the cap larger than the last wait, or leave it out and write the steps that fit the time you have.',
    cite: sources.loop,
    *check(context: PolicyContext<Fields>) {
      const backoff = backoffIn(context.settings);
      if (backoff?.cap === undefined || backoff.cap <= 0) return;
      const loop = waitBackoffLoop(backoff);
      if (!loop.endedByCap) return;
      const { retries } = loop;
      const wanted = backoff.steps - 1;
      const longest = longestAhead(backoff);
      const enough = formatDuration(ms(Math.ceil(longest / 1000) * 1000));
      const node = scalarOf(context, 'cap');
      const fits = wanted <= furthest && longest < day;
      yield {
        message: `Meeting the cap ends the retries: a loop over these steps makes ${plural(retries, 'retry', 'retries')} instead of ${String(wanted)}, sleeps once more and gives up. ${fits ? `Write a cap of at least ${enough}` : 'Raise the cap'}, or leave it out`,
        at: context.valueSpanOf('cap'),
        fixes:
          node === undefined
            ? []
            : [
                ...(fits ? fix(`Write ${enough}`, false, replaceText(node, enough)) : []),
                ...fix('Remove cap', false, removeEntry(context.tree, node)),
              ],
      };
    },
  }),
];

// What more steps than these would need is no cap that anyone writes.
const furthest = 100;
const day = hours(24);

/**
 * The longest wait that a loop makes ready: the one after its last sleep too, which it never sleeps.
 *
 * `Step` works out the next wait before it returns this one, and meeting the cap there ends the steps already.
 */
function longestAhead(backoff: WaitBackoff): Ms {
  const uncapped = waitBackoffSteps({ ...backoff, cap: undefined });
  const [, ...ahead] = take(uncapped, Math.min(backoff.steps, furthest + 1));
  return ms(Math.max(0, ...ahead.map(({ lo }) => lo)));
}

/** `wait.Backoff` of apimachinery, as a program's ConfigMap spells it. */
export const family = defineFamily({
  id: 'controller-runtime/wait-backoff',
  system: controllerRuntime,
  title: 'Retry loop over wait.Backoff',
  summary:
    'Code inside a controller calls something again in a loop, such as `retry.OnError` or `wait.ExponentialBackoff`. It sleeps between the attempts and holds its worker while it does.',
  formula:
    'wait before retry n = duration × factor^(n-1), plus up to jitter × wait; steps attempts in all, the first run among them; meeting the cap ends the loop',
  cite: sources.loop,
  sites: [
    {
      group: '',
      kinds: ['ConfigMap'],
      anchor: 'data',
      when: (root) => namesLimiter(root, ['duration'], ['factor', 'steps']),
      needs: ['steps'],
    },
  ],
  fields: waitBackoffFields,
  schedule: (values): Schedule<keyof Fields> => {
    const backoff: WaitBackoff = values;
    const loop = waitBackoffLoop(backoff);
    const bySteps: Stop<keyof Fields> = {
      kind: 'retries',
      limit: Math.max(0, backoff.steps - 1),
      then: 'the loop ends with a timeout',
      origin: { kind: 'field', field: 'steps' },
    };
    const byCap: Stop<keyof Fields> = {
      kind: 'retries',
      limit: loop.retries,
      then: 'the loop ends with a timeout',
      origin: { kind: 'field', field: 'cap' },
    };
    return {
      waits: loop.waits,
      ...(backoff.cap !== undefined && backoff.cap > 0
        ? { cap: { value: backoff.cap, origin: { kind: 'field', field: 'cap' } } }
        : {}),
      stops: [loop.endedByCap ? byCap : bySteps],
      resets: [
        {
          text: 'every call of the loop starts at the first wait',
          origin: { kind: 'built-in', name: 'ExponentialBackoff', cite: sources.loop },
        },
      ],
      clock: 'after-attempt',
    };
  },
  rules,
  *notes(policy): Generator<Note<keyof Fields>> {
    const backoff = backoffIn(policy.settings);
    if (backoff === undefined) return;
    const byHand = take(waitBackoffSteps(backoff), 8).map(formatWindow).join(', ');
    yield {
      field: 'steps',
      text: `\`steps\` counts attempts: ${String(backoff.steps)} of them are ${plural(Math.max(0, backoff.steps - 1), 'retry', 'retries')}. Code that calls \`Step()\` itself has no such end; it waits ${byHand} …`,
    };
    if (isWritten(policy.settings.jitter) && backoff.jitter > 0) {
      yield {
        field: 'jitter',
        text: 'Jitter only adds, and comes after the cap: a wait may exceed it',
      };
    }
    yield {
      text: 'The loop sleeps inside the reconcile: its worker serves no other object meanwhile',
    };
  },
  examples: [
    {
      name: 'five attempts',
      yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: client-tuning
data:
  duration: 10ms
  factor: "5.0"
  jitter: "0.1"
  steps: "4"
`,
      waits: ['10ms..11ms', '50ms..55ms', '250ms..275ms'],
      ends: 'after 3 retries',
      findings: [],
    },
    {
      name: 'a cap that ends the retries',
      yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: client-tuning
data:
  duration: 1s
  factor: "2"
  steps: "10"
  cap: 5s
`,
      waits: ['1s', '2s'],
      ends: 'after 2 retries',
      findings: ['controller-runtime/cap-ends-retries'],
    },
  ],
});

function backoffIn(settings: PolicyContext<Fields>['settings']): WaitBackoff | undefined {
  const duration = valueOf(settings.duration);
  const factor = valueOf(settings.factor);
  const steps = valueOf(settings.steps);
  const jitter = valueOf(settings.jitter);
  if (duration === undefined || factor === undefined) return undefined;
  if (steps === undefined || jitter === undefined) return undefined;
  return { duration, factor, steps, jitter, cap: valueOf(settings.cap) };
}
