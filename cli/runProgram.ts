import { CommanderError, type Command } from 'commander';
import { masked } from './foreignText.ts';
import { unusable, type Terminal } from './terminal.ts';

/** Runs a program on the arguments of the process: problems go to standard error, and mistakes end with 2. */
export async function runProgram(program: Command, terminal: Terminal): Promise<void> {
  program
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: (text, write) => write(masked(text).replace(/^error: /, 'kube-backoff: ')),
    });
  for (const command of program.commands) command.copyInheritedSettings(program);
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = exitCodeOf(error, terminal);
  }
}

function exitCodeOf(error: unknown, terminal: Terminal): number {
  // Help and version end the parsing in the same way as mistakes do, with a code of zero.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : unusable;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  terminal.err(`kube-backoff: this is a fault of ours, please report it\n${masked(text)}\n`);
  return unusable;
}
