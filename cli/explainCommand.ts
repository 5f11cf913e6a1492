import { Option, type Command } from 'commander';
import { inflateNodes } from '../client/src/cluster/inflateNodes.ts';
import type { AnalysedPolicy } from '../engine/analysePlace.ts';
import { explain, type Row } from '../engine/explain.ts';
import { manifestStates } from '../engine/manifestState.ts';
import { policyJson, type PolicyJson } from '../engine/policyJson.ts';
import { describeLive } from '../engine/renderLive.ts';
import { renderText } from '../engine/renderText.ts';
import { firstSteps } from '../engine/schedule.ts';
import { formatPath } from '../engine/source.ts';
import { instant, parseInstant, type Instant } from '../engine/units.ts';
import type { ClusterView } from '../engine/live.ts';
import type { FileDocument } from '../server/src/analysis/file.ts';
import { fileView } from '../server/src/analysis/fileView.ts';
import { jsonText, masked, oneLine } from './foreignText.ts';
import { readInputs, type ReadFile } from './readInputs.ts';
import { formatPlace, rangeIn } from './ranges.ts';
import {
  clean,
  complain,
  unusable,
  withCommonOptions,
  type CliCommand,
  type ColorWish,
  type Styles,
} from './terminal.ts';
import { wholeNumber } from './values.ts';

type Options = {
  readonly format: 'text' | 'json';
  readonly retries: number;
  readonly at?: Instant;
  readonly color: ColorWish;
};

/** `kube-backoff explain PATH...` */
export const explainCommand: CliCommand = (program, terminal) => {
  const command: Command = program
    .command('explain')
    .description(
      'Show what every retry policy in manifests will do: its waits, cap, end and resets.',
    )
    .argument('<path...>', 'files, folders, patterns, or - for standard input')
    .addOption(
      new Option('--format <name>', 'the form of the result')
        .choices(['text', 'json'])
        .default('text'),
    )
    .addOption(
      new Option('--retries <n>', 'how many waits to list')
        .argParser((text) => wholeNumber(command, '--retries', text, 1, 100_000))
        .default(12),
    )
    .addOption(
      new Option(
        '--at <time>',
        'the instant for which to read a status, such as 2026-01-10T16:00:00Z',
      )
        .argParser((text) => time(command, text))
        .default(undefined, 'now'),
    )
    .action(async (paths: readonly string[], options: Options) => {
      const { files, problems } = await readInputs(paths, terminal);
      const now = options.at ?? instant(terminal.now());
      const text =
        options.format === 'json'
          ? renderJson(files, options.retries, now)
          : renderExplanations(files, {
              now,
              styles: terminal.styles(options.color),
              ...(command.getOptionValueSource('retries') === 'cli'
                ? { retries: options.retries }
                : {}),
            });
      terminal.out(text);
      for (const { file, message } of problems) complain(terminal, `${file}: ${message}`);
      terminal.exit(problems.length > 0 ? unusable : clean);
    });
  withCommonOptions(command);
};

function time(command: Command, text: string): Instant {
  return (
    parseInstant(text) ??
    command.error(`kube-backoff: --at takes a time such as 2026-01-10T16:00:00Z, not "${text}"`)
  );
}

type Place = {
  readonly file: ReadFile;
  readonly document: FileDocument;
  readonly analysed: AnalysedPolicy;
  /** What else the file holds. */
  readonly view: ClusterView;
};

function* policiesIn(files: readonly ReadFile[]): Generator<Place> {
  for (const file of files) {
    const view = fileView(file.analysis);
    for (const document of file.analysis.documents) {
      const inOrder = document.policies().policies.toSorted((a, b) => startOf(a) - startOf(b));
      for (const analysed of inOrder) yield { file, document, analysed, view };
    }
  }
}

/** Policies that are not written stand at the head of their document. */
const startOf = ({ policy }: AnalysedPolicy): number => (policy.key ?? policy.span)?.start ?? 0;

function renderJson(files: readonly ReadFile[], retries: number, now: Instant): string {
  const policies = [...policiesIn(files)].map(({ file, document, analysed, view }) => {
    const policy: PolicyJson = policyJson(analysed, {
      retries,
      now,
      view,
      rangeOf: (span) => rangeIn(document, span),
      unpack: inflateNodes,
    });
    return { file: file.name, document: document.index ?? 0, ...policy };
  });
  return `${jsonText({ version: 1, policies })}\n`;
}

type TextInput = {
  readonly now: Instant;
  readonly styles: Styles;
  /** Where the caller asks for a number of waits; the table shows the telling ones otherwise. */
  readonly retries?: number;
};

function renderExplanations(files: readonly ReadFile[], input: TextInput): string {
  const parts = [...policiesIn(files)].map((place) => renderPolicy(place, input));
  return parts.length === 0 ? 'No retry policy found\n' : parts.join('\n');
}

function renderPolicy({ file, document, analysed, view }: Place, input: TextInput): string {
  const { now, styles, retries } = input;
  const { policy, family } = analysed;
  const { kind, name, namespace } = policy.resource;
  const span = policy.key ?? policy.span;
  const place = formatPlace(
    oneLine(file.name),
    span === undefined ? undefined : rangeIn(document, span),
  );
  const full = [kind, [namespace, name].filter((part) => part !== undefined).join('/')].join(' ');
  const object = oneLine(full);
  const anchor = oneLine(formatPath(policy.anchor));
  const head = `${styles.bold(place)}: ${family.title} of ${object.trim()}${anchor === '' ? '' : `, ${styles.dim(anchor)}`}`;
  const explanation = explain(analysed);
  const rows = retries === undefined ? explanation.rows : firstRows(analysed, retries);
  const body = masked(renderText({ ...explanation, rows }))
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`));
  return `${[head, ...body, ...stateLines(analysed, now, view)].join('\n')}\n`;
}

function firstRows({ schedule }: AnalysedPolicy, retries: number): readonly Row[] {
  if (schedule === undefined) return [];
  const { steps, more } = firstSteps(schedule, retries);
  const rows: readonly Row[] = steps.map((step) =>
    step.capped ? { kind: 'retry', step, mark: 'cap' } : { kind: 'retry', step },
  );
  return more ? [...rows, { kind: 'gap', text: 'and so on' }] : rows;
}

/** The live state, where the manifest was printed from a cluster with its status. */
function stateLines(analysed: AnalysedPolicy, now: Instant, view: ClusterView): readonly string[] {
  return manifestStates(analysed, now, { view, unpack: inflateNodes }).map(({ part, state }) => {
    const of = part === undefined ? '' : `${part}: `;
    return `    state    ${oneLine(`${of}${describeLive(state, now).replaceAll('`', '')}`)}`;
  });
}
