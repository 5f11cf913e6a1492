import { describe, expect, it } from 'vitest';
import { emptyText } from '../../../client/src/panel/model/emptyText.ts';
import type { ContextLine } from '../../../client/src/panel/model/messages.ts';
import { zero } from '../../../engine/units.ts';
import { noon } from './samples.ts';

describe('the text in the place of rows', () => {
  const line = (more: Partial<ContextLine> = {}): ContextLine => ({
    name: 'prod-eu',
    server: 'https://x',
    isDemo: false,
    isProduction: false,
    isLocked: true,
    state: 'live',
    skew: zero,
    checkedAt: noon,
    idle: 3,
    listed: 2,
    isComplete: true,
    unseen: [],
    versions: [],
    flags: [],
    ...more,
  });
  const unseen = (why: ContextLine['unseen'][number]['why']): Partial<ContextLine> => ({
    unseen: [{ resource: 'jobs.batch', why, detail: 'x' }],
  });

  it.each([
    ['Not connected. ', []],
    ['Nothing is backing off. 3 policies idle: healthy, finished or not started.', [line()]],
    ['Nothing is backing off. 1 policy idle', [line({ idle: 1 })]],
    ['Nothing is backing off. 3 policies idle', [line(unseen('unserved'))]],
    ['Reading the cluster …', [line({ state: 'connecting', isComplete: false })]],
    ['Reading the cluster …', [line(), line({ isComplete: false })]],
    [
      'Signed out of prod-eu: what backs off there is not known.',
      [line({ state: 'unauthorised', isComplete: false }), line({ name: 'other' })],
    ],
    [
      'Stopped reading prod-eu: what backs off there is not known.',
      [line({ state: 'stopped', isComplete: false })],
    ],
    ['The connection to prod-eu is lost', [line({ state: 'reconnecting', isComplete: false })]],
    ['Nothing is backing off in what could be read. 3 policies idle', [line(unseen('failed'))]],
    ['Nothing is backing off in what could be read. 3 policies idle', [line(unseen('stale'))]],
    ['Nothing could be read', [line({ ...unseen('failed'), listed: 0 })]],
    ['Nothing is backing off in what you may list. 3 policies idle', [line(unseen('forbidden'))]],
    ['Forbidden here', [line({ ...unseen('forbidden'), listed: 0 })]],
    ['Nothing to look at', [line({ ...unseen('unserved'), listed: 0 })]],
  ] as const)('is: %s', (begins, contexts) => {
    expect(emptyText(contexts, 0).startsWith(begins), emptyText(contexts, 0)).toBe(true);
  });

  it('is about the filters where there are rows', () => {
    expect(emptyText([line({ state: 'unauthorised' })], 4)).toContain('No row passes the filters');
  });
});
