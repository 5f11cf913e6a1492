import { goDuration, integer, type Format } from '../../format.ts';
import type { SettingProblem } from '../../setting.ts';
import type { ScalarNode } from '../../source.ts';
import type { Ms } from '../../units.ts';

/** A Go duration of a certificate's life, where hours are the likely unit of a bare number. */
export const lifetime: Format<Ms> = {
  ...goDuration,
  read: (node) => {
    const read = goDuration.read(node);
    if (read.ok || node.kind !== 'scalar') return read;
    const problem = inHours(node) ?? asShare(node);
    return problem === undefined ? read : { ok: false, problem };
  },
};

function inHours(node: ScalarNode): SettingProblem | undefined {
  if (!/^[1-9]\d*$/.test(node.text)) return undefined;
  const suggestion = `${node.text}h`;
  const isText = typeof node.value === 'string';
  const what = isText ? `\`${node.text}\` cannot be read` : `the number ${node.text} is refused`;
  return {
    code: isText ? 'bad-duration' : 'wrong-type',
    message: `${what}: a duration needs its unit, such as ${suggestion}`,
    suggestion,
    isGuess: true,
  };
}

function asShare({ text }: ScalarNode): SettingProblem | undefined {
  if (!/^\d+%$/.test(text)) return undefined;
  return {
    code: 'bad-duration',
    message: `\`${text}\` cannot be read: a share of the lifetime is written as a percentage of its own, ${text.slice(0, -1)} in renewBeforePercentage`,
  };
}

/** A whole number; in annotations it is a text, as everything there. */
export const count: Format<number> = {
  ...integer,
  read: (node) => {
    if (node.kind !== 'scalar' || !isBareAnnotation(node)) return integer.read(node);
    const message = `the number ${node.text} is refused here: an annotation is text, write "${node.text}"`;
    const problem = { code: 'wrong-type', message, suggestion: node.text } as const;
    return { ok: false, problem: { ...problem, style: 'quoted' } };
  },
};

const isAnnotation = ({ path }: ScalarNode): boolean => path.includes('annotations');

const isBareAnnotation = (node: ScalarNode): boolean =>
  isAnnotation(node) && node.style === 'plain' && /^\d+$/.test(node.text);

/** A whole number of percent, which some write with its sign. */
export const percentage: Format<number> = {
  ...count,
  read: (node) => {
    const read = count.read(node);
    if (node.kind !== 'scalar' || read.ok) return read;
    const bare = /^(\d+)\s*%$/.exec(node.text)?.[1];
    if (bare === undefined) return read;
    const style = isAnnotation(node) ? 'quoted' : 'plain';
    const message = `the text "${node.text}" is refused here: write ${bare} without the sign`;
    return { ok: false, problem: { code: 'wrong-type', message, suggestion: bare, style } };
  },
};
