/**
 * Who says so: which system, which versions of it, and where to look.
 *
 * `source` is a path and symbol in the system's repository, or the address of a document.
 */
export type Citation = {
  readonly system: string;
  readonly versions: string;
  readonly source: string;
};

/** A value together with its citation, so that the number never travels alone. */
export type Cited<T> = { readonly value: T; readonly cite: Citation };

export const cited = <T>(value: T, cite: Citation): Cited<T> => ({ value, cite });
