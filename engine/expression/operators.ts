import type { BinaryOperator, Literal } from './ast.ts';

export type Rank = { readonly operator: BinaryOperator; readonly precedence: number };

// expr-lang/expr v1.17.8: parser/operator/operator.go. All but `**` group to the left.
/** How tightly each operator holds its sides; `&&` reads as `and`, `^` as `**`. */
export const binary: ReadonlyMap<string, Rank> = new Map([
  ['or', { operator: 'or', precedence: 10 }],
  ['||', { operator: 'or', precedence: 10 }],
  ['and', { operator: 'and', precedence: 15 }],
  ['&&', { operator: 'and', precedence: 15 }],
  ['==', { operator: '==', precedence: 20 }],
  ['!=', { operator: '!=', precedence: 20 }],
  ['<', { operator: '<', precedence: 20 }],
  ['>', { operator: '>', precedence: 20 }],
  ['<=', { operator: '<=', precedence: 20 }],
  ['>=', { operator: '>=', precedence: 20 }],
  ['in', { operator: 'in', precedence: 20 }],
  ['matches', { operator: 'matches', precedence: 20 }],
  ['contains', { operator: 'contains', precedence: 20 }],
  ['startsWith', { operator: 'startsWith', precedence: 20 }],
  ['endsWith', { operator: 'endsWith', precedence: 20 }],
  ['..', { operator: '..', precedence: 25 }],
  ['+', { operator: '+', precedence: 30 }],
  ['-', { operator: '-', precedence: 30 }],
  ['*', { operator: '*', precedence: 60 }],
  ['/', { operator: '/', precedence: 60 }],
  ['%', { operator: '%', precedence: 60 }],
  ['**', { operator: '**', precedence: 100 }],
  ['^', { operator: '**', precedence: 100 }],
  ['??', { operator: '??', precedence: 500 }],
]);

/** Operators that may follow `not`, as in `not in`. */
export const negatable = new Set(['in', 'matches', 'contains', 'startsWith', 'endsWith']);
/** Operators that chain: `1 < x < 5`. */
export const ordering = new Set(['<', '>', '<=', '>=']);

/** Names that are values. */
export const words: ReadonlyMap<string, Omit<Literal, 'at'>> = new Map([
  ['true', { kind: 'literal', type: 'bool', value: true, hasTag: false }],
  ['false', { kind: 'literal', type: 'bool', value: false, hasTag: false }],
  ['nil', { kind: 'literal', type: 'nil', value: null, hasTag: false }],
]);
