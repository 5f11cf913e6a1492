import { formatDuration } from '../../engine/durations/format.ts';
import type { FleetResult } from '../../engine/simulate.ts';
import { ms } from '../../engine/units.ts';
import type { Styles } from '../terminal.ts';

const width = 72;
const height = 8;
const eighths = ' ▁▂▃▄▅▆▇█';

/** The rate of retries over time, drawn with blocks, and what it comes to. */
export function renderFleet(result: FleetResult, styles: Styles): string {
  const { objects, retries, durationMs, firstSecond, peakPerSecond } = result;
  const facts: readonly (readonly [string, string])[] = [
    ['objects', number(objects)],
    ['retries', `${number(retries)} within ${formatDuration(ms(durationMs))}`],
    ['first second', `${number(firstSecond)} retries`],
    ['busiest second', `${number(peakPerSecond)} retries`],
    ['all retried once', since(result.allRetriedOnceAtMs)],
    ...(result.recoveredAtMs === undefined
      ? []
      : [['all recovered', since(result.recoveredAtMs)] as const]),
    ...(result.gaveUp === undefined
      ? []
      : [['gave up', `${number(result.gaveUp)} objects: their policy ended`] as const]),
    ...(result.cutShortAtMs === undefined
      ? []
      : [
          [
            'cut short',
            `at ${formatDuration(ms(result.cutShortAtMs))}: too many retries to count on`,
          ] as const,
        ]),
  ];
  const lines = [
    ...chart(result.perSecond, durationMs).map((line) => `  ${line}`),
    '',
    ...facts.map(([name, value]) => `  ${styles.bold(name.padEnd(16))}  ${value}`),
  ];
  return `${lines.join('\n')}\n`;
}

const number = (value: number): string => value.toLocaleString('en-US');

const since = (at: number | undefined): string =>
  at === undefined ? 'not within this time' : `after ${formatDuration(ms(Math.round(at)))}`;

/** Each column is the busiest second of its part of the time. */
function chart(perSecond: readonly number[], durationMs: number): readonly string[] {
  const columns = Math.min(width, perSecond.length);
  const peaks = Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column * perSecond.length) / columns);
    const to = Math.max(from + 1, Math.floor(((column + 1) * perSecond.length) / columns));
    return perSecond.slice(from, to).reduce((most, value) => Math.max(most, value), 0);
  });
  const top = peaks.reduce((most, value) => Math.max(most, value), 0);
  const label = number(top);
  const rows = Array.from({ length: height }, (_, index) => {
    const floor = height - 1 - index;
    const bar = peaks.map((value) => blockOf(value, top, floor)).join('');
    const axis = index === 0 ? label : index === height - 1 ? '0' : '';
    return `${axis.padStart(label.length)} ┤${bar}`.trimEnd();
  });
  const end = formatDuration(ms(durationMs));
  const scale = `0s${end.padStart(Math.max(end.length + 1, columns - 2))}`;
  return [
    'retries per second',
    ...rows,
    `${' '.repeat(label.length)} └${'─'.repeat(columns)}`,
    `${' '.repeat(label.length + 2)}${scale}`,
  ];
}

/** The part of a column that lies in one row; anything above zero shows. */
function blockOf(value: number, top: number, floor: number): string {
  if (value <= 0 || top <= 0) return ' ';
  const filled = Math.max(1, Math.round((value / top) * height * 8)) - floor * 8;
  return eighths.charAt(Math.max(0, Math.min(8, filled)));
}
