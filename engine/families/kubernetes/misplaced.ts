import { fix, insertEntry, removeEntry, renameKey } from '../../edits.ts';
import type { Report } from '../../family.ts';
import { fieldName } from '../../field.ts';
import { formatDuration } from '../../durations/format.ts';
import { nearest } from '../../format.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import {
  child,
  formatPath,
  nameSpan,
  type MapNode,
  type SourceNode,
  type SourceTree,
} from '../../source.ts';
import { plural } from '../../summary.ts';
import { isLeftOut, jobRule, type JobContext, type JobRule } from './jobContext.ts';
import { jobFields } from './jobFields.ts';
import { waitingFor } from './jobRules.ts';
import { podSpecOf } from './jobSites.ts';
import { sources } from './system.ts';

/** The keys of a JobSpec that decide about retries; those of the pod are left out. */
const own: readonly string[] = Object.values(jobFields)
  .map(({ path }) => path)
  .filter((path) => !path.includes('.'))
  .map(fieldName);

// Those of a CronJob have a rule of their own, and mean what they say.
const jobKeys = new Set([
  ...own,
  ...['template', 'selector', 'manualSelector', 'restartPolicy'],
  ...['schedule', 'startingDeadlineSeconds', 'concurrencyPolicy', 'timeZone'],
  ...['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'],
]);

const without = (...others: readonly string[]): readonly string[] =>
  own.filter((key) => !others.includes(key));

// Some words mean something of their own where they stand.
const notInPod = without('activeDeadlineSeconds');
const notInCronJob = without('suspend');
const notAround = without('activeDeadlineSeconds', 'suspend', 'completions', 'parallelism');

/** Settings of a Job that stand in the wrong block: they are dropped without a word, or refused. */
const misplaced = jobRule({
  slug: 'job-field-misplaced',
  severity: 'warning',
  summary: 'A setting of a Job in a block that does not know it.',
  explanation:
    'Settings such as `backoffLimit` belong into the `spec` of the Job, or of the job template. Anywhere else they are dropped, or refused by a strict client, and the default applies.',
  cite: sources.jobTypes,
  *check(context) {
    const { parents, node, tree } = context;
    // Without the right block nothing tells a half-written manifest from a mistake.
    if (node?.kind !== 'map') return;
    const right = formatPath(context.policy.anchor);
    const template = child(node, 'template');
    const [above, further] = parents;
    const { owner } = context.policy.facts;
    const places: readonly (readonly [SourceNode | undefined, readonly string[]])[] = [
      [above, own],
      [owner === 'Job' ? undefined : further, owner === 'CronJob' ? notInCronJob : notAround],
      [template, own],
      [podSpecOf(node), notInPod],
    ];
    for (const [place, keys] of places) {
      if (place?.kind !== 'map') continue;
      for (const key of keys) {
        const found = place.children.get(key);
        if (found === undefined || found.via !== undefined || found.key === undefined) continue;
        const isThere = child(node, key) !== undefined;
        yield {
          message: `\`${key}\` has no effect here: it belongs to \`${right}\`, ${consequence(context, key, isThere)}`,
          at: found.key,
          unnecessary: true,
          fixes: isThere
            ? fix(`Remove ${key}`, false, removeEntry(tree, found))
            : moveInto(tree, node, key, found),
        };
      }
    }
    yield* podKeys(context);
  },
});

/** `restartPolicy` one or two levels too high. */
function* podKeys(context: JobContext): Generator<Report> {
  const { node, tree } = context;
  const podSpec = podSpecOf(node);
  for (const place of [node, child(node, 'template')]) {
    const found = child(place, 'restartPolicy');
    if (found?.key === undefined || found.via !== undefined) continue;
    const isThere = child(podSpec, 'restartPolicy') !== undefined;
    const right = `${formatPath(context.policy.anchor)}.template.spec`;
    const rest = isThere ? 'and the one written there applies' : 'and is missing there';
    yield {
      message: `\`restartPolicy\` has no effect here: it belongs to the pod, \`${right}\`, ${rest}`,
      at: found.key,
      unnecessary: true,
      fixes: isThere
        ? fix('Remove restartPolicy', false, removeEntry(tree, found))
        : moveInto(tree, podSpec, 'restartPolicy', found),
    };
  }
}

function consequence(context: JobContext, key: string, isThere: boolean): string {
  if (isThere) return 'and the one written there applies';
  const { schedule } = context;
  if (key === 'backoffLimit' && schedule !== undefined && isLeftOut(context, 'backoffLimit')) {
    const limit = jobFields.backoffLimit.absent.value;
    const wait = formatDuration(waitingFor(schedule, limit));
    return `so the default of ${plural(limit, 'retry', 'retries')} (${wait} of waiting) applies`;
  }
  return 'and is missing there';
}

function moveInto(
  tree: SourceTree,
  target: SourceNode | undefined,
  key: string,
  found: SourceNode,
) {
  if (target?.kind !== 'map' || found.kind !== 'scalar' || found.span === undefined) return [];
  const value = tree.text?.slice(found.span.start, found.span.end) ?? '';
  if (value === '' || value.includes('\n')) return [];
  return fix(
    `Move ${key} to ${lastKey(target)}`,
    true,
    removeEntry(tree, found),
    insertEntry(tree, target, key, value),
  );
}

const lastKey = (map: MapNode): string => formatPath(map.path);

/** Other words for `backoffLimit`, which spelling alone does not lead to. */
const meant: ReadonlyMap<string, string> = new Map([
  ['retries', 'backoffLimit'],
  ['maxretries', 'backoffLimit'],
  ['retrylimit', 'backoffLimit'],
  ['maxattempts', 'backoffLimit'],
  ['timeoutseconds', 'activeDeadlineSeconds'],
  ['timeout', 'activeDeadlineSeconds'],
  ['deadlineseconds', 'activeDeadlineSeconds'],
  ['ttlsecondsafterfinish', 'ttlSecondsAfterFinished'],
]);

/** Names that are nearly those of a setting. */
const misspelled = jobRule({
  slug: 'job-field-misspelled',
  severity: 'warning',
  summary: 'A key in the spec of a Job that is nearly the name of a setting.',
  explanation:
    'Names are read letter by letter, capitals included. kubectl refuses a key that the API does not know; other clients drop it, and the default applies.',
  cite: sources.jobTypes,
  *check(context) {
    const { node, tree } = context;
    if (node?.kind !== 'map') return;
    for (const [key, found] of node.children) {
      if (jobKeys.has(key) || found.via !== undefined || isRunTimeText(key)) continue;
      const word = meant.get(key.toLowerCase()) ?? nearest(key, own);
      const at = nameSpan(found);
      if (word === undefined || at === undefined) continue;
      yield {
        message: `A Job has no \`${key}\`, so it is refused or has no effect: did you mean \`${word}\`?`,
        at,
        unnecessary: true,
        fixes: node.children.has(word)
          ? fix(`Remove ${key}`, false, removeEntry(tree, found))
          : fix(`Rename to ${word}`, true, renameKey(found, word)),
      };
    }
  },
});

export const misplacedRules: readonly JobRule[] = [misplaced, misspelled];
