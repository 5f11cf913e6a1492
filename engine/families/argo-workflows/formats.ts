import { parseGoDuration } from '../../durations/go.ts';
import {
  detached,
  integerOrText,
  oneOf,
  secondsOrGoDuration,
  type Format,
  type Read,
} from '../../format.ts';
import type { SettingProblem } from '../../setting.ts';
import type { ScalarNode, SourceNode } from '../../source.ts';
import { longestGoDuration, nanoseconds, type Ms } from '../../units.ts';

/**
 * What the controller does with a text it cannot read: nothing until the first failure, then it gives up.
 *
 * Source: argo-workflows v4.1.2 workflow/controller/operator.go processNodeRetries, its callers' markNodeError.
 */
const nodeError = 'the first failure ends the node in Error and nothing is retried';

/** A `backoff` duration: `"10"`, `10s`, `1m30s`; an empty text is as good as none. */
export const durationOrNone: Format<Ms | null> = {
  ...secondsOrGoDuration,
  read: (node) => (isText(node, '') ? { ok: true, value: null } : readDuration(node)),
  write: (value) => (value === null ? '' : secondsOrGoDuration.write(value)),
};

/** An int32, or a string that holds one. */
export const wholeNumber: Format<number> = {
  ...integerOrText,
  read: (node) => {
    const read = integerOrText.read(node);
    if (read.ok && Math.abs(read.value) > 2_147_483_647) {
      return refuse('out-of-range', `${text(node)} does not fit 32 bits: write a smaller number`);
    }
    if (read.ok || !isScalar(node)) return read;
    if (read.problem.code === 'bad-number') {
      return refuse(
        'bad-number',
        `"${node.text}" is not a whole number, ${nodeError}: write 1, 2, 3…`,
      );
    }
    return /^-?\d+\.\d+$/.test(node.text)
      ? refuse('wrong-type', `${node.text} is refused, only whole numbers are read: write 1, 2, 3…`)
      : read;
  },
};

/**
 * A template's deadline for its pod: an int64, or a string that holds one; no duration.
 *
 * Source: argo-workflows v4.1.2 workflow/controller/workflowpod.go, intstr.Int64 of ActiveDeadlineSeconds.
 */
export const podSeconds: Format<number> = {
  ...wholeNumber,
  read: (node) => {
    const read = wholeNumber.read(node);
    if (read.ok || !isScalar(node) || read.problem.code !== 'bad-number') return read;
    const asDuration = parseGoDuration(node.text);
    const suggestion =
      asDuration.ok && asDuration.value % 1000 === 0 ? String(asDuration.value / 1000) : undefined;
    const example = suggestion ?? '60, 300, 3600…';
    const message = `"${node.text}" is not a whole number of seconds, so no pod can be made: write ${example}`;
    const problem = { code: 'bad-number', message } as const;
    return { ok: false, problem: suggestion === undefined ? problem : { ...problem, suggestion } };
  },
};

/** The words of `retryPolicy`; an empty text is as good as none. */
export const retryPolicies = ['Always', 'OnFailure', 'OnError', 'OnTransientError'] as const;
export type RetryPolicy = (typeof retryPolicies)[number];

const policyWord = oneOf(...retryPolicies);

export const policy: Format<RetryPolicy | null> = {
  ...policyWord,
  read: (node) => (isText(node, '') ? { ok: true, value: null } : policyWord.read(node)),
  write: (value) => value ?? '',
};

/** A map; what a template puts in its place is not known here. */
export const block: Format<SourceNode> = {
  name: 'map',
  samples: [],
  write: () => '{}',
  read: (node) =>
    node.kind === 'map'
      ? { ok: true, value: detached(node) }
      : refuse('wrong-type', `${text(node)} is refused here: write a map of settings below it`),
};

function readDuration(node: SourceNode): Read<Ms> {
  const wrapped = node.kind === 'scalar' ? wrappedSeconds(node) : undefined;
  if (wrapped !== undefined) return { ok: true, value: wrapped };
  const read = secondsOrGoDuration.read(node);
  if (read.ok) {
    return Math.abs(read.value) > longestGoDuration
      ? refuse('bad-duration', `${text(node)} is longer than the controller can count (292 years)`)
      : read;
  }
  if (read.problem.code !== 'bad-duration') return read;
  return { ok: false, problem: { ...read.problem, message: withConsequence(read.problem) } };
}

/**
 * What a bare number of seconds becomes when it fits 64 bits and its nanoseconds do not: `"9223372037"` is negative.
 *
 * Source: argo-workflows v4.1.2 pkg/apis/workflow/v1alpha1/utils.go ParseStringToDuration, which multiplies what
 * strconv.Atoi has read.
 */
export function wrappedSeconds({ value }: ScalarNode): Ms | undefined {
  if (typeof value !== 'string' || !/^[+-]?\d{10,19}$/.test(value)) return undefined;
  const whole = BigInt(value.replace('+', ''));
  const nanos = whole * 1_000_000_000n;
  if (BigInt.asIntN(64, whole) !== whole || BigInt.asIntN(64, nanos) === nanos) return undefined;
  return nanoseconds(BigInt.asIntN(64, nanos));
}

const withConsequence = ({ message }: SettingProblem): string =>
  message.replace('cannot be read:', `cannot be read, ${nodeError}:`);

function refuse(code: SettingProblem['code'], message: string): Read<never> {
  return { ok: false, problem: { code, message } };
}

const isScalar = (node: SourceNode): node is ScalarNode => node.kind === 'scalar';

const isText = (node: SourceNode, wanted: string): boolean =>
  node.kind === 'scalar' && node.value === wanted;

const text = (node: SourceNode): string =>
  node.kind === 'scalar' ? `\`${node.text}\`` : node.kind === 'map' ? 'a map' : 'a list';
