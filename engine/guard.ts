/** A fault of ours, caught: what was going on and what was thrown. */
export type Failure = { readonly doing: string; readonly error: string };

export type Guarded<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/**
 * Runs a piece of the analysis; a fault in it becomes a value that the caller must show.
 *
 * The one place where our own faults are caught: they never look like a clean file.
 */
export function guard<T>(doing: string, run: () => T): Guarded<T> {
  try {
    return { ok: true, value: run() };
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ok: false, failure: { doing, error: text } };
  }
}
