#!/usr/bin/env node
/** `kubectl backoff`: kubectl runs the command `kubectl-backoff` with what is typed behind it. */
import { Command } from 'commander';
import { runProgram } from './runProgram.ts';
import { asStatus } from './statusCommand.ts';
import { openTerminal } from './terminal.ts';

const terminal = openTerminal(process);
const program = new Command('kubectl backoff');
asStatus(program, terminal);
await runProgram(program, terminal);
