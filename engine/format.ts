import { formatGatewayDuration, formatIsoDuration, writeGoDuration } from './durations/format.ts';
import { parseGatewayDuration } from './durations/gateway.ts';
import { parseGoDuration } from './durations/go.ts';
import { parseIsoDuration } from './durations/iso.ts';
import type { Parsed } from './durations/parsed.ts';
import { parseSecondsOrGoDuration } from './durations/seconds.ts';
import type { SettingProblem } from './setting.ts';
import { jsonTree } from './jsonTree.ts';
import { toJson, type ScalarNode, type SourceNode } from './source.ts';
import { nanoseconds, seconds, type Ms } from './units.ts';

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: SettingProblem };

/** How a value is written: what the system's decoder accepts, and what it says to the rest. */
export type Format<T> = {
  /** For the reference and the hover: `Go duration, such as "1h30m"`. */
  readonly name: string;
  /** Values to offer in completion, and as examples in the reference. */
  readonly samples: readonly string[];
  /** The only values there are, for enumerations. */
  readonly values?: readonly string[];
  /** Set for cron schedules: an editor can show the next runs. */
  readonly isCron?: true;
  /** Set where a text is kept as it is even when it holds template tags. */
  readonly keepsTags?: true;
  readonly read: (node: SourceNode) => Read<T>;
  /** Writes a value as the manifest would have it, quotes aside. */
  write(value: T): string;
};

const ok = <T>(value: T): Read<T> => ({ ok: true, value });
const problem = (found: SettingProblem): Read<never> => ({ ok: false, problem: found });

const shape = (node: SourceNode): string => {
  if (node.kind !== 'scalar') return node.kind === 'map' ? 'a map' : 'a list';
  if (node.value === null) return 'an empty value';
  return isText(node) ? `the text "${node.text}"` : `the ${typeof node.value} ${node.text}`;
};

const isText = (node: ScalarNode): boolean => typeof node.value === 'string';

const wrongType = (node: SourceNode, wanted: string, extra: Partial<SettingProblem> = {}) =>
  problem({
    code: 'wrong-type',
    message: `${shape(node)} is refused here: ${wanted}`,
    ...extra,
  });

/** Reads a string with a text grammar; anything but a string is refused as the decoder would. */
function textFormat(
  name: string,
  samples: readonly string[],
  parse: (text: string) => Parsed<Ms>,
  quoteHint: (text: string) => string,
  write: (value: Ms) => string = writeGoDuration,
): Format<Ms> {
  return {
    name,
    samples,
    write,
    read: (node) => {
      if (node.kind !== 'scalar' || node.value === null) return wrongType(node, `write a ${name}`);
      if (!isText(node)) {
        const written = quoteHint(node.text);
        return wrongType(node, `the field holds a string, write "${written}"`, {
          suggestion: written,
          style: 'quoted',
          ...guessed(written !== node.text),
        });
      }
      const result = parse(node.text);
      if (result.ok) return ok(result.value);
      const { message, suggestion } = result;
      return problem({
        code: 'bad-duration',
        message: `\`${node.text}\` cannot be read: ${message}`,
        ...(suggestion === undefined ? {} : { suggestion }),
        // A bare number tells no unit: seconds are likely, minutes and hours possible.
        ...guessed(/^[\d.]+$/.test(node.text)),
      });
    },
  };
}

const guessed = (is: boolean): { readonly isGuess?: true } => (is ? { isGuess: true } : {});

export const goDuration = textFormat(
  'Go duration, such as 1h30m',
  ['30s', '5m', '1h'],
  parseGoDuration,
  (text) => `${text}s`,
);

export const secondsOrGoDuration = textFormat(
  'string of whole seconds or a Go duration, such as "30" or 1m30s',
  ['10s', '30s', '5m'],
  parseSecondsOrGoDuration,
  (text) => (/^\d+$/.test(text) ? text : `${text}s`),
);

export const isoDuration = textFormat(
  'ISO-8601 duration, such as PT1M30S',
  ['PT1S', 'PT30S', 'PT5M'],
  parseIsoDuration,
  (text) => `PT${text}S`,
  formatIsoDuration,
);

export const gatewayDuration = textFormat(
  'Gateway API duration, such as 500ms or 1h30m',
  ['100ms', '1s', '10s'],
  parseGatewayDuration,
  (text) => `${text}s`,
  formatGatewayDuration,
);

/** A JSON integer; a quoted number is a type error. */
export const integer: Format<number> = {
  name: 'integer',
  samples: ['1', '3', '5'],
  write: String,
  read: (node) => {
    if (node.kind !== 'scalar') return wrongType(node, 'write a whole number');
    if (isText(node)) {
      return /^-?\d+$/.test(node.text)
        ? wrongType(node, 'the field holds an integer, write it without quotes', {
            suggestion: node.text,
            style: 'plain',
          })
        : wrongType(node, 'write a whole number');
    }
    const value = asInteger(node);
    return value === undefined ? wrongType(node, 'write a whole number') : ok(value);
  },
};

/** A whole number of seconds. */
export const wholeSeconds: Format<Ms> = {
  name: 'integer, in seconds',
  samples: ['60', '300', '3600'],
  write: (value) => String(value / 1000),
  read: (node) => {
    const read = integer.read(node);
    if (read.ok) return ok(seconds(read.value));
    const duration =
      node.kind === 'scalar' && isText(node) ? parseGoDuration(node.text) : undefined;
    if (duration?.ok !== true || duration.value % 1000 !== 0) return read;
    const suggestion = String(duration.value / 1000);
    return problem({
      ...read.problem,
      message: `${shape(node)} is refused here: the field counts seconds, write ${suggestion}`,
      suggestion,
      style: 'plain',
    });
  },
};

/** A whole number of nanoseconds, as some controllers take from their environment. */
export const wholeNanoseconds: Format<Ms> = {
  name: 'integer, in nanoseconds',
  samples: ['1000000', '1000000000'],
  write: (value) => String(Math.round(value * 1e6)),
  read: (node) => {
    if (node.kind !== 'scalar') return wrongType(node, 'write whole nanoseconds');
    if (/^-?\d+$/.test(node.text)) return ok(nanoseconds(BigInt(node.text)));
    const duration = parseGoDuration(node.text);
    if (!duration.ok) return wrongType(node, 'write whole nanoseconds');
    const suggestion = String(Math.round(duration.value * 1e6));
    return wrongType(node, `the value counts nanoseconds, write "${suggestion}"`, { suggestion });
  },
};

/** Kubernetes' IntOrString where only whole numbers make sense: `5` and `"5"`. */
export const integerOrText: Format<number> = {
  name: 'integer, or a string that holds one',
  samples: ['1', '3', '5'],
  write: String,
  read: (node) => {
    if (node.kind !== 'scalar' || node.value === null)
      return wrongType(node, 'write a whole number');
    if (isText(node)) {
      if (/^[+-]?\d+$/.test(node.text)) return ok(Number(node.text));
      return problem({
        code: 'bad-number',
        message: `"${node.text}" is not a whole number: write 1, 2, 3…`,
      });
    }
    const value = asInteger(node);
    if (value !== undefined) return ok(value);
    return wrongType(node, 'write a whole number: 1, 2, 3…');
  },
};

/** A number with a fraction, or a string that holds one, as flags and environments have it. */
export const decimal: Format<number> = {
  name: 'number',
  samples: ['1.5', '2'],
  write: String,
  read: (node) => {
    if (node.kind !== 'scalar' || node.value === null) return wrongType(node, 'write a number');
    const value = Number(node.text);
    return node.text.trim() !== '' && Number.isFinite(value)
      ? ok(value)
      : wrongType(node, 'write a number');
  },
};

export const boolean: Format<boolean> = {
  name: 'true or false',
  samples: ['true', 'false'],
  values: ['true', 'false'],
  write: String,
  read: (node) => {
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return ok(node.value);
    const bare = node.kind === 'scalar' && /^(true|false)$/.test(node.text);
    return wrongType(
      node,
      'write true or false without quotes',
      bare ? { suggestion: node.text, style: 'plain' } : {},
    );
  },
};

export const text: Format<string> = {
  name: 'string',
  samples: [],
  keepsTags: true,
  write: (value) => value,
  read: (node) => {
    if (node.kind === 'scalar' && isText(node)) return ok(node.text);
    return node.kind === 'scalar' && node.value !== null
      ? wrongType(node, `the field holds a string, write "${node.text}"`, {
          suggestion: node.text,
          style: 'quoted',
        })
      : wrongType(node, 'write a string');
  },
};

/** One of a few words. */
export function oneOf<const W extends string>(...words: readonly W[]): Format<W> {
  const list = words.join(', ');
  return {
    name: `one of ${list}`,
    samples: words,
    values: words,
    write: (value) => value,
    read: (node) => {
      if (node.kind !== 'scalar' || node.value === null)
        return wrongType(node, `write one of ${list}`);
      const exact = words.find((word) => word === node.text);
      if (exact !== undefined) return ok(exact);
      const close = nearest(node.text, words);
      return problem({
        code: 'not-allowed',
        message: `\`${node.text}\` is refused: allowed are ${list}`,
        ...(close === undefined ? {} : { suggestion: close }),
      });
    },
  };
}

/** A part of the manifest as it stands, without its places: results outlive the tree and must not hold on to it. */
export const anything: Format<SourceNode> = {
  name: 'object',
  samples: [],
  keepsTags: true,
  write: () => '{}',
  read: (node) => ok(detached(node)),
};

/** The same values in a tree of their own. */
export const detached = (node: SourceNode): SourceNode => jsonTree(toJson(node)).root;

function asInteger(node: ScalarNode): number | undefined {
  if (typeof node.value === 'bigint') return Number(node.value);
  return typeof node.value === 'number' && Number.isInteger(node.value) ? node.value : undefined;
}

/** The word within a third of the letters of what was written, for "did you mean". */
export function nearest(written: string, words: Iterable<string>): string | undefined {
  let best: { readonly word: string; readonly distance: number } | undefined;
  const wanted = fold(written);
  for (const word of words) {
    const folded = fold(word);
    const allowed = Math.max(1, Math.floor(Math.max(written.length, word.length) / 3));
    const most = best === undefined ? allowed : Math.min(allowed, best.distance - 1);
    // Each letter more or less is one step at least: most words are out before any is compared.
    if (Math.abs(folded.length - wanted.length) > most) continue;
    const distance = editDistance(wanted, folded);
    if (distance <= most) best = { word, distance };
  }
  return best?.word;
}

const fold = (word: string): string => word.toLowerCase().replaceAll(/[-_ ]/g, '');

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + same,
        ),
      );
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
