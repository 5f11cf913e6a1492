import type { Citation } from './citation.ts';
import type { Span } from './source.ts';

export type Severity = 'error' | 'warning' | 'info' | 'hint';

export const severities: readonly Severity[] = ['error', 'warning', 'info', 'hint'];

/** `system/slug`, or `policy/slug` for what holds in every family. Also the anchor in the reference. */
export type Code = `${string}/${string}`;

/** Replaces the text in a span; an empty span inserts. */
export type Edit = { readonly at: Span; readonly text: string };

export type Fix = {
  readonly title: string;
  /** True where this is the one right answer: `--fix` and "fix all" apply it. */
  readonly preferred: boolean;
  readonly edits: readonly Edit[];
};

export type Related = { readonly at: Span; readonly message: string };

/** Something a policy does that its author does not seem to mean. */
export type Finding = {
  readonly code: Code;
  readonly severity: Severity;
  /** What will happen, then what to change, with the reader's own numbers. */
  readonly message: string;
  readonly at: Span;
  /** Set where the setting has no effect at all, so that editors can fade it. */
  readonly unnecessary: boolean;
  readonly related: readonly Related[];
  readonly fixes: readonly Fix[];
  readonly cite?: Citation;
};
