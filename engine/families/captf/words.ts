import { formatDuration } from '../../durations/format.ts';
import { countedLimit, limitOfGrowth, retryDelay, retryMax } from './delays.ts';

/** The waits under a limit as a sentence has them: `1m, 2m, then 10m`, or `10m each time`. */
export function waitsInWords(limit: number): string {
  const growing = Math.min(countedLimit(limit), limitOfGrowth) - 1;
  const longest = formatDuration(retryMax.value);
  if (growing === 0) return `${longest} each time`;
  const waits = Array.from({ length: growing }, (_, index) =>
    formatDuration(retryDelay(index + 1, limit)),
  );
  return `${waits.join(', ')}, then ${longest}`;
}
