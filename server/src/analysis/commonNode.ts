import type {
  ListNode,
  MapNode,
  Path,
  ScalarNode,
  SourceNode,
  Span,
} from '../../../engine/source.ts';
import { oneQuoted } from './commonScalar.ts';
import { plainValue } from './scalarValue.ts';

// Written out with and without a key: a manifest has thousands of nodes, and spreads would cost most of their making.

export function plainScalar(
  text: string,
  start: number,
  end: number,
  path: Path,
  key: Span | undefined,
): ScalarNode {
  const source = text.slice(start, end);
  const value = plainValue({ value: source, type: 'PLAIN', source }, undefined);
  const span = { start, end };
  const written = typeof value === 'string' ? value : source;
  return key === undefined
    ? { kind: 'scalar', path, value, text: written, style: 'plain', span }
    : { kind: 'scalar', path, value, text: written, style: 'plain', key, span };
}

export function quotedScalar(
  text: string,
  start: number,
  path: Path,
  key: Span | undefined,
): ScalarNode | undefined {
  const read = oneQuoted(text, start);
  if (read === undefined) return undefined;
  const { value, end } = read;
  const span = { start, end };
  const inner = { start: start + 1, end: end - 1 };
  return key === undefined
    ? { kind: 'scalar', path, value, text: value, style: 'quoted', span, inner }
    : { kind: 'scalar', path, value, text: value, style: 'quoted', key, span, inner };
}

export function nullScalar(path: Path, key: Span | undefined, at: number): ScalarNode {
  const span = { start: at, end: at };
  return key === undefined
    ? { kind: 'scalar', path, value: null, text: 'null', style: 'plain', span }
    : { kind: 'scalar', path, value: null, text: 'null', style: 'plain', key, span };
}

export function textScalar(
  value: string,
  span: Span,
  path: Path,
  key: Span | undefined,
): ScalarNode {
  return key === undefined
    ? { kind: 'scalar', path, value, text: value, style: 'block', span }
    : { kind: 'scalar', path, value, text: value, style: 'block', key, span };
}

export function mapNode(
  flow: boolean,
  children: ReadonlyMap<string, SourceNode>,
  span: Span,
  path: Path,
  key: Span | undefined,
): MapNode {
  return key === undefined
    ? { kind: 'map', path, flow, children, span }
    : { kind: 'map', path, flow, children, key, span };
}

export function listNode(
  flow: boolean,
  items: readonly SourceNode[],
  span: Span,
  path: Path,
  key: Span | undefined,
): ListNode {
  return key === undefined
    ? { kind: 'list', path, flow, items, span }
    : { kind: 'list', path, flow, items, key, span };
}
