import type { Command } from 'commander';
import { parseGoDuration } from '../engine/durations/go.ts';
import type { Ms } from '../engine/units.ts';
import { refuse } from './terminal.ts';

/** Reads a whole number from an option, or ends the call. */
export function wholeNumber(
  command: Command,
  option: string,
  text: string,
  least: number,
  most: number,
): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most)
    return value;
  const limits = `from ${String(least)} to ${most.toLocaleString('en-US')}`;
  return refuse(command, `${option} takes a whole number ${limits}, not "${text}"`);
}

/** Reads a number above zero from an option, or ends the call. */
export function positiveNumber(command: Command, option: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  return refuse(command, `${option} takes a number above zero, not "${text}"`);
}

/** Reads a Go duration that is not negative from an option, or ends the call. */
export function duration(command: Command, option: string, text: string): Ms {
  const read = parseGoDuration(text);
  if (!read.ok)
    return refuse(command, `${option} takes a duration such as 5ms or 16m40s: ${read.message}`);
  if (read.value < 0)
    return refuse(command, `${option} takes a duration from 0s on, not "${text}"`);
  return read.value;
}
