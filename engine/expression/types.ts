export type Kind =
  | 'any'
  | 'nil'
  | 'bool'
  | 'int'
  | 'float'
  | 'string'
  | 'bytes'
  | 'time'
  | 'duration'
  | 'map'
  | 'list'
  | 'function';

/** `[2, 3]` is a list of int; `any` is what nobody can know before the expression runs. */
export type Type = { readonly kind: Kind; readonly of?: Type };

export const types = {
  any: { kind: 'any' },
  nil: { kind: 'nil' },
  bool: { kind: 'bool' },
  int: { kind: 'int' },
  float: { kind: 'float' },
  string: { kind: 'string' },
  bytes: { kind: 'bytes' },
  time: { kind: 'time' },
  duration: { kind: 'duration' },
  map: { kind: 'map' },
  function: { kind: 'function' },
} as const satisfies { readonly [kind: string]: Type };

export function listOf(of: Type): Type {
  return { kind: 'list', of };
}

export function isNumber(type: Type): boolean {
  return type.kind === 'int' || type.kind === 'float';
}

/** Whether `==` can be true between the two; text and a number cannot be equal. */
export function comparable(a: Type, b: Type): boolean {
  if (a.kind === 'any' || b.kind === 'any' || a.kind === 'nil' || b.kind === 'nil') return true;
  return a.kind === b.kind || (isNumber(a) && isNumber(b));
}

/** The types `left operator right` accepts; undefined where they do not go together. */
export function resultOf(operator: string, left: Type, right: Type): Type | undefined {
  const { any, bool, int, float, time, duration } = types;
  const l = left.kind;
  const r = right.kind;
  const numbers = isNumber(left) && isNumber(right);
  const both = (...kinds: Kind[]): boolean => {
    if (l === 'any') return r === 'any' || kinds.includes(r);
    return r === 'any' ? kinds.includes(l) : l === r && kinds.includes(l);
  };
  switch (operator) {
    case '==':
    case '!=':
      return comparable(left, right) ? bool : undefined;
    case 'and':
    case 'or':
      return both('bool') ? bool : undefined;
    case '<':
    case '>':
    case '<=':
    case '>=':
      return numbers || both('int', 'float', 'string', 'time', 'duration') ? bool : undefined;
    case '+':
      if (numbers) return l === 'float' || r === 'float' ? float : int;
      if (l === 'string' && r === 'string') return left;
      if (l === 'duration' && r === 'duration') return duration;
      if (l === 'time' && r === 'time') return undefined;
      if ((l === 'time' && r === 'duration') || (l === 'duration' && r === 'time')) return time;
      return both('int', 'float', 'string', 'time', 'duration') ? any : undefined;
    case '-':
      if (numbers) return l === 'float' || r === 'float' ? float : int;
      if (l === 'time' && r === 'duration') return time;
      if (l === r && (l === 'time' || l === 'duration')) return duration;
      return both('int', 'float', 'time', 'duration') ? any : undefined;
    case '*':
      if (numbers) return l === 'float' || r === 'float' ? float : int;
      if (l === 'duration' && (isNumber(right) || r === 'duration')) return duration;
      if (isNumber(left) && r === 'duration') return duration;
      return both('int', 'float', 'duration') ? any : undefined;
    case '/':
    case '**':
      return numbers || both('int', 'float') ? float : undefined;
    case '%':
      return both('int') ? int : undefined;
    case '..':
      return both('int') ? listOf(int) : undefined;
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return both('string') ? bool : undefined;
    case 'matches':
      return both('string') || (l === 'bytes' && r === 'string') ? bool : undefined;
    case 'in':
      return isMember(left, right) ? bool : undefined;
    default:
      return any;
  }
}

function isMember(left: Type, right: Type): boolean {
  switch (right.kind) {
    case 'any':
      return true;
    case 'map':
      return true;
    case 'list':
      return comparable(left, right.of ?? types.any);
    case 'string':
      return left.kind === 'any';
    default:
      return false;
  }
}

/** Says a type the way a reader would: `text`, `a number`. */
export function inWords(type: Type): string {
  switch (type.kind) {
    case 'string':
    case 'bytes':
      return 'text';
    case 'int':
    case 'float':
      return 'a number';
    case 'bool':
      return 'a boolean';
    case 'nil':
      return 'nil';
    case 'list':
      return 'a list';
    case 'map':
      return 'a map';
    case 'time':
      return 'a point in time';
    case 'duration':
      return 'a duration';
    case 'function':
      return 'a function';
    case 'any':
      return 'unknown';
  }
}
