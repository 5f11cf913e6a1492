import { Option } from 'commander';
import path from 'node:path';
import type { Severity } from '../engine/finding.ts';
import { analyseFile } from '../server/src/analysis/file.ts';
import { replaceFile, mend, writeInOneStep } from './fixes.ts';
import { formatNames, renderLint, type LintFormat } from './formats/lint.ts';
import { findInputFiles, type InputFile, type Problem } from './inputFiles.ts';
import {
  lintFile,
  reaches,
  type FixedJson,
  type LintDetails,
  type LintedFile,
} from './lintReport.ts';
import { openProjects, type Projects } from './projects.ts';
import { describeError } from './readText.ts';
import {
  clean,
  complain,
  found,
  refuse,
  unusable,
  withCommonOptions,
  type CliCommand,
  type ColorWish,
  type Terminal,
} from './terminal.ts';

type Options = {
  readonly format: readonly string[];
  readonly failOn: Severity | 'never';
  readonly fix?: true;
  readonly color: ColorWish;
};

/** One `--format` of a call: where no file is named, the result goes to standard output. */
type Target = { readonly format: LintFormat; readonly file?: string };

/** `kube-backoff lint PATH...` */
export const lintCommand: CliCommand = (program, terminal) => {
  const command = program
    .command('lint')
    .description('Say what the retry policies in manifests do that their authors may not mean.')
    .argument('<path...>', 'files, folders, patterns, or - for standard input')
    .addOption(
      new Option('--format <name[=file]>', `${formatNames.join(', ')}; can be repeated`)
        .argParser((value: string, before: readonly string[]) => [...before, value])
        .default([], 'text'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'the least severity that makes the exit code 1')
        .choices(['error', 'warning', 'info', 'never'])
        .default('error'),
    )
    .option('--fix', 'apply the preferred fixes to the files')
    .action(async (paths: readonly string[], options: Options) => {
      const targets = readTargets(options.format);
      if (typeof targets === 'string') refuse(command, targets);
      if (options.fix === true && paths.includes('-')) {
        refuse(command, '--fix changes files in place, and standard input is no file: name a file');
      }
      await lint(paths, options, targets, terminal);
    });
  withCommonOptions(command);
};

/** The targets, or what is wrong with them. */
function readTargets(wanted: readonly string[]): readonly Target[] | string {
  const targets: Target[] = [];
  for (const one of wanted.length === 0 ? ['text'] : wanted) {
    const [name = '', ...rest] = one.split('=');
    const format = formatNames.find((known) => known === name);
    if (format === undefined) {
      return `--format knows no "${name}": it takes ${formatNames.join(', ')}, each with =FILE if wanted`;
    }
    if (!one.includes('=')) targets.push({ format });
    else if (rest.join('=') === '') return `--format ${one} names no file after the =`;
    else targets.push({ format, file: rest.join('=') });
  }
  if (targets.filter(({ file }) => file === undefined).length > 1) {
    return 'Only one --format can go to standard output: give the others a file, as in sarif=out.sarif';
  }
  return targets;
}

async function lint(
  paths: readonly string[],
  options: Options,
  targets: readonly Target[],
  terminal: Terminal,
): Promise<void> {
  const projects = openProjects(terminal.cwd);
  const inputs = await findInputFiles(paths, terminal);
  const run = new LintRun(projects, terminal);
  for (const file of inputs.files) await run.take(file, options.fix === true);
  const details = run.finish(inputs.problems, options);
  const styles = terminal.styles(options.color);
  const failures: Problem[] = [];
  for (const { format, file } of targets) {
    const text = renderLint(
      format,
      details,
      file === undefined ? styles : terminal.styles('never'),
    );
    if (file === undefined) terminal.out(text);
    else {
      try {
        await writeInOneStep(path.resolve(terminal.cwd, file), text);
      } catch (error) {
        failures.push({ file, message: `The result was not written: ${describeError(error)}` });
      }
    }
  }
  const problems = [...details.report.problems, ...failures];
  for (const { file, message } of problems) complain(terminal, `${file}: ${message}`);
  const isFailed = details.report.findings.some((finding) => reaches(finding, details.failOn));
  terminal.exit(problems.length > 0 ? unusable : isFailed ? found : clean);
}

/** Lints file after file and adds up the results. */
class LintRun {
  readonly #projects: Projects;
  readonly #terminal: Terminal;
  readonly #linted: LintedFile[] = [];
  readonly #names: string[] = [];
  readonly #texts = new Map<string, string>();
  readonly #problems: Problem[] = [];
  readonly #fixed: FixedJson[] = [];

  constructor(projects: Projects, terminal: Terminal) {
    this.#projects = projects;
    this.#terminal = terminal;
  }

  async take(file: InputFile, fixes: boolean): Promise<void> {
    const { name, absolute } = file;
    const project = this.#projects.of(absolute);
    if (absolute !== undefined && project.isIgnored(absolute)) return;
    const read = await file.read();
    if (!read.ok) {
      this.#problems.push({ file: name, message: read.message });
      return;
    }
    const judgement = project.judgementOf(absolute);
    let analysis = analyseFile(read.text, project.context);
    if (fixes && absolute !== undefined) {
      const mended = mend(name, read.text, project.context, judgement);
      if (mended.problem !== undefined) {
        this.#problems.push({ file: name, message: mended.problem });
      }
      const text = `${read.hasMark ? '\uFEFF' : ''}${mended.analysis.text}`;
      if (mended.fixed.length > 0 && (await this.#write(name, absolute, text))) {
        analysis = mended.analysis;
        this.#fixed.push(...mended.fixed);
      }
    }
    const linted = lintFile(name, analysis, judgement);
    for (const { doing, error } of linted.failures) {
      complain(this.#terminal, `${name}: failed while ${doing}: ${error}`);
    }
    this.#names.push(name);
    this.#linted.push(linted);
    if (linted.findings.length > 0) this.#texts.set(name, analysis.text);
  }

  async #write(name: string, absolute: string, text: string): Promise<boolean> {
    try {
      await replaceFile(absolute, text);
      return true;
    } catch (error) {
      const message = `The fixes were not written: ${describeError(error)}`;
      this.#problems.push({ file: name, message });
      return false;
    }
  }

  finish(problems: readonly Problem[], options: Options): LintDetails {
    const sum = (of: (file: LintedFile) => number): number =>
      this.#linted.reduce((total, file) => total + of(file), 0);
    return {
      report: {
        version: 1,
        files: this.#names.length,
        documents: sum(({ documents }) => documents),
        policies: sum(({ policies }) => policies),
        findings: this.#linted.flatMap(({ findings }) => findings),
        problems: [...problems, ...this.#projects.problems(), ...this.#problems],
        ...(options.fix === true ? { fixed: this.#fixed } : {}),
      },
      names: this.#names,
      texts: this.#texts,
      failOn: options.failOn === 'never' ? undefined : options.failOn,
    };
  }
}
