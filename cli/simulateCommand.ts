import { Option, type Command } from 'commander';
import { formatDuration } from '../engine/durations/format.ts';
import { simulate, type Fleet } from '../engine/simulate.ts';
import { steps, type Schedule, type Waits } from '../engine/schedule.ts';
import { formatPath } from '../engine/source.ts';
import { hours, ms, type Ms } from '../engine/units.ts';
import { renderFleet } from './formats/fleet.ts';
import { readInputs } from './readInputs.ts';
import {
  clean,
  complain,
  refuse,
  unusable,
  withCommonOptions,
  type CliCommand,
  type ColorWish,
  type Terminal,
} from './terminal.ts';
import { duration, positiveNumber, wholeNumber } from './values.ts';

type Options = {
  readonly objects: number;
  readonly base?: Ms;
  readonly cap?: Ms;
  readonly factor: number;
  readonly qps?: number;
  readonly burst?: number;
  readonly duration: Ms;
  readonly recoverAt?: Ms;
  readonly reconcile?: Ms;
  readonly workers: number;
  readonly anchor?: string;
  readonly format: 'text' | 'json';
  readonly color: ColorWish;
};

/** `kube-backoff simulate [PATH]` */
export const simulateCommand: CliCommand = (program, terminal) => {
  const command: Command = program.command('simulate');
  const time = (flags: string, what: string): Option =>
    new Option(`${flags} <duration>`, what).argParser((text) => duration(command, flags, text));
  const whole = (flags: string, what: string, least: number, most: number): Option =>
    new Option(`${flags} <n>`, what).argParser((text) =>
      wholeNumber(command, flags, text, least, most),
    );
  const number = (flags: string, what: string): Option =>
    new Option(`${flags} <n>`, what).argParser((text) => positiveNumber(command, flags, text));
  command
    .description(
      'Run a fleet on one work queue, in simulated time: all fail together and at every retry.',
    )
    .argument('[path]', 'a manifest to take the policy from, or - for standard input')
    .addOption(whole('--objects', 'how many objects fail', 1, 1_000_000).default(1000))
    .addOption(time('--base', 'the wait before the first retry'))
    .addOption(time('--cap', 'the longest wait; without it waits grow on'))
    .addOption(number('--factor', 'how much each wait is longer than the one before').default(2))
    .addOption(number('--qps', 'retries per second that the bucket of all objects lets through'))
    .addOption(whole('--burst', 'retries that the bucket lets through at once', 1, 1_000_000))
    .addOption(time('--duration', 'how long to look').default(hours(1), '1h'))
    .addOption(time('--recover-at', 'when the dependency is back, so that attempts succeed'))
    .addOption(time('--reconcile', 'how long one attempt takes'))
    .addOption(whole('--workers', 'how many attempts run at a time', 1, 100_000).default(1))
    .option(
      '--anchor <path>',
      'which policy of the manifest, such as spec.templates[0].retryStrategy',
    )
    .addOption(
      new Option('--format <name>', 'the form of the result')
        .choices(['text', 'json'])
        .default('text'),
    )
    .action(async (path: string | undefined, options: Options) => {
      await run(command, path, options, terminal);
    });
  withCommonOptions(command);
};

// One counter per second is kept.
const longest = hours(24 * 30);

async function run(
  command: Command,
  path: string | undefined,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  if (options.duration > longest || options.duration < 1) {
    refuse(
      command,
      `--duration takes 1ms to ${formatDuration(longest)}, not ${formatDuration(options.duration)}`,
    );
  }
  const own = bucketFor(command, options);
  const taken = await growthFor(command, path, options, terminal);
  if (taken === undefined) return;
  const { objects, recoverAt, reconcile, workers } = options;
  const { growth } = taken;
  const bucket = own ?? taken.bucket;
  const result = simulate({
    objects,
    growth,
    duration: options.duration,
    workers,
    ...(bucket === undefined ? {} : { bucket }),
    ...(recoverAt === undefined ? {} : { recoverAt }),
    ...(reconcile === undefined ? {} : { reconcile }),
  });
  terminal.out(
    options.format === 'json'
      ? `${JSON.stringify({ version: 1, ...result })}\n`
      : renderFleet(result, terminal.styles(options.color)),
  );
  terminal.exit(clean);
}

function bucketFor(command: Command, { qps, burst }: Options): Fleet['bucket'] {
  if (qps === undefined && burst === undefined) return undefined;
  if (qps === undefined || burst === undefined) {
    return refuse(command, '--qps and --burst make one bucket: give both, or none for no bucket');
  }
  return { qps, burst };
}

async function growthFor(
  command: Command,
  path: string | undefined,
  options: Options,
  terminal: Terminal,
): Promise<Pick<Fleet, 'growth' | 'bucket'> | undefined> {
  const { base, cap, factor, anchor } = options;
  if (path === undefined) {
    if (anchor !== undefined)
      refuse(command, '--anchor names a policy of a manifest: give its path too');
    if (base === undefined) {
      return refuse(
        command,
        'give --base, the wait before the first retry, or the path of a manifest',
      );
    }
    if (factor < 1) refuse(command, '--factor takes 1 or more: waits do not shrink');
    return { growth: { base, factor, cap } };
  }
  if (base !== undefined || cap !== undefined) {
    refuse(
      command,
      '--base and --cap describe a policy of their own: leave them out with a manifest',
    );
  }
  const { files, problems } = await readInputs([path], terminal);
  for (const { file, message } of problems) complain(terminal, `${file}: ${message}`);
  if (problems.length > 0) {
    terminal.exit(unusable);
    return undefined;
  }
  const policies = files.flatMap(({ analysis }) =>
    analysis.documents.flatMap((document) => document.policies().policies),
  );
  const named = policies.map((analysed) => ({ analysed, at: formatPath(analysed.policy.anchor) }));
  const chosen = named.filter(({ at }) => anchor === undefined || at === anchor);
  const [first, ...others] = chosen;
  const list = [...new Set(named.map(({ at }) => at))].join(', ');
  if (first === undefined) {
    return refuse(
      command,
      policies.length === 0
        ? `${path} holds no retry policy`
        : `no policy stands at ${anchor ?? ''}: there are ${list}`,
    );
  }
  if (others.length > 0 && anchor === undefined) {
    return refuse(command, `${path} holds several policies: choose one with --anchor, of ${list}`);
  }
  const { schedule, missing } = first.analysed;
  if (schedule === undefined) {
    return refuse(
      command,
      `the waits at ${first.at} are not known: ${missing.join(', ')} cannot be read here`,
    );
  }
  const { family, policy } = first.analysed;
  const bucket = family.bucket?.(policy);
  return {
    growth: { waits: waitsUntilEnd(schedule) },
    ...(bucket === undefined ? {} : { bucket }),
  };
}

/** The waits of the retries that start, so that an object whose policy has ended is left alone. */
function waitsUntilEnd(schedule: Schedule): Waits {
  const { constantFrom } = schedule.waits;
  const isEndless = schedule.stops.every(({ kind }) => kind === 'condition');
  return {
    *[Symbol.iterator]() {
      for (const { wait } of steps(schedule)) yield { lo: ms(wait.lo), hi: ms(wait.hi) };
    },
    ...(isEndless && constantFrom !== undefined ? { constantFrom } : {}),
  };
}
