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

/** A whole number of percent; in annotations it is a text, as everything there. */
export const percentage: Format<number> = {
  ...integer,
  read: (node) => {
    if (node.kind !== 'scalar') return integer.read(node);
    const inAnnotation = node.path.includes('annotations');
    if (inAnnotation && node.style === 'plain' && /^\d+$/.test(node.text)) {
      const message = `the number ${node.text} is refused here: an annotation is text, write "${node.text}"`;
      const problem = { code: 'wrong-type', message, suggestion: node.text } as const;
      return { ok: false, problem: { ...problem, style: 'quoted' } };
    }
    const read = integer.read(node);
    const bare = /^(\d+)\s*%$/.exec(node.text)?.[1];
    if (read.ok || bare === undefined) return read;
    const style = inAnnotation ? 'quoted' : 'plain';
    const message = `the text "${node.text}" is refused here: write ${bare} without the sign`;
    return { ok: false, problem: { code: 'wrong-type', message, suggestion: bare, style } };
  },
};
