import { Option, type Command } from 'commander';
import { version } from '../engine/project.ts';
import { oneLine } from './foreignText.ts';

/** Registers one command. */
export type CliCommand = (program: Command, terminal: Terminal) => void;

/** Nothing to report; findings; or a call or an input file that could not be used. */
export const clean = 0;
export const found = 1;
export const unusable = 2;
export type ExitCode = typeof clean | typeof found | typeof unusable;

/** The outside of the process, as far as commands need it. */
export type Terminal = {
  readonly cwd: string;
  /** Results. */
  readonly out: (text: string) => void;
  /** Problems. */
  readonly err: (text: string) => void;
  readonly exit: (code: ExitCode) => void;
  readonly styles: (when: ColorWish) => Styles;
  readonly stdin: () => AsyncIterable<Uint8Array>;
  readonly now: () => number;
  /** Its size, where the results go to a screen. */
  readonly screen: () => Screen | undefined;
  /** Resolves when somebody ends the command, as with Ctrl+C. */
  readonly interrupted: () => Promise<void>;
};

export type Screen = { readonly columns: number; readonly rows: number };

export type ColorWish = 'auto' | 'always' | 'never';

/** Texts with the terminal's colours, or as they are. */
export type Styles = {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly blue: (text: string) => string;
  readonly cyan: (text: string) => string;
};

export function openTerminal(from: NodeJS.Process): Terminal {
  for (const stream of [from.stdout, from.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // `… | head` closes the pipe: what is left has no reader.
      if (error.code === 'EPIPE') from.exit();
      throw error;
    });
  }
  return {
    cwd: from.cwd(),
    out: (text) => {
      from.stdout.write(text);
    },
    err: (text) => {
      from.stderr.write(text);
    },
    exit: (code) => {
      // The streams may still be writing; the process ends by itself when they are done.
      from.exitCode = code;
    },
    styles: (when) => (wantsColor(from, when) ? ansi : plain),
    stdin: () => from.stdin,
    now: () => Date.now(),
    screen: () => {
      const { isTTY, columns, rows } = from.stdout;
      return isTTY ? { columns, rows } : undefined;
    },
    interrupted: () =>
      new Promise((resolve) => {
        from.once('SIGINT', () => resolve());
        from.once('SIGTERM', () => resolve());
      }),
  };
}

/** Tells of a problem in one line of standard error. */
export function complain(terminal: Terminal, text: string): void {
  terminal.err(`kube-backoff: ${oneLine(text)}\n`);
}

function wantsColor(from: NodeJS.Process, when: ColorWish): boolean {
  if (when !== 'auto') return when === 'always';
  const { NO_COLOR: noColor, TERM: term } = from.env;
  return from.stdout.isTTY && (noColor ?? '') === '' && term !== 'dumb';
}

const code = (open: number, close: number) => (text: string) =>
  `\u001B[${String(open)}m${text}\u001B[${String(close)}m`;

const ansi: Styles = {
  bold: code(1, 22),
  dim: code(2, 22),
  red: code(31, 39),
  yellow: code(33, 39),
  blue: code(34, 39),
  cyan: code(36, 39),
};

const same = (text: string): string => text;
const plain: Styles = {
  bold: same,
  dim: same,
  red: same,
  yellow: same,
  blue: same,
  cyan: same,
};

/** The options that every command has. */
export function withCommonOptions(command: Command): Command {
  return command
    .version(version)
    .addOption(
      new Option('--color <when>', 'colours in text')
        .choices(['auto', 'always', 'never'])
        .default('auto'),
    );
}

/** Ends a call that cannot be carried out, with one line that says why. */
export function refuse(command: Command, message: string): never {
  return command.error(`kube-backoff: ${oneLine(message)}`);
}
