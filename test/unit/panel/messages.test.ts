import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFromPanel, isToPanel } from '../../../client/src/panel/model/messages.ts';
import { panelHtml, randomNonce } from '../../../client/src/panel/panelHtml.ts';
import { gaveUp, noon, shown, trying, waiting } from './samples.ts';

const row = shown('web-tls', waiting('14:11:00'));

describe('a message to the panel', () => {
  it.each([
    { type: 'all', rows: [row, shown('a', gaveUp('09:00:00')), shown('b', trying)], contexts: [] },
    { type: 'patch', changed: [row], removed: ['x'] },
    { type: 'select', id: 'x' },
    { type: 'done', what: 'Copied' },
  ])('is understood: $type', (message) => {
    expect(isToPanel(JSON.parse(JSON.stringify(message)))).toBe(true);
  });

  it.each([
    ['an unknown type', { type: 'run', code: 'x' }],
    ['a missing field', { type: 'patch', changed: [row] }],
    ['a field too many', { type: 'select', id: 'x', html: '<b>' }],
    ['a row that is none', { type: 'patch', changed: [{ ...row, retry: 'four' }], removed: [] }],
    [
      'a row with something else in it',
      { type: 'patch', changed: [{ ...row, token: 'x' }], removed: [] },
    ],
    [
      'a time that is no number',
      { type: 'patch', changed: [{ ...row, next: { lo: noon, hi: NaN } }], removed: [] },
    ],
    ['nothing', undefined],
    ['a text', 'ready'],
  ])('is dropped with %s', (_, message) => {
    expect(isToPanel(message)).toBe(false);
  });
});

describe('a message from the panel', () => {
  it.each([
    { type: 'ready' },
    { type: 'select', id: 'x' },
    { type: 'link', id: 'x', link: 'yaml' },
    { type: 'action', id: 'x', action: 'cert-manager/renew' },
    { type: 'export', format: 'json', ids: ['x'] },
    { type: 'context', name: 'prod', does: 'unlock' },
    { type: 'role', name: 'prod', resource: 'jobs.batch', namespace: 'web' },
  ])('is understood: $type', (message) => {
    expect(isFromPanel(message)).toBe(true);
  });

  it.each([
    { type: 'link', id: 'x', link: 'command:evil' },
    { type: 'context', name: 'prod', does: 'delete' },
    { type: 'export', format: 'html', ids: [] },
    { type: 'role', name: 'prod', index: 3 },
    { type: 'ready', extra: 1 },
    { type: 'constructor' },
    { type: '__proto__' },
  ])('is dropped: $type', (message) => {
    expect(isFromPanel(message)).toBe(false);
  });

  it('may be anything at all without harm', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(typeof isFromPanel(value)).toBe('boolean');
        expect(typeof isToPanel(value)).toBe('boolean');
      }),
    );
  });
});

describe('the page', () => {
  const page = panelHtml({
    script: 'https://x/panel.js',
    style: 'https://x/panel.css',
    cspSource: 'https://x',
    nonce: 'abc',
    language: 'en"><script>',
  });

  it('allows one script by its nonce, our styles, and nothing else', () => {
    const policy = /content="([^"]*)"/.exec(page)?.[1];
    expect(policy).toBe(
      "default-src 'none'; script-src 'nonce-abc'; style-src https://x; font-src https://x",
    );
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toMatch(/unsafe|style="| on[a-z]+=/);
  });

  it('gets another nonce each time, which nobody can foresee', () => {
    const made = new Set(Array.from({ length: 100 }, randomNonce));
    expect(made.size).toBe(100);
    for (const nonce of made) expect(nonce).toMatch(/^[0-9a-f]{32}$/);
  });
});
