import { jobRule, type JobContext, type JobRule } from './jobContext.ts';
import { jobFields } from './jobFields.ts';
import { zeroDropped, zeroDroppedExplanation } from './zeroDropped.ts';
import { sources } from './system.ts';

/** What applies where a template leaves the line out. */
const without = (context: JobContext) =>
  [
    ['backoffLimit', `the default ${String(jobFields.backoffLimit.absent.value)} applies`],
    ['backoffLimitPerIndex', 'failures are counted over the whole Job'],
    ['maxFailedIndexes', 'any number of indexes may fail'],
    ['ttlSecondsAfterFinished', 'the finished Job is kept'],
  ].map(([name = '', text = '']) => ({
    name,
    text:
      name === 'backoffLimit' && context.settings.backoffLimitPerIndex.from === 'document'
        ? 'there is no limit for the Job'
        : text,
  }));

/** A 0 in a chart's values that Go templates take for nothing. */
export const templateZero: JobRule = jobRule({
  slug: 'template-zero-dropped',
  about: ['backoffLimit', 'backoffLimitPerIndex', 'maxFailedIndexes', 'ttlSecondsAfterFinished'],
  severity: 'info',
  summary: 'A value of a Helm template that disappears when it is 0.',
  explanation: zeroDroppedExplanation,
  cite: sources.helm,
  *check(context) {
    for (const { name, text } of without(context)) {
      const setting = Object.entries(context.settings).find(([key]) => key === name)?.[1];
      if (setting?.from === 'runtime') yield* zeroDropped(context.tree, name, setting, text);
    }
  },
});
