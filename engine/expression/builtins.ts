import { listOf, types, type Type } from './types.ts';

/** What a parameter accepts; anything else is refused by the compiler or at run time. */
export type Accepts = 'any' | 'text' | 'number' | 'numeric' | 'list' | 'map' | 'sized' | 'ordered';

export type Signature = {
  readonly returns: Type;
  readonly least: number;
  /** undefined where any number of arguments is welcome. */
  readonly most: number | undefined;
  /** The last entry stands for every further argument. */
  readonly accepts: readonly Accepts[];
  /** Builtins such as `filter` read their second argument as a closure. */
  readonly closure: 'none' | 'required' | 'optional';
};

/** The builtin of that name: `len` takes one list, map or text and gives a number. */
export function builtin(name: string): Signature | undefined {
  return table.get(name);
}

export function builtinNames(): readonly string[] {
  return [...table.keys()];
}

/** Functions that Argo adds to the language. `asInt` is declared to return anything. */
export function addedFunction(name: string): Signature | undefined {
  return added.get(name);
}

/** What an expression may start a name with, besides the builtins. */
export const environmentNames: readonly string[] = [
  'retries',
  'lastRetry',
  'asInt',
  'asFloat',
  'jsonpath',
  'toJson',
  'sprig',
];

const { any, int, float, string, bool, map, time, duration } = types;
const list = listOf(any);

function takes(
  returns: Type,
  least: number,
  most: number | undefined,
  ...accepts: readonly Accepts[]
): Signature {
  return { returns, least, most, accepts, closure: 'none' };
}

function visits(returns: Type, most = 2, closure: 'required' | 'optional' = 'required'): Signature {
  const least = closure === 'optional' ? 1 : 2;
  return { returns, least, most, accepts: ['list', 'any'], closure };
}

// expr-lang/expr v1.17.8: builtin/builtin.go (names, overloads), parser/parser.go (closures).
const table: ReadonlyMap<string, Signature> = new Map([
  ['all', visits(bool)],
  ['none', visits(bool)],
  ['any', visits(bool)],
  ['one', visits(bool)],
  ['filter', visits(list)],
  ['map', visits(list)],
  ['find', visits(any)],
  ['findIndex', visits(int)],
  ['findLast', visits(any)],
  ['findLastIndex', visits(int)],
  ['count', visits(int, 2, 'optional')],
  ['sum', visits(any, 2, 'optional')],
  ['groupBy', visits(map)],
  ['sortBy', visits(list, 3)],
  ['reduce', visits(any, 3)],
  ['len', takes(int, 1, 1, 'sized')],
  ['type', takes(string, 1, 1, 'any')],
  ['abs', takes(any, 1, 1, 'number')],
  ['ceil', takes(float, 1, 1, 'number')],
  ['floor', takes(float, 1, 1, 'number')],
  ['round', takes(float, 1, 1, 'number')],
  ['int', takes(int, 1, 1, 'numeric')],
  ['float', takes(float, 1, 1, 'numeric')],
  ['string', takes(string, 1, 1, 'any')],
  ['trim', takes(string, 1, 2, 'text')],
  ['trimPrefix', takes(string, 1, 2, 'text')],
  ['trimSuffix', takes(string, 1, 2, 'text')],
  ['upper', takes(string, 1, 1, 'text')],
  ['lower', takes(string, 1, 1, 'text')],
  ['split', takes(listOf(string), 2, 3, 'text', 'text', 'number')],
  ['splitAfter', takes(listOf(string), 2, 3, 'text', 'text', 'number')],
  ['replace', takes(string, 3, 4, 'text', 'text', 'text', 'number')],
  ['repeat', takes(string, 2, 2, 'text', 'number')],
  ['join', takes(string, 1, 2, 'list', 'text')],
  ['indexOf', takes(int, 2, 2, 'text', 'text')],
  ['lastIndexOf', takes(int, 2, 2, 'text', 'text')],
  ['hasPrefix', takes(bool, 2, 2, 'text', 'text')],
  ['hasSuffix', takes(bool, 2, 2, 'text', 'text')],
  ['max', takes(any, 1, undefined, 'ordered')],
  ['min', takes(any, 1, undefined, 'ordered')],
  ['mean', takes(any, 1, undefined, 'ordered')],
  ['median', takes(any, 1, undefined, 'ordered')],
  ['toJSON', takes(string, 1, 1, 'any')],
  ['fromJSON', takes(any, 1, 1, 'text')],
  ['toBase64', takes(string, 1, 1, 'text')],
  ['fromBase64', takes(string, 1, 1, 'text')],
  ['now', takes(time, 0, 1, 'any')],
  ['duration', takes(duration, 1, 1, 'text')],
  ['date', takes(time, 1, 4, 'any')],
  ['timezone', takes(any, 1, 1, 'text')],
  ['first', takes(any, 1, 1, 'list')],
  ['last', takes(any, 1, 1, 'list')],
  ['get', takes(any, 2, 2, 'any')],
  ['take', takes(list, 2, 2, 'list', 'number')],
  ['keys', takes(list, 1, 1, 'map')],
  ['values', takes(list, 1, 1, 'map')],
  ['toPairs', takes(list, 1, 1, 'map')],
  ['fromPairs', takes(map, 1, 1, 'list')],
  ['reverse', takes(list, 1, 1, 'list')],
  ['uniq', takes(list, 1, 1, 'list')],
  ['concat', takes(list, 1, undefined, 'list')],
  ['flatten', takes(list, 1, 1, 'list')],
  ['sort', takes(list, 1, 2, 'list', 'text')],
  ['bitand', takes(int, 2, 2, 'number')],
  ['bitor', takes(int, 2, 2, 'number')],
  ['bitxor', takes(int, 2, 2, 'number')],
  ['bitnand', takes(int, 2, 2, 'number')],
  ['bitshl', takes(int, 2, 2, 'number')],
  ['bitshr', takes(int, 2, 2, 'number')],
  ['bitushr', takes(int, 2, 2, 'number')],
  ['bitnot', takes(int, 1, 1, 'number')],
]);

// argo-workflows util/expr/env/env.go: `asInt` and `asFloat` are `func(any) any`.
const added: ReadonlyMap<string, Signature> = new Map([
  ['asInt', takes(any, 1, 1, 'any')],
  ['asFloat', takes(any, 1, 1, 'any')],
  ['jsonpath', takes(any, 2, 2, 'text', 'text')],
  ['toJson', takes(string, 1, 1, 'any')],
]);
