import { describe, expect, it } from 'vitest';
import { markdownText } from '../../../client/src/live/markdownText.ts';

describe('foreign text in Markdown', () => {
  const image = String.raw`\!\[x\]\(https://a.b/c\)`;
  it.each([
    ['plain words', 'plain words'],
    ['set `limit` here', 'set `limit` here'],
    ['![x](https://a.b/c)', image],
    ['one ` and ![x](https://a.b/c)', `one \\\` and ${image}`],
    ['`a` one ` and ![x](https://a.b/c)', `\`a\` one \\\` and ${image}`],
    ['``` ![x](https://a.b/c) `', `\\\`\\\`\\\` ${image} \\\``],
    ['`![x](https://a.b/c)`', '`![x](https://a.b/c)`'],
    ['two\r\n\r\nlines and `co\nde`', 'two lines and `co de`'],
  ])('stays text: %j', (text, expected) => {
    expect(markdownText(text)).toBe(expected);
  });
});
