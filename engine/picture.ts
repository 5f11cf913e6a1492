import type { Step } from './schedule.ts';

const levels = '▁▂▃▄▅▆▇█';

/** The waits as bars in text: `▁▁▂▄█`. The longest wait is the full height, zero is a dot. */
export function sparkline(steps: readonly Step[]): string {
  const longest = longestOf(steps);
  return steps
    .map(({ wait }) => {
      if (wait.hi <= 0 || longest === 0) return '·';
      const level = Math.max(1, Math.round((wait.hi / longest) * levels.length));
      return levels.charAt(level - 1);
    })
    .join('');
}

const bar = { width: 14, gap: 3, height: 44, base: 4 };

/** The waits as an SVG picture; a random part is a paler top, the cap a dashed line. */
export function barsSvg(steps: readonly Step[], label: string): string {
  const longest = longestOf(steps);
  const width = steps.length * (bar.width + bar.gap) + bar.gap;
  const height = bar.height + bar.base;
  const scaled = (value: number) =>
    longest === 0 || value <= 0 ? 1 : Math.max(1, Math.round((value / longest) * bar.height));
  const bars = steps.map(({ wait, capped }, index) => {
    const x = bar.gap + index * (bar.width + bar.gap);
    const low = scaled(wait.lo);
    const high = scaled(wait.hi);
    const colour = capped ? '#c27d0e' : '#3b82c4';
    const pale = rect(x, height - high, high, colour, 0.45);
    return (high > low ? pale : '') + rect(x, height - low, low, colour, 1);
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${String(width)}" height="${String(height)}" role="img">` +
    `<title>${escapeXml(label)}</title>${bars.join('')}</svg>`
  );
}

const rect = (x: number, y: number, height: number, colour: string, opacity: number): string =>
  `<rect x="${String(x)}" y="${String(y)}" width="${String(bar.width)}" height="${String(height)}" rx="1.5" fill="${colour}" fill-opacity="${String(opacity)}"/>`;

const longestOf = (steps: readonly Step[]): number =>
  steps.reduce((longest, { wait }) => Math.max(longest, wait.hi), 0);

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
