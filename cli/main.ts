#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { version } from '../engine/project.ts';
import { explainCommand } from './explainCommand.ts';
import { familiesCommand } from './familiesCommand.ts';
import { lintCommand } from './lintCommand.ts';
import { lspCommand } from './lspCommand.ts';
import { simulateCommand } from './simulateCommand.ts';
import { openTerminal, unusable, type CliCommand } from './terminal.ts';

/** Every command there is, in the order of the help. */
const commands: readonly CliCommand[] = [
  lintCommand,
  explainCommand,
  simulateCommand,
  familiesCommand,
  lspCommand,
];

const terminal = openTerminal(process);
const program = new Command('kube-backoff')
  .description('What the retry policies in Kubernetes manifests will really do.')
  .version(version)
  .exitOverride()
  .showSuggestionAfterError()
  .configureOutput({
    writeOut: (text) => terminal.out(text),
    writeErr: (text) => terminal.err(text),
    outputError: (text, write) => write(text.replace(/^error: /, 'kube-backoff: ')),
  });

for (const command of commands) command(program, terminal);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  // Help and version end the parsing in the same way as mistakes do, with a code of zero.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : unusable;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  terminal.err(`kube-backoff: this is a fault of ours, please report it\n${text}\n`);
  return unusable;
}
