import type { Fix } from '../finding.ts';
import type { Span } from '../source.ts';
import { lex, type SyntaxFailure, type Tag, type Token } from './lexer.ts';
import { misplaced } from './misplaced.ts';

const largestTree = 2000;

/** Walks the words of an expression, and remembers the first thing that went wrong. */
export type Cursor = {
  readonly tags: readonly Tag[];
  readonly current: Token;
  readonly following: Token | undefined;
  readonly failure: SyntaxFailure | undefined;
  readonly isTooLarge: boolean;
  readonly next: () => void;
  readonly is: (text: string) => boolean;
  readonly expect: (text: string) => void;
  /** Fails at the current word, or at one before it. */
  readonly unexpected: (offset?: number) => void;
  /** Keeps the first failure and moves to the end, so that every loop stops. */
  readonly fail: (where: Span, message: string) => void;
  readonly giveUp: () => void;
  /** The span of a part that began at `start` and ends with the word before this one. */
  readonly from: (start: number) => Span;
};

/** Stands on the first word: for `a > 1` on `a`, with `>` following. */
export function openCursor(text: string): Cursor {
  const { tokens, tags, failure: lexFailure } = lex(text);
  const last = tokens.length - 1;
  const end: Token = tokens[last] ?? { kind: 'end', text: '', start: 0, end: 0, hasTag: false };
  let at = 0;
  let current: Token = tokens[0] ?? end;
  let failure: SyntaxFailure | undefined = current.kind === 'end' ? lexFailure : undefined;
  let isTooLarge = false;
  let count = 0;

  return {
    tags,
    get current() {
      return current;
    },
    get following() {
      return tokens[at + 1];
    },
    get failure() {
      return failure;
    },
    get isTooLarge() {
      return isTooLarge;
    },
    next,
    is,
    expect: (operator) => {
      if (is(operator)) next();
      else unexpected();
    },
    unexpected,
    fail,
    giveUp,
    from: (start) => {
      if (++count > largestTree) giveUp();
      return { start, end: Math.max(start, tokens[at - 1]?.end ?? start) };
    },
  };

  function next(): void {
    if (at < last) at++;
    current = tokens[at] ?? end;
    if (current.kind === 'end' && lexFailure !== undefined) failure ??= lexFailure;
  }

  function is(operator: string): boolean {
    return current.text === operator && (current.kind === 'operator' || current.kind === 'bracket');
  }

  function unexpected(offset = 0): void {
    const found = misplaced(text, tokens, at + offset);
    fail(found.at, found.message, found.fixes);
  }

  function fail(where: Span, message: string, fixes: readonly Fix[] = []): void {
    failure ??= { message, at: { start: where.start, end: where.end }, fixes };
    at = last;
    current = end;
  }

  function giveUp(): void {
    isTooLarge = true;
    fail(current, '');
  }
}
