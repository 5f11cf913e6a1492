/**
 * A pure function of a text that keeps what it gave: the same few texts are asked for over and over.
 *
 * It forgets everything when it has kept too many.
 */
export function remembered<T>(compute: (text: string) => T, most = 500): (text: string) => T {
  const known = new Map<string, { readonly value: T }>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before.value;
    if (known.size >= most) known.clear();
    const value = compute(text);
    known.set(text, { value });
    return value;
  };
}
