import { jobRule, type JobContext, type JobRule } from './jobContext.ts';
import { jobFields } from './jobFields.ts';
import { zeroDropped, zeroDroppedExplanation } from './zeroDropped.ts';
import { sources } from './system.ts';

/** What applies where a template leaves the line out. */
function without(context: JobContext, name: (typeof fields)[number]): string {
  switch (name) {
    case 'backoffLimit': {
      const { backoffLimit } = jobFields;
      const { from } = context.settings.backoffLimitPerIndex;
      if (from === 'document') return 'there is no limit for the Job';
      return `the default ${String(backoffLimit.absent.value)} applies`;
    }
    case 'backoffLimitPerIndex':
      return 'failures are counted over the whole Job';
    case 'maxFailedIndexes':
      return 'any number of indexes may fail';
    case 'ttlSecondsAfterFinished':
      return 'the finished Job is kept';
  }
}

const fields = [
  'backoffLimit',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
  'ttlSecondsAfterFinished',
] as const;

/** A 0 in a chart's values that Go templates take for nothing. */
export const templateZero: JobRule = jobRule({
  slug: 'template-zero-dropped',
  about: fields,
  severity: 'info',
  summary: 'A value of a Helm template that disappears when it is 0.',
  explanation: zeroDroppedExplanation,
  cite: sources.helm,
  *check(context) {
    for (const name of fields) {
      const setting = context.settings[name];
      if (setting.from !== 'runtime') continue;
      yield* zeroDropped(context.tree, name, setting, without(context, name));
    }
  },
});
