/** Says whether a value is one of a type; for messages that cross a border. */
export type Check<T> = (value: unknown) => value is T;

type Test = (value: unknown) => boolean;

/** Every field has a test; a field that may be absent has `maybe(test)`. */
type Tests<T> = { readonly [K in keyof Required<T>]: Test };

/** Checks an object field by field; fields that are not known make it fail. */
export function shape<T extends object>(tests: Tests<T>): Check<T> {
  const test = fieldTest(Object.entries<Test>(tests));
  return (value): value is T => test(value);
}

/** Checks a union by the word in its `type`, and the other fields that this word asks for. */
export function tagged<T extends { readonly type: string }>(tests: {
  readonly [K in T['type']]: Tests<Omit<Extract<T, { readonly type: K }>, 'type'>>;
}): Check<T> {
  const known = new Map<string, Test>(
    Object.entries<Readonly<Record<string, Test>>>(tests).map(([type, fields]) => [
      type,
      fieldTest([['type', isText], ...Object.entries(fields)]),
    ]),
  );
  return (value): value is T => {
    if (typeof value !== 'object' || value === null) return false;
    const type: unknown = Reflect.get(value, 'type');
    return typeof type === 'string' && (known.get(type)?.(value) ?? false);
  };
}

function fieldTest(tests: readonly (readonly [string, Test])[]): Test {
  const known = new Map(tests);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    for (const key of Object.keys(value)) if (!known.has(key)) return false;
    for (const [key, test] of known) if (!test(Reflect.get(value, key))) return false;
    return true;
  };
}

export const maybe =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);

export const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every((item) => test(item));

/** One of these words. */
export const word =
  (...words: readonly string[]): Test =>
  (value) =>
    typeof value === 'string' && words.includes(value);

export const either =
  (...tests: readonly Test[]): Test =>
  (value) =>
    tests.some((test) => test(value));

export const isText: Test = (value) => typeof value === 'string';
export const isFlag: Test = (value) => typeof value === 'boolean';
export const isNumber: Test = (value) => typeof value === 'number' && Number.isFinite(value);
/** A count of retries or failures may come from any status, but it is a whole number. */
export const isCount: Test = (value) => Number.isSafeInteger(value);

export const isWindow: Test = (value) =>
  typeof value === 'object' &&
  value !== null &&
  isNumber(Reflect.get(value, 'lo')) &&
  isNumber(Reflect.get(value, 'hi'));
