import type { Node } from './ast.ts';
import { report, type Context } from './context.ts';

/** Says why Go would refuse the pattern in `message matches '*OOM*'`; silent when unsure. */
export function checkPattern(context: Context, node: Node): void {
  if (node.kind !== 'literal' || node.type !== 'string' || node.hasTag) return;
  const fault = patternFault(String(node.value));
  if (fault === undefined) return;
  report(context, 'bad-pattern', node.at, `Does not compile: ${fault}`);
}

/** The fault of a regular expression under RE2, the syntax that Go reads. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.includes('\\Q')) return undefined;
  let depth = 0;
  let canRepeat = false;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i] ?? '';
    if (c === '\\') {
      if (i + 1 === pattern.length) return 'the pattern ends with a lone backslash.';
      i++;
      canRepeat = true;
    } else if (c === '[') {
      const end = classEnd(pattern, i);
      if (end === undefined) return 'a `[` in the pattern is never closed.';
      i = end;
      canRepeat = true;
    } else if (c === '(') {
      const look = /^\(\?(<?[=!])/.exec(pattern.slice(i))?.[1];
      if (look !== undefined)
        return `Go patterns cannot look around: \`(?${look}\` is not allowed.`;
      depth++;
      const flags = /^\(\?[a-zA-Z-]*(:|\)|P?<\w*>)/.exec(pattern.slice(i));
      if (flags !== null) i += flags[0].length - 1;
      if (flags?.[1] === ')') depth--;
      canRepeat = false;
    } else if (c === ')') {
      if (depth === 0)
        return 'a `)` in the pattern closes nothing. For the character, write `\\\\)`.';
      depth--;
      canRepeat = true;
    } else if (c === '*' || c === '+' || c === '?') {
      if (!canRepeat) {
        return `\`${c}\` repeats what stands before it, and nothing does. For any text, write \`.*\`.`;
      }
    } else {
      canRepeat = c !== '|';
    }
  }
  return depth > 0 ? 'a `(` in the pattern is never closed.' : undefined;
}

function classEnd(pattern: string, start: number): number | undefined {
  let i = start + 1;
  if (pattern[i] === '^') i++;
  if (pattern[i] === ']') i++;
  while (i < pattern.length) {
    if (pattern[i] === '\\') i += 2;
    else if (pattern.startsWith('[:', i) && pattern.indexOf(':]', i) !== -1) {
      i = pattern.indexOf(':]', i) + 2;
    } else if (pattern[i] === ']') return i;
    else i++;
  }
  return undefined;
}
