import { field } from '../../field.ts';
import { decimal, integerOrText } from '../../format.ts';
import type { Settings } from '../../family.ts';
import { valueOf } from '../../setting.ts';
import { hours, ms, nanoseconds, seconds, zero, type Ms } from '../../units.ts';
import { countedNanoseconds, flagDuration, knobSources } from './knobs.ts';
import type { QueueLimiter } from './queueWaits.ts';

const keepsDefault = {
  consequence: 'so Argo CD logs a warning and keeps its default',
  cite: knobSources.environment,
};
const theVariable = 'the variable applies';

/** The variables, and the flags that win over them. */
export const workQueueFields = {
  cooldown: field(
    countedNanoseconds,
    'env.WORKQUEUE_FAILURE_COOLDOWN_NS',
    'Time without being queued after which the waits start over; 0 turns their growth off',
  )
    .within({ min: zero, max: hours(24), ...keepsDefault })
    .defaultsTo(zero, knobSources.limiterDefaults),
  baseDelay: field(countedNanoseconds, 'env.WORKQUEUE_BASE_DELAY_NS', 'The first wait')
    .within({ min: nanoseconds(1), max: hours(24), ...keepsDefault })
    .defaultsTo(ms(1), knobSources.limiterDefaults),
  maxDelay: field(countedNanoseconds, 'env.WORKQUEUE_MAX_DELAY_NS', 'The longest wait')
    .within({ min: ms(1), max: hours(24), ...keepsDefault })
    .defaultsTo(seconds(1), knobSources.limiterDefaults),
  factor: field(
    decimal,
    'env.WORKQUEUE_BACKOFF_FACTOR',
    'What each wait is multiplied by for the next one',
  )
    .within({ min: 0, ...keepsDefault })
    .defaultsTo(1.5, knobSources.limiterDefaults),
  bucketQps: field(
    decimal,
    'env.WORKQUEUE_BUCKET_QPS',
    'How many Applications are queued a second, all together',
  )
    .beside()
    .within({ min: 1, ...keepsDefault })
    .unset('no limit for all Applications together'),
  bucketSize: field(
    integerOrText,
    'env.WORKQUEUE_BUCKET_SIZE',
    'How many Applications are queued at once',
  )
    .beside()
    .within({ min: 1, ...keepsDefault })
    .defaultsTo(500, knobSources.limiterDefaults),
  cooldownFlag: field(
    flagDuration,
    'args.wq-cooldown-ns',
    'The flag for the cooldown; wins over the variable',
  ).unset(theVariable),
  baseDelayFlag: field(
    flagDuration,
    'args.wq-basedelay-ns',
    'The flag for the first wait; wins over the variable',
  ).unset(theVariable),
  maxDelayFlag: field(
    flagDuration,
    'args.wq-maxdelay-ns',
    'The flag for the longest wait; wins over the variable',
  ).unset(theVariable),
  factorFlag: field(
    decimal,
    'args.wq-backoff-factor',
    'The flag for the factor; wins over the variable',
  ).unset(theVariable),
  bucketQpsFlag: field(
    decimal,
    'args.wq-bucket-qps',
    'The flag for the rate of all Applications; wins over the variable',
  )
    .beside()
    .unset(theVariable),
  bucketSizeFlag: field(
    integerOrText,
    'args.wq-bucket-size',
    'The flag for the burst of all Applications; wins over the variable',
  )
    .beside()
    .unset(theVariable),
} as const;

export type WorkQueueFields = typeof workQueueFields;
export type WorkQueueField = keyof WorkQueueFields;

/** Which of the two setters of a knob is in force: the flag where it is written. */
export const setters = {
  cooldown: 'cooldownFlag',
  baseDelay: 'baseDelayFlag',
  maxDelay: 'maxDelayFlag',
  factor: 'factorFlag',
  bucketQps: 'bucketQpsFlag',
  bucketSize: 'bucketSizeFlag',
} as const;

export type Knob = keyof typeof setters;

/** The field that decides a knob. */
export const inForce = (settings: Settings<WorkQueueFields>, knob: Knob): WorkQueueField =>
  settings[setters[knob]].from === 'unset' ? knob : setters[knob];

/** The limiter in force, where all of it is known. */
export function limiterIn(settings: Settings<WorkQueueFields>): QueueLimiter | undefined {
  const base = duration(settings, 'baseDelay');
  const max = duration(settings, 'maxDelay');
  const cooldown = duration(settings, 'cooldown');
  const factor = valueOf(
    settings[inForce(settings, 'factor') === 'factor' ? 'factor' : 'factorFlag'],
  );
  if (base === undefined || max === undefined) return undefined;
  if (cooldown === undefined || factor === undefined) return undefined;
  return { base, max, factor, cooldown };
}

/** The bucket in force: off without a rate. */
export function bucketIn(
  settings: Settings<WorkQueueFields>,
): { readonly qps: number; readonly burst: number } | undefined {
  const { bucketQpsFlag, bucketSizeFlag } = settings;
  const qps = valueOf(bucketQpsFlag.from === 'unset' ? settings.bucketQps : bucketQpsFlag);
  const burst = valueOf(bucketSizeFlag.from === 'unset' ? settings.bucketSize : bucketSizeFlag);
  return qps === undefined || burst === undefined ? undefined : { qps, burst };
}

function duration(
  settings: Settings<WorkQueueFields>,
  knob: 'baseDelay' | 'maxDelay' | 'cooldown',
): Ms | undefined {
  const flag = settings[setters[knob]];
  return valueOf(flag.from === 'unset' ? settings[knob] : flag);
}
