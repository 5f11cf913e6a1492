import { formatDuration, formatWindow } from '../../durations/format.ts';
import { defineFamily, type Note, type Policy } from '../../family.ts';
import { finite, waits } from '../../growth.ts';
import { valueOf } from '../../setting.ts';
import { textAt } from '../../source.ts';
import { plural } from '../../summary.ts';
import { cronJobFields, type CronJobFields } from './cronJobFields.ts';
import { cronJobLive } from './cronJobLive.ts';
import { cronJobPlace, type CronJobPlace } from './cronJobPlace.ts';
import { cronJobRules, periodsOfText } from './cronJobRules.ts';
import { kubernetes, sources } from './system.ts';

const noRuns = {
  kind: 'condition',
  text: 'the schedule names a day',
  then: 'no run starts',
  origin: { kind: 'field', field: 'schedule' },
} as const;

const heldBack = {
  kind: 'condition',
  text: 'the CronJob is suspended or deleted',
  then: 'no further run starts',
  origin: { kind: 'field', field: 'suspend' },
} as const;

/** The runs of a CronJob: what comes after a run that failed. */
export const family = defineFamily({
  id: 'kubernetes/cronjob',
  system: kubernetes,
  title: 'CronJob runs',
  summary:
    'A CronJob starts a Job at every time of its schedule and does not repeat a run that failed: the retries are those of the Job, and after them comes the next run. A run that was missed starts late, once, as far as the start deadline allows.',
  formula:
    'the wait after a run is the time to the next one of the schedule; of several missed runs only the latest starts, within `startingDeadlineSeconds` of its time',
  cite: sources.cronJob,
  sites: [
    {
      group: 'batch',
      kinds: ['CronJob'],
      anchor: 'spec',
      implied: true,
      when: (root) => textAt(root, 'spec', 'schedule') !== undefined,
    },
  ],
  fields: cronJobFields,
  facts: cronJobPlace,
  schedule: ({ schedule }) => {
    const periods = periodsOfText(schedule);
    if (periods === undefined) {
      return {
        waits: finite([]),
        stops: [noRuns],
        exhausted: noRuns,
        resets: [],
        clock: 'fixed-rate',
      };
    }
    return {
      waits: waits(() => periods, 1),
      stops: [heldBack],
      resets: [],
      clock: 'fixed-rate',
    };
  },
  sentence: ({ settings }) => {
    const text = valueOf(settings.schedule) ?? '';
    const periods = periodsOfText(text);
    if (periods === undefined) return `no run: no day of any year meets \`${text}\``;
    if (valueOf(settings.startingDeadlineSeconds) === 0) {
      return 'no run: with a start deadline of 0 every one is too late when the controller looks';
    }
    const held = valueOf(settings.suspend) === true ? 'suspended, no run now; otherwise ' : '';
    const each =
      periods.lo === periods.hi
        ? `every ${formatWindow(periods)}`
        : `${formatWindow(periods)} apart`;
    return `${held}a run ${each}, whatever came of the last one: a failed run is not repeated`;
  },
  rules: cronJobRules,
  notes,
  effect,
  live: cronJobLive,
  examples: [
    {
      name: 'hourly, two retries a run',
      yaml: `apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
spec:
  schedule: "0 * * * *"
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      backoffLimit: 2
      activeDeadlineSeconds: 1800
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: report
              image: registry.example/report:1
`,
      anchor: 'spec',
      waits: ['1h', '1h', '1h'],
      ends: 'the CronJob is suspended or deleted',
      findings: [],
    },
    {
      name: 'on working days the wait differs',
      yaml: `apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
spec:
  schedule: "0 7 * * MON-FRI"
  timeZone: Europe/Berlin
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: report
              image: registry.example/report:1
`,
      anchor: 'spec',
      waits: ['24h..72h', '24h..72h'],
      ends: 'the CronJob is suspended or deleted',
      findings: [],
    },
  ],
});

type CronPolicy = Policy<CronJobFields, CronJobPlace>;

function* notes({ settings, facts }: CronPolicy): Generator<Note<keyof CronJobFields>> {
  const { run, ttl, hasDeadline } = facts;
  if (valueOf(settings.suspend) === true) {
    yield {
      field: 'suspend',
      text: 'No run starts while it is suspended; after that the latest missed one starts at once, if its start deadline allows',
    };
  }
  if (run !== undefined) {
    yield {
      text: `A failing run goes on for ${formatDuration(run.lasts)} and the time of its attempts: ${plural(run.retries, 'retry', 'retries')} of its Job`,
    };
  }
  const concurrency = valueOf(settings.concurrencyPolicy);
  if (concurrency === 'Forbid') {
    yield {
      field: 'concurrencyPolicy',
      text: `A run that is due while the last one goes on is skipped; the latest of them starts when that one ends${hasDeadline ? '' : ', which a pod that cannot start never does'}`,
    };
  } else if (concurrency === 'Replace') {
    yield {
      field: 'concurrencyPolicy',
      text: 'A run that is due deletes the one that still goes on, its retries included',
    };
  }
  if (settings.startingDeadlineSeconds.from === 'unset') {
    yield {
      field: 'startingDeadlineSeconds',
      text: 'After an outage the latest missed run starts at once, however late. More than 100 missed ones give a TooManyMissedTimes event and no more (controllers up to 1.20 stopped there)',
    };
  }
  if (ttl !== undefined) {
    yield {
      text: `Finished runs are deleted after ${formatDuration(ttl)} (\`ttlSecondsAfterFinished\`) or by the history limits, whichever comes first`,
    };
  }
}

function effect({ settings }: CronPolicy, field: keyof CronJobFields): string | undefined {
  if (field === 'schedule') {
    const periods = periodsOfText(valueOf(settings.schedule));
    return periods === undefined
      ? undefined
      : `The next run starts ${formatWindow(periods)} after this one`;
  }
  const deadline = valueOf(settings.startingDeadlineSeconds);
  if (field === 'startingDeadlineSeconds' && deadline !== undefined) {
    return `A run that is more than ${formatDuration(deadline)} late is left out, with a MissSchedule event`;
  }
  return undefined;
}
