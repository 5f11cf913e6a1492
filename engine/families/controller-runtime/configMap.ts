import { parseGoDuration } from '../../durations/go.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { child, textAt, type SourceNode } from '../../source.ts';

/**
 * Whether a ConfigMap's data names a limiter: all of the keys are there, and a duration among them is one.
 *
 * Other programs use such words for plain numbers of their own; those are none of ours.
 */
export function namesLimiter(
  root: SourceNode,
  durations: readonly string[],
  others: readonly string[] = [],
): boolean {
  const data = child(root, 'data');
  const texts = durations.map((key) => textAt(data, key));
  const isWhole = others.every((key) => textAt(data, key) !== undefined);
  if (!isWhole || texts.includes(undefined)) return false;
  return texts.some((text) => text !== undefined && (isDuration(text) || isRunTimeText(text)));
}

const isDuration = (text: string): boolean => text !== '0' && parseGoDuration(text).ok;
