import type { Span } from '../source.ts';
import type { Binary, Literal, Node } from './ast.ts';
import { builtin } from './builtins.ts';
import { openCursor } from './cursor.ts';
import { parseNumber, type SyntaxFailure, type Tag, type Token } from './lexer.ts';
import { binary, negatable, ordering, words, type Rank } from './operators.ts';

export type Parsed = {
  readonly tags: readonly Tag[];
  readonly result:
    | { readonly kind: 'tree'; readonly root: Node }
    | { readonly kind: 'failure'; readonly failure: SyntaxFailure }
    /** Longer or deeper than anyone writes by hand: not read, and nothing is said about it. */
    | { readonly kind: 'too-large' };
};

const deepestNesting = 100;

/** Reads `asInt(retries) < 3` into a tree, or says where and why it cannot. */
export function parse(text: string): Parsed {
  const cursor = openCursor(text);
  const { next, is, expect, unexpected, fail, from } = cursor;
  let nesting = 0;
  let closures = 0;

  const root = sequence();
  if (cursor.current.kind !== 'end') unexpected();
  const { tags, failure } = cursor;
  if (cursor.isTooLarge) return { tags, result: { kind: 'too-large' } };
  if (failure !== undefined) return { tags, result: { kind: 'failure', failure } };
  return { tags, result: { kind: 'tree', root } };

  function sequence(): Node {
    const start = cursor.current.start;
    const nodes = [expression(0)];
    while (is(';')) {
      next();
      if (cursor.current.kind === 'end') break;
      nodes.push(expression(0));
    }
    const only = nodes[0];
    if (nodes.length === 1 && only !== undefined) return only;
    return { kind: 'sequence', nodes, at: from(start) };
  }

  function expression(precedence: number): Node {
    if (nesting >= deepestNesting) {
      cursor.giveUp();
    }
    nesting++;
    const node = operators(precedence);
    nesting--;
    return node;
  }

  function operators(precedence: number): Node {
    if (precedence === 0 && is('let')) return declaration();
    if (precedence === 0 && is('if')) return branch();
    const start = cursor.current.start;
    let left = primary();
    let previous = '';
    while (cursor.current.kind === 'operator') {
      if (is('|') && precedence === 0) {
        next();
        left = pipe(left, start);
        previous = '|';
        continue;
      }
      const notAt = cursor.current.start;
      const negated = is('not');
      const following = cursor.following;
      const word = !negated
        ? cursor.current.text
        : following?.kind === 'operator'
          ? following.text
          : '';
      const rank = binary.get(word);
      if (negated && !negatable.has(word)) {
        next();
        unexpected();
        break;
      }
      if (rank === undefined || rank.precedence < precedence) break;
      if (negated) next();
      const operatorAt = { start: notAt, end: cursor.current.end };
      if (previous === '??' && word !== '??') {
        fail(
          operatorAt,
          `\`??\` and \`${word}\` cannot stand side by side. Put one in parentheses.`,
        );
        break;
      }
      next();
      left = ordering.has(word)
        ? comparison(left, rank, operatorAt, start)
        : infix(left, rank, operatorAt, negated, start);
      previous = word;
    }
    return precedence === 0 ? ternary(left, start) : left;
  }

  function infix(left: Node, rank: Rank, operatorAt: Span, negated: boolean, start: number): Node {
    const { operator, precedence } = rank;
    const right = expression(operator === '**' ? precedence : precedence + 1);
    return { kind: 'binary', operator, operatorAt, negated, left, right, at: from(start) };
  }

  /** `1 < x < 5` means `1 < x and x < 5`. */
  function comparison(first: Node, rank: Rank, firstAt: Span, start: number): Node {
    let left = first;
    let operator = rank.operator;
    let operatorAt = firstAt;
    let chain: Binary | undefined;
    for (;;) {
      const right = expression(rank.precedence + 1);
      const negated = false;
      const pair: Binary = {
        kind: 'binary',
        operator,
        operatorAt,
        negated,
        left,
        right,
        at: from(chain === undefined ? start : left.at.start),
      };
      chain =
        chain === undefined
          ? pair
          : { ...pair, operator: 'and', left: chain, right: pair, at: from(start) };
      const following = binary.get(cursor.current.text);
      if (cursor.current.kind !== 'operator' || !ordering.has(cursor.current.text) || !following)
        return chain;
      operator = following.operator;
      operatorAt = { start: cursor.current.start, end: cursor.current.end };
      left = right;
      next();
    }
  }

  function pipe(left: Node, start: number): Node {
    const name = cursor.current;
    if (name.kind !== 'name' || cursor.following?.text !== '(') {
      unexpected(-1);
      return left;
    }
    next();
    return call(name, [left], start);
  }

  function ternary(test: Node, start: number): Node {
    let node = test;
    while (is('?')) {
      next();
      let yes = node;
      if (!is(':')) yes = expression(0);
      expect(':');
      const no = expression(0);
      node = { kind: 'conditional', test: node, yes, no, at: from(start) };
    }
    return node;
  }

  function declaration(): Node {
    const start = cursor.current.start;
    next();
    const name = cursor.current;
    if (name.kind === 'name') next();
    else unexpected();
    expect('=');
    const value = expression(0);
    expect(';');
    const body = sequence();
    const nameAt = { start: name.start, end: name.end };
    return { kind: 'let', name: name.text, nameAt, value, body, at: from(start) };
  }

  function branch(): Node {
    const start = cursor.current.start;
    next();
    const test = expression(0);
    const yes = block();
    expect('else');
    const no = is('if') ? expression(0) : block();
    return { kind: 'conditional', test, yes, no, at: from(start) };
  }

  function block(): Node {
    expect('{');
    const node = sequence();
    expect('}');
    return node;
  }

  function primary(): Node {
    const token = cursor.current;
    const { start } = token;
    if (token.kind === 'operator') {
      const operator = token.text === '!' ? 'not' : token.text;
      if (operator === 'not' || operator === '-' || operator === '+') {
        next();
        const operand = expression(operator === 'not' ? 50 : 90);
        const operatorAt = { start, end: token.end };
        return postfix({ kind: 'unary', operator, operatorAt, operand, at: from(start) }, start);
      }
      if (closures > 0 && (is('#') || is('.'))) return pointer();
      if (is('::')) {
        next();
        const name = cursor.current;
        if (name.kind !== 'name') unexpected();
        else next();
        return postfix(call(name, [], start), start);
      }
    }
    if (is('(')) {
      next();
      const inner = sequence();
      expect(')');
      return postfix(inner, start);
    }
    return atom();
  }

  function pointer(): Node {
    const { start, end } = cursor.current;
    let name = '';
    if (is('#')) {
      next();
      if (cursor.current.kind === 'name' && cursor.current.start === end) {
        name = cursor.current.text;
        next();
      }
    }
    return postfix({ kind: 'pointer', name, at: from(start) }, start);
  }

  function atom(): Node {
    const token = cursor.current;
    const { start } = token;
    switch (token.kind) {
      case 'name': {
        next();
        const literal = words.get(token.text);
        if (literal !== undefined) return { ...literal, at: from(start) };
        if (is('(')) return postfix(call(token, [], start), start);
        return postfix({ kind: 'name', name: token.text, at: from(start) }, start);
      }
      case 'tag':
        next();
        return postfix({ kind: 'tag', inner: token.text, at: from(start) }, start);
      case 'number': {
        next();
        const read = parseNumber(token.text);
        const type = read?.isFloat === true ? 'float' : 'int';
        return { kind: 'literal', type, value: read?.value ?? 0, hasTag: false, at: from(start) };
      }
      case 'string':
      case 'bytes': {
        next();
        const { kind: type, text: value, hasTag } = token;
        return postfix({ kind: 'literal', type, value, hasTag, at: from(start) }, start);
      }
      case 'operator':
      case 'bracket':
      case 'end':
        if (is('[')) return postfix(list(), start);
        if (is('{')) return postfix(map(), start);
        unexpected();
        return { kind: 'name', name: '', at: from(start) };
    }
  }

  function call(name: Token, piped: readonly Node[], start: number): Node {
    const signature = builtin(name.text);
    const hasClosure = signature !== undefined && signature.closure !== 'none';
    expect('(');
    const args = [...piped];
    while (!is(')') && cursor.current.kind !== 'end') {
      if (args.length > piped.length) expect(',');
      if (is(')')) break;
      args.push(hasClosure && args.length === 1 ? closure() : expression(0));
    }
    expect(')');
    const nameAt = { start: name.start, end: name.end };
    if (signature === undefined) {
      const callee: Node = { kind: 'name', name: name.text, at: nameAt };
      return { kind: 'call', callee, args, at: from(start) };
    }
    return { kind: 'builtin', name: name.text, nameAt, args, at: from(start) };
  }

  function closure(): Node {
    const { start } = cursor.current;
    closures++;
    const body = is('{') ? block() : expression(0);
    closures--;
    return { kind: 'closure', body, at: from(start) };
  }

  function list(): Node {
    const { start } = cursor.current;
    const items: Node[] = [];
    next();
    while (!is(']') && cursor.current.kind !== 'end') {
      if (items.length > 0) expect(',');
      if (is(']')) break;
      items.push(expression(0));
    }
    expect(']');
    return { kind: 'list', items, at: from(start) };
  }

  function map(): Node {
    const { start } = cursor.current;
    const entries: { key: Node; value: Node }[] = [];
    next();
    while (!is('}') && cursor.current.kind !== 'end') {
      if (entries.length > 0) expect(',');
      if (is('}')) break;
      const key = mapKey();
      expect(':');
      entries.push({ key, value: expression(0) });
    }
    expect('}');
    return { kind: 'map', pairs: entries, at: from(start) };
  }

  function mapKey(): Node {
    const { kind, start, text: value, hasTag } = cursor.current;
    if (is('(')) return expression(0);
    if (kind !== 'name' && kind !== 'string' && kind !== 'number' && kind !== 'tag') unexpected();
    next();
    return { kind: 'literal', type: 'string', value, hasTag, at: from(start) };
  }

  function postfix(first: Node, start: number): Node {
    let node = first;
    for (;;) {
      const optional = is('?.');
      if (optional || is('.')) {
        next();
        if (!optional || !is('[')) {
          node = named(node, optional, start);
          continue;
        }
      } else if (!is('[')) {
        return node;
      }
      node = indexed(node, optional, start);
    }
  }

  function named(object: Node, optional: boolean, start: number): Node {
    const { kind, text: value, start: nameStart } = cursor.current;
    if (kind !== 'name' && kind !== 'tag' && !(kind === 'operator' && /^\w/.test(value))) {
      unexpected();
    }
    next();
    const hasTag = kind === 'tag';
    const property: Literal = {
      kind: 'literal',
      type: 'string',
      value,
      hasTag,
      at: from(nameStart),
    };
    const callee: Node = {
      kind: 'member',
      object,
      property,
      optional,
      isIndex: false,
      at: from(start),
    };
    if (!is('(')) return callee;
    next();
    const args: Node[] = [];
    while (!is(')') && cursor.current.kind !== 'end') {
      if (args.length > 0) expect(',');
      if (is(')')) break;
      args.push(expression(0));
    }
    expect(')');
    return { kind: 'call', callee, args, at: from(start) };
  }

  function indexed(object: Node, optional: boolean, start: number): Node {
    expect('[');
    const first = is(':') ? undefined : expression(0);
    if (is(':')) {
      next();
      const to = is(']') ? undefined : expression(0);
      expect(']');
      return { kind: 'slice', object, from: first, to, at: from(start) };
    }
    expect(']');
    const property = first ?? object;
    return { kind: 'member', object, property, optional, isIndex: true, at: from(start) };
  }
}
