import { field } from '../../field.ts';
import { boolean, integer, oneOf, text, wholeSeconds, type Format } from '../../format.ts';
import { parseCron } from '../../cron.ts';
import { ms } from '../../units.ts';
import { sources } from './system.ts';

const refused = 'the API server refuses it';
const count = { min: 0, max: 2_147_483_647, consequence: refused, cite: sources.cronJobValidation };

/** A schedule that the API server can read; kept as it is written. */
const cronText: Format<string> = {
  isCron: true,
  name: 'cron schedule of five fields, or @hourly, @daily, @every 1h30m…',
  samples: ['*/15 * * * *', '0 * * * *', '0 2 * * *', '@daily'],
  write: (value) => value,
  read: (node) => {
    const read = text.read(node);
    if (!read.ok) return read;
    const cron = parseCron(read.value);
    if (cron.ok) return read;
    const sunday = read.value.replace(/\b7\s*$/, '0');
    const suggestion = sunday !== read.value && parseCron(sunday).ok ? { suggestion: sunday } : {};
    return {
      ok: false,
      problem: {
        code: 'not-allowed',
        message: `the API server refuses \`${read.value}\`: ${cron.message}`,
        ...suggestion,
      },
    };
  },
};

export const cronJobFields = {
  schedule: field(cronText, 'schedule', 'When the runs start').unset(
    'the API server refuses a CronJob without one',
  ),
  timeZone: field(text, 'timeZone', 'The time zone of the schedule, such as Etc/UTC')
    .beside()
    .since(
      '1.25.0',
      'it is dropped, and the zone of kube-controller-manager applies',
      'CronJobTimeZone',
    )
    .unset('the zone of kube-controller-manager, mostly UTC'),
  startingDeadlineSeconds: field(
    wholeSeconds,
    'startingDeadlineSeconds',
    'How late a run may start; a run that is later is left out',
  )
    .beside()
    .within({ min: ms(0), consequence: refused, cite: sources.cronJobValidation })
    .unset('a missed run starts however late it is'),
  concurrencyPolicy: field(
    oneOf('Allow', 'Forbid', 'Replace'),
    'concurrencyPolicy',
    'What happens when a run is due while the last one still goes on',
  )
    .beside()
    .defaultsTo('Allow', sources.cronJobDefaults),
  suspend: field(boolean, 'suspend', 'Whether new runs are held back')
    .beside()
    .defaultsTo(false, sources.cronJobDefaults),
  successfulJobsHistoryLimit: field(integer, 'successfulJobsHistoryLimit', 'Succeeded runs to keep')
    .beside()
    .within(count)
    .defaultsTo(3, sources.cronJobDefaults),
  failedJobsHistoryLimit: field(integer, 'failedJobsHistoryLimit', 'Failed runs to keep')
    .beside()
    .within(count)
    .defaultsTo(1, sources.cronJobDefaults),
};

export type CronJobFields = typeof cronJobFields;
