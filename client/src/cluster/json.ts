/** An object of JSON whose fields are not known yet. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path, or nothing where a step is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const step of path) current = isRecord(current) ? current[step] : undefined;
  return current;
}

/** The text at a path, or nothing where there is none or it is empty. */
export function textIn(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The list at a path; none where there is no list. */
export function listIn(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found: unknown = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Reads JSON; nothing where the text is none. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}
