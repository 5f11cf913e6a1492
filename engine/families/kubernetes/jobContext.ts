import { defineRule, type PolicyContext, type Rule, type Settings } from '../../family.ts';
import { valueOf } from '../../setting.ts';
import { insertEntry, replaceValue } from '../../edits.ts';
import type { Edit } from '../../finding.ts';
import type { SourceNode, Span } from '../../source.ts';
import { nameSpan } from '../../source.ts';
import type { JobFields } from './jobFields.ts';
import type { JobPlace } from './jobPlace.ts';
import { podSpecOf } from './jobSites.ts';

/** What a rule about a Job sees. */
export type JobContext = PolicyContext<JobFields, JobPlace>;

export type JobRule = Rule<JobFields, JobPlace>;

/** Declares a rule of the Job family in a file of its own. */
export const jobRule = (rule: JobRule): JobRule => defineRule(rule);

/** Whether another controller runs the Job: what the built-in one does with it is not known then. */
export function isRunByOthers(settings: Pick<Settings<JobFields>, 'managedBy'>): boolean {
  const manager = valueOf(settings.managedBy);
  return manager !== undefined && manager !== 'kubernetes.io/job-controller';
}

/** A rule about what the built-in controller does with a Job; what the API server refuses, it always does. */
export const behaviourRule = (rule: JobRule): JobRule =>
  defineRule({ ...rule, when: ({ settings }) => !isRunByOthers(settings) });

/** The setting is written, readable, and so certain. */
export const isSure = (context: JobContext, name: keyof JobFields): boolean =>
  context.settings[name].from === 'document';

/** The setting is left out of a manifest that is whole. */
export const isLeftOut = (context: JobContext, name: keyof JobFields): boolean => {
  const { from } = context.settings[name];
  return (from === 'unset' || from === 'default') && context.policy.facts.isWhole;
};

/** Adds an entry to the JobSpec, or puts another value into the one that is there. */
export function setEntry(context: JobContext, key: string, value: string): Edit | undefined {
  return setIn(context, context.node, key, value);
}

/** The same in the pod's spec. */
export function setPodEntry(context: JobContext, key: string, value: string): Edit | undefined {
  return setIn(context, podSpecOf(context.node), key, value);
}

function setIn(
  context: JobContext,
  map: SourceNode | undefined,
  key: string,
  value: string,
): Edit | undefined {
  if (map?.kind !== 'map') return undefined;
  const present = map.children.get(key);
  return present === undefined
    ? insertEntry(context.tree, map, key, value)
    : replaceValue(present, value);
}

/** The key of the pod's spec, or the policy's name where there is none. */
export function podSpecName(context: JobContext): Span {
  const podSpec = podSpecOf(context.node);
  return (podSpec === undefined ? undefined : nameSpan(podSpec)) ?? context.name;
}
