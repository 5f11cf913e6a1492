import { versionOf } from '../../../environment.ts';
import type { PolicyContext } from '../../../family.ts';
import { valueOf } from '../../../setting.ts';
import type { MapNode, ScalarNode } from '../../../source.ts';
import type { Values } from '../../../field.ts';
import type { Facts } from '../facts.ts';
import type { Fields } from '../fields.ts';
import { system } from '../system.ts';

/** What the rules over a `retryStrategy` see. */
export type Context = PolicyContext<Fields, Facts>;

/** The settings as the release at hand reads them; nothing where one is unset, unreadable or only known at run time. */
export const given = ({ settings }: Context): Values<Fields> => ({
  limit: valueOf(settings.limit),
  retryPolicy: valueOf(settings.retryPolicy),
  expression: valueOf(settings.expression),
  backoff: valueOf(settings.backoff),
  duration: valueOf(settings.duration),
  factor: valueOf(settings.factor),
  cap: valueOf(settings.cap),
  maxDuration: valueOf(settings.maxDuration),
  nodeAntiAffinity: valueOf(settings.nodeAntiAffinity),
  podDeadline: valueOf(settings.podDeadline),
  workflowDeadline: valueOf(settings.workflowDeadline),
});

/** The node of a setting, when it is a scalar. */
export function scalarOf(context: Context, name: keyof Fields): ScalarNode | undefined {
  const node = context.nodeOf(name);
  return node?.kind === 'scalar' ? node : undefined;
}

/** The same where it stands in this block, not in the defaults or behind an alias: what a fix may change. */
export function ownScalarOf(context: Context, name: keyof Fields): ScalarNode | undefined {
  const node = scalarOf(context, name);
  return node?.via === undefined ? node : undefined;
}

export function mapOf(context: Context, name: keyof Fields): MapNode | undefined {
  const node = context.nodeOf(name);
  return node?.kind === 'map' ? node : undefined;
}

/**
 * Whether what is not written is really not there.
 *
 * Not so for a patch, and not where a template engine puts lines of its own into the block.
 */
export function isWhole({ policy, node, tree }: Context): boolean {
  if (policy.facts.isPartial || node?.kind !== 'map') return false;
  const { text } = tree;
  if (text === undefined || node.span === undefined) return true;
  const { start, end } = node.span;
  const isFollowed = /^[^\n]*\n\s*(#[^\n]*\n\s*)*\{\{/.test(text.slice(end, end + 400));
  return !isFollowed && !/^\s*\{\{/m.test(text.slice(start, end));
}

/** `Argo Workflows 3.3.8`. */
export const release = ({ env }: Context): string =>
  `${system.title} ${versionOf(env, system).version}`;
