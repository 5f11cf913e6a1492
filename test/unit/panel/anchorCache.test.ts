import { describe, expect, it } from 'vitest';
import { anchorCache } from '../../../client/src/live/anchorCache.ts';
import type { AnchoredResource } from '../../../client/src/languageClient.ts';

const start = { line: 0, character: 0 };
const found: readonly AnchoredResource[] = [
  {
    resource: { apiVersion: 'batch/v1', kind: 'Job', name: 'web' },
    at: [],
    range: { start, end: start },
    policies: [],
  },
];

describe('what the server says of a manifest', () => {
  const asking = (...answers: readonly (readonly AnchoredResource[] | Error | undefined)[]) => {
    let asked = 0;
    const cache = anchorCache(() => {
      const answer = answers[asked];
      asked += 1;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    });
    return { cache, asked: () => asked };
  };

  it('is asked once for each version', async () => {
    const { cache, asked } = asking(found, []);
    expect(await Promise.all([cache.of('a', 1), cache.of('a', 1)])).toEqual([found, found]);
    expect(asked()).toBe(1);
    expect(await cache.of('a', 2)).toEqual([]);
    expect(await cache.of('a', 2)).toEqual([]);
    expect(asked()).toBe(2);
  });

  it('is asked again where it did not know the manifest, or failed', async () => {
    const { cache, asked } = asking(undefined, new Error('closed'), found);
    expect(await cache.of('a', 1)).toEqual([]);
    expect(await cache.of('a', 1)).toEqual([]);
    expect(await cache.of('a', 1)).toEqual(found);
    expect(asked()).toBe(3);
  });

  it('is forgotten with the document', async () => {
    const { cache, asked } = asking(found, found);
    await cache.of('a', 1);
    cache.forget('a');
    await cache.of('a', 1);
    expect(asked()).toBe(2);
  });
});
