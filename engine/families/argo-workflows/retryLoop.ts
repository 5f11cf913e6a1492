import { formatDuration } from '../../durations/format.ts';
import { fix, replaceText } from '../../edits.ts';
import { defineRule, type Rule } from '../../family.ts';
import { field, type Default, type Field } from '../../field.ts';
import { decimal, goDuration, integerOrText } from '../../format.ts';
import { waitBackoffLoop } from '../../goBackoff.ts';
import { scalarOf } from '../../policyRules.ts';
import type { Schedule } from '../../schedule.ts';
import { isWritten, valueOf } from '../../setting.ts';
import type { Ms } from '../../units.ts';
import { variable, variableSources } from './variables.ts';

type Knob<T> = Field<T, Default<T>, 'formula'>;

/** A loop over apimachinery's `wait.Backoff` whose settings are variables. */
export type LoopFields = {
  readonly duration: Knob<Ms>;
  readonly factor: Knob<number>;
  readonly steps: Knob<number>;
};

/** `RETRY_BACKOFF` or `EXECUTOR_RETRY_BACKOFF`, with the defaults of each. */
export function loopFields(
  prefix: string,
  usual: { readonly duration: Ms; readonly factor: number },
): LoopFields {
  const { retry } = variableSources;
  return {
    duration: field(
      variable(goDuration),
      `env.${prefix}_DURATION`,
      'Wait before the first retry',
    ).defaultsTo(usual.duration, retry),
    factor: field(
      variable(decimal),
      `env.${prefix}_FACTOR`,
      'What each wait is multiplied by for the next one',
    ).defaultsTo(usual.factor, retry),
    steps: field(
      variable(integerOrText),
      `env.${prefix}_STEPS`,
      'Attempts in all, the first run among them',
    ).defaultsTo(5, retry),
  };
}

export function loopSchedule(values: {
  readonly duration: Ms;
  readonly factor: number;
  readonly steps: number;
  readonly jitter: number;
}): Schedule<'steps'> {
  return {
    waits: waitBackoffLoop(values).waits,
    stops: [
      {
        kind: 'retries',
        limit: Math.max(0, values.steps - 1),
        then: 'the call fails with its last error',
        origin: { kind: 'field', field: 'steps' },
      },
    ],
    resets: [
      {
        text: 'every call starts at the first wait',
        origin: { kind: 'built-in', name: 'ExponentialBackoff', cite: variableSources.loop },
      },
    ],
    clock: 'after-attempt',
  };
}

/** A loop without steps makes no attempt at all. */
export function noAttemptRule<F extends LoopFields>(
  slug: string,
  prefix: string,
): Rule<F, undefined> {
  return defineRule<F, undefined>({
    slug,
    severity: 'error',
    summary: `\`${prefix}_STEPS\` below 1: the calls are not made at all.`,
    explanation:
      'The number counts attempts, not retries: 1 is a single attempt. Below that the loop ends before the first one, and whatever it was to do fails with a timeout.',
    cite: variableSources.loop,
    *check(context) {
      const setting = context.settings.steps;
      const steps = valueOf(setting);
      if (!isWritten(setting) || typeof steps !== 'number' || steps >= 1) return;
      const node = scalarOf(context, 'steps');
      yield {
        message: `\`${prefix}_STEPS\` counts attempts: with ${String(steps)} the calls are not made at all. Write "1" for no retry`,
        at: context.valueSpanOf('steps'),
        fixes: node === undefined ? [] : fix('Write 1', false, replaceText(node, '1')),
      };
    },
  });
}

/** What one of the loop's fields does to its waits. */
export function loopEffect(
  name: string,
  duration: Ms | undefined,
  factor: number | undefined,
  steps: number | undefined,
): string | undefined {
  if (duration === undefined || factor === undefined || steps === undefined) return undefined;
  switch (name) {
    case 'duration':
      return `The first retry waits ${formatDuration(duration)}`;
    case 'factor':
      return factor === 0 || factor === 1
        ? `Every wait is ${formatDuration(duration)}`
        : `Each wait is ${String(factor)} times the one before`;
    case 'steps':
      return `${String(Math.max(0, steps))} attempts: the first run and ${String(Math.max(0, steps - 1))} retries`;
    default:
      return undefined;
  }
}
