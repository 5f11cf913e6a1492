import type { Format } from '../../format.ts';

/** A whole number, or a share such as `25%`: what a rolling update may take away or add. */
export const countOrPercent: Format<string> = {
  name: 'integer, or a string such as "25%"',
  samples: ['1', '"25%"'],
  write: (value) => value,
  read: (node) => {
    const wanted = 'write a whole number, or a share such as "25%"';
    if (node.kind !== 'scalar' || node.value === null) {
      return { ok: false, problem: { code: 'wrong-type', message: `this is refused: ${wanted}` } };
    }
    const isCount = typeof node.value === 'number' && Number.isInteger(node.value);
    if (isCount || (typeof node.value === 'string' && /^\d+%$/.test(node.text))) {
      return Number(node.value) < 0
        ? {
            ok: false,
            problem: { code: 'out-of-range', message: `\`${node.text}\` is refused: ${wanted}` },
          }
        : { ok: true, value: node.text };
    }
    const isQuotedCount = /^\d+$/.test(node.text);
    return {
      ok: false,
      problem: {
        code: 'wrong-type',
        message: `"${node.text}" is refused: ${isQuotedCount ? 'write the number without quotes' : wanted}`,
        ...(isQuotedCount ? { suggestion: node.text, style: 'plain' as const } : {}),
      },
    };
  },
};

/** Whether a count or share comes to nothing, whatever the number of pods. */
export const isNone = (value: string | undefined): boolean =>
  value !== undefined && /^0+%?$/.test(value);
