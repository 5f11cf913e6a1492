import { isWholeContainer } from '../../containerKnobs.ts';
import { formatDuration } from '../../durations/format.ts';
import { parseGoDuration } from '../../durations/go.ts';
import type { FactsInput } from '../../family.ts';
import type { Format } from '../../format.ts';
import { nodeAt } from '../../source.ts';
import { nanoseconds, seconds, toNanoseconds, type Ms } from '../../units.ts';
import { cite } from './system.ts';

/** Where the application controller's knobs are declared and read. */
export const knobSources = {
  limiter: cite('pkg/ratelimiter/ratelimiter.go ItemExponentialRateLimiterWithAutoReset.When'),
  limiterDefaults: cite('pkg/ratelimiter/ratelimiter.go GetDefaultAppRateLimiterConfig'),
  flags: cite(
    'cmd/argocd-application-controller/commands/argocd_application_controller.go NewCommand',
  ),
  environment: cite('util/env/env.go ParseInt64FromEnv, ParseFloat64FromEnv, ParseNumFromEnv'),
  queues: cite('controller/appcontroller.go NewApplicationController, requestAppRefresh'),
  selfHeal: cite('controller/appcontroller.go selfHealRemainingBackoff, autoSync'),
} as const;

/** What the rules need of the container around the knobs. */
export type KnobFacts = {
  /** Whether a knob that is not written here is not set: false for patches and outside environments. */
  readonly whole: boolean;
};

export const knobFacts = ({ root, anchor }: FactsInput): KnobFacts => ({
  whole: isWholeContainer(nodeAt(root, anchor)),
});

const wholeNanoseconds = (value: Ms): string => String(toNanoseconds(value));

/** A variable that counts nanoseconds; what cannot be read is replaced by the default, with a line in the log. */
export const countedNanoseconds: Format<Ms> = {
  name: 'string of whole nanoseconds',
  samples: ['1000000', '1000000000', '10000000000'],
  write: wholeNanoseconds,
  read: (node) => {
    const text = node.kind === 'scalar' ? node.text : '';
    if (node.kind === 'scalar' && /^[+-]?\d+$/.test(text)) {
      if (typeof node.value === 'string') return { ok: true, value: nanoseconds(BigInt(text)) };
      return {
        ok: false,
        problem: {
          code: 'wrong-type',
          message: `the number ${text} is refused here: a variable is a string, write "${text}"`,
          suggestion: text,
          style: 'quoted',
        },
      };
    }
    const duration = parseGoDuration(text);
    const suggestion = duration.ok ? wholeNanoseconds(duration.value) : undefined;
    return {
      ok: false,
      problem: {
        code: 'bad-number',
        message: `\`${text}\` is no whole number, so Argo CD logs a warning and keeps its default: the value counts nanoseconds${suggestion === undefined ? '' : `, write "${suggestion}"`}`,
        ...(suggestion === undefined ? {} : { suggestion }),
      },
    };
  },
};

/** A flag whose name says `-ns` and that takes a Go duration all the same. */
export const flagDuration: Format<Ms> = {
  name: 'Go duration, such as 10s',
  samples: ['1ms', '1s', '10s'],
  write: formatDuration,
  read: (node) => {
    const text = node.kind === 'scalar' ? node.text : '';
    const duration = parseGoDuration(text);
    if (duration.ok) return { ok: true, value: duration.value };
    const isBare = /^\d+$/.test(text);
    const suggestion = isBare ? formatDuration(nanoseconds(BigInt(text))) : duration.suggestion;
    const because = isBare
      ? `the flag takes a Go duration in spite of its name, write ${suggestion ?? '1s'}`
      : duration.message;
    return {
      ok: false,
      problem: {
        code: 'bad-duration',
        message: `\`${text}\` keeps the controller from starting: ${because}`,
        ...(suggestion === undefined ? {} : { suggestion }),
      },
    };
  },
};

/** A whole number of seconds in a text, as a variable, a flag or a ConfigMap has it. */
export const countedSeconds: Format<Ms> = {
  name: 'string of whole seconds',
  samples: ['2', '60', '300'],
  write: (value) => String(value / 1000),
  read: (node) => {
    const text = node.kind === 'scalar' ? node.text : '';
    if (node.kind === 'scalar' && /^[+-]?\d+$/.test(text)) {
      if (typeof node.value === 'string') return { ok: true, value: seconds(Number(text)) };
      return {
        ok: false,
        problem: {
          code: 'wrong-type',
          message: `the number ${text} is refused here: the value is a string, write "${text}"`,
          suggestion: text,
          style: 'quoted',
        },
      };
    }
    const duration = parseGoDuration(text);
    const fits = duration.ok && duration.value % 1000 === 0;
    const suggestion = fits ? String(duration.value / 1000) : undefined;
    return {
      ok: false,
      problem: {
        code: 'bad-number',
        message: `\`${text}\` is no whole number and is not used: the value counts seconds${suggestion === undefined ? '' : `, write ${suggestion}`}`,
        ...(suggestion === undefined ? {} : { suggestion }),
      },
    };
  },
};
