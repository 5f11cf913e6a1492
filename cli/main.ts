#!/usr/bin/env node
import { Command } from 'commander';
import { version } from '../engine/project.ts';
import { explainCommand } from './explainCommand.ts';
import { familiesCommand } from './familiesCommand.ts';
import { lintCommand } from './lintCommand.ts';
import { lspCommand } from './lspCommand.ts';
import { runProgram } from './runProgram.ts';
import { simulateCommand } from './simulateCommand.ts';
import { statusCommand } from './statusCommand.ts';
import { openTerminal, type CliCommand } from './terminal.ts';

/** Every command there is, in the order of the help. */
const commands: readonly CliCommand[] = [
  lintCommand,
  explainCommand,
  statusCommand,
  simulateCommand,
  familiesCommand,
  lspCommand,
];

const terminal = openTerminal(process);
const program = new Command('kube-backoff')
  .description('What the retry policies in Kubernetes manifests will really do.')
  .version(version);
for (const command of commands) command(program, terminal);
await runProgram(program, terminal);
