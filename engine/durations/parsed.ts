import type { Span } from '../source.ts';

/** What is wrong with a text, where in it, and what to write instead when that is clear. */
export type TextProblem = {
  readonly message: string;
  /** UTF-16 offsets inside the text that was read. */
  readonly at: Span;
  readonly suggestion?: string;
};

export type Parsed<T> =
  { readonly ok: true; readonly value: T } | ({ readonly ok: false } & TextProblem);

export const parsed = <T>(value: T): Parsed<T> => ({ ok: true, value });

export const refused = (message: string, at: Span, suggestion?: string): Parsed<never> =>
  suggestion === undefined ? { ok: false, message, at } : { ok: false, message, at, suggestion };
