import type { Span } from '../source.ts';

export type BinaryOperator =
  | 'or'
  | 'and'
  | '=='
  | '!='
  | '<'
  | '>'
  | '<='
  | '>='
  | 'in'
  | 'matches'
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | '..'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '**'
  | '??';

export type Literal = {
  readonly kind: 'literal';
  readonly type: 'string' | 'int' | 'float' | 'bool' | 'nil' | 'bytes';
  readonly value: string | number | boolean | null;
  /** True for text around a `{{...}}` tag: its value is not known here. */
  readonly hasTag: boolean;
  readonly at: Span;
};

/** `not in [2]` is one node with `negated`; `&&` reads as `and`, `||` as `or`, `^` as `**`. */
export type Binary = {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly operatorAt: Span;
  readonly negated: boolean;
  readonly left: Node;
  readonly right: Node;
  readonly at: Span;
};

export type Unary = {
  readonly kind: 'unary';
  readonly operator: 'not' | '+' | '-';
  readonly operatorAt: Span;
  readonly operand: Node;
  readonly at: Span;
};

/** `lastRetry.status` and `lastRetry['status']`: both have a string literal as the property. */
export type Member = {
  readonly kind: 'member';
  readonly object: Node;
  readonly property: Node;
  readonly optional: boolean;
  /** Written `[...]`, not `.name`. */
  readonly isIndex: boolean;
  readonly at: Span;
};

export type Node =
  | Literal
  | Binary
  | Unary
  | Member
  | { readonly kind: 'name'; readonly name: string; readonly at: Span }
  | { readonly kind: 'tag'; readonly inner: string; readonly at: Span }
  | { readonly kind: 'pointer'; readonly name: string; readonly at: Span }
  | {
      readonly kind: 'conditional';
      readonly test: Node;
      readonly yes: Node;
      readonly no: Node;
      readonly at: Span;
    }
  | {
      readonly kind: 'slice';
      readonly object: Node;
      readonly from: Node | undefined;
      readonly to: Node | undefined;
      readonly at: Span;
    }
  | {
      readonly kind: 'call';
      readonly callee: Node;
      readonly args: readonly Node[];
      readonly at: Span;
    }
  | {
      readonly kind: 'builtin';
      readonly name: string;
      readonly nameAt: Span;
      readonly args: readonly Node[];
      readonly at: Span;
    }
  | { readonly kind: 'closure'; readonly body: Node; readonly at: Span }
  | {
      readonly kind: 'let';
      readonly name: string;
      readonly nameAt: Span;
      readonly value: Node;
      readonly body: Node;
      readonly at: Span;
    }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[]; readonly at: Span }
  | { readonly kind: 'list'; readonly items: readonly Node[]; readonly at: Span }
  | {
      readonly kind: 'map';
      readonly pairs: readonly { readonly key: Node; readonly value: Node }[];
      readonly at: Span;
    };

export type NodeOf<K extends Node['kind']> = Extract<Node, { kind: K }>;
