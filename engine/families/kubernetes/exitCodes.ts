import { child, itemsOf, textAt, type SourceNode } from '../../source.ts';

/** The exit codes that restart rules name, all rules of a container together: some, or all but some. */
export type ExitCodes = {
  readonly kind: 'only' | 'except';
  readonly codes: readonly string[];
};

export const noExitCodes: ExitCodes = { kind: 'only', codes: [] };

/** The codes of a container's `restartPolicyRules`. Every action that there is restarts it. */
export const restartingCodes = (container: SourceNode | undefined): ExitCodes =>
  itemsOf(child(container, 'restartPolicyRules')).reduce(
    (all, rule) => union(all, codesOf(rule) ?? noExitCodes),
    noExitCodes,
  );

/** The codes of one rule; nothing where its operator is none. */
export function codesOf(rule: SourceNode): ExitCodes | undefined {
  const block = child(rule, 'exitCodes');
  const codes = itemsOf(child(block, 'values')).flatMap((value) =>
    value.kind === 'scalar' ? [value.text] : [],
  );
  switch (textAt(block, 'operator')) {
    case 'In':
      return { kind: 'only', codes };
    case 'NotIn':
      return { kind: 'except', codes };
    default:
      return undefined;
  }
}

function union(a: ExitCodes, b: ExitCodes): ExitCodes {
  const without = (left: readonly string[], right: readonly string[]): readonly string[] =>
    left.filter((code) => !right.includes(code));
  if (a.kind === 'only') {
    return b.kind === 'only'
      ? { kind: 'only', codes: [...a.codes, ...without(b.codes, a.codes)] }
      : { kind: 'except', codes: without(b.codes, a.codes) };
  }
  return b.kind === 'only'
    ? { kind: 'except', codes: without(a.codes, b.codes) }
    : { kind: 'except', codes: a.codes.filter((code) => b.codes.includes(code)) };
}

export const includesCode = ({ kind, codes }: ExitCodes, code: number): boolean =>
  codes.includes(String(code)) === (kind === 'only');

export const isEmptySet = ({ kind, codes }: ExitCodes): boolean =>
  kind === 'only' && codes.length === 0;

/** `exit code 42`, `exit code 1 or 2`, `any exit code but 42`, `any exit code`. */
export function describeCodes({ kind, codes }: ExitCodes): string {
  const list = inWords(codes);
  if (kind === 'only') return `exit code ${list}`;
  return codes.length === 0 ? 'any exit code' : `any exit code but ${list}`;
}

/** The codes that are not in the set; nothing where it holds them all. */
export function otherCodes({ kind, codes }: ExitCodes): ExitCodes | undefined {
  if (kind === 'only') return { kind: 'except', codes };
  return codes.length === 0 ? undefined : { kind: 'only', codes };
}

const inWords = (codes: readonly string[]): string =>
  codes.length < 2 ? codes.join('') : `${codes.slice(0, -1).join(', ')} or ${codes.at(-1) ?? ''}`;
