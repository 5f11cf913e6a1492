import { fix } from '../../edits.ts';
import type { Report } from '../../family.ts';
import type { Setting } from '../../setting.ts';
import type { SourceTree, Span } from '../../source.ts';

/** Why a 0 in a chart's values does not reach the manifest; the same for every field that takes 0. */
export const zeroDroppedExplanation =
  'In Go templates 0 counts as empty: `{{ with .Values.n }}` and `{{ if .Values.n }}` leave out what they enclose when the value is 0, and `default` replaces it. The line then disappears, and the default of the field applies. `{{ if not (kindIs "invalid" .Values.n) }}` lets 0 through.';

/**
 * A value of a template that stands in a `with` or `if` on the very value it writes.
 *
 * `without` says what applies where the line is missing: `the default 6 applies`.
 */
export function zeroDropped(
  tree: SourceTree,
  key: string,
  setting: Setting<unknown>,
  without: string,
): readonly Report[] {
  const { text } = tree;
  if (setting.from !== 'runtime' || text === undefined) return [];
  const { key: at, span } = setting.at;
  if (at === undefined || span === undefined) return [];
  const replaced = zeroReplaced(text, key, setting.text, at, span);
  if (replaced !== undefined) return [replaced];
  const lineStart = text.lastIndexOf('\n', at.start - 1) + 1;
  const above = text.slice(text.lastIndexOf('\n', lineStart - 2) + 1, lineStart);
  const opening = /\{\{-?\s*(with|if)\s+([\w.$]+)\s*-?\}\}\s*$/.exec(above);
  const [, word = '', expression = ''] = opening ?? [];
  if (opening === null || !expression.includes('.')) return [];
  const written = /^["']?\{\{-?\s*([\w.$]+)\s*(?:\|[^}]*)?-?\}\}["']?$/.exec(setting.text.trim());
  if (written?.[1] !== (word === 'with' ? '.' : expression)) return [];
  const from = lineStart - above.length + opening.index;
  const head = opening[0];
  const test = `if not (kindIs "invalid" ${expression})`;
  const condition = head.replace(`${word} ${expression}`, test);
  const valueAt = text.slice(span.start, span.end);
  const edits = [
    { at: { start: from, end: from + head.length }, text: condition },
    ...(word === 'with'
      ? [{ at: span, text: valueAt.replace(/(\{\{-?\s*)\.(?=[\s|}])/, `$1${expression}`) }]
      : []),
  ];
  return [
    {
      message: `A ${key} of 0 in the values does not arrive: \`${word}\` takes 0 for nothing and leaves this line out, so ${without}. Test with \`kindIs "invalid"\` instead`,
      at,
      fixes: head.includes(`${word} ${expression}`) ? fix('Let 0 through', false, ...edits) : [],
    },
  ];
}

const piped = /^["']?\{\{-?\s*([.$][\w.]+)\s*\|\s*default\s+(\d+)\s*((?:\|[^}]*?)?)\s*-?\}\}["']?$/;
const called = /^["']?\{\{-?\s*default\s+(\d+)\s+([.$][\w.]+)\s*((?:\|[^}]*?)?)\s*-?\}\}["']?$/;

/** A value with a `default` of its own, which replaces a 0 too. */
function zeroReplaced(
  text: string,
  key: string,
  written: string,
  at: Span,
  span: Span,
): Report | undefined {
  const [, fromPipe, byPipe, afterPipe = ''] = piped.exec(written.trim()) ?? [];
  const [, byCall, fromCall, afterCall = ''] = called.exec(written.trim()) ?? [];
  const value = fromPipe ?? fromCall;
  const instead = byPipe ?? byCall;
  if (value === undefined || instead === undefined || Number(instead) === 0) return undefined;
  const rest = (fromPipe === undefined ? afterCall : afterPipe).trim();
  const tail = rest === '' ? '' : ` ${rest}`;
  const mended = text
    .slice(span.start, span.end)
    .replace(
      /(\{\{-?\s*)[^{}]*?(\s*-?\}\})/,
      (_all, open: string, close: string) =>
        `${open}ternary ${instead} ${value} (kindIs "invalid" ${value})${tail}${close}`,
    );
  return {
    message: `A ${key} of 0 in the values does not arrive: \`default\` takes 0 for nothing and writes ${instead} instead. Write \`ternary ${instead} ${value} (kindIs "invalid" ${value})\` to let it through`,
    at,
    fixes: fix('Let 0 through', false, { at: span, text: mended }),
  };
}
