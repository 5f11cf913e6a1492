import { expect, it } from 'vitest';
import { remembered } from '../../../engine/remembered.ts';

it('computes once for each text, nothing included, and starts anew when there are too many', () => {
  const computed: string[] = [];
  const length = remembered((text) => {
    computed.push(text);
    return text === '' ? undefined : text.length;
  }, 2);
  expect(['ab', '', 'ab', '', 'ab'].map(length)).toEqual([2, undefined, 2, undefined, 2]);
  expect(computed).toEqual(['ab', '']);
  expect(length('abc')).toBe(3);
  expect(length('ab')).toBe(2);
  expect(computed).toEqual(['ab', '', 'abc', 'ab']);
});
