import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Detail } from '../../../client/src/panel/model/detail.ts';
import type { ToPanel } from '../../../client/src/panel/model/messages.ts';
import { panelFeed } from '../../../client/src/panel/panelFeed.ts';
import { panelType } from '../../../client/src/panel/panelHtml.ts';
import type { PanelRow } from '../../../client/src/panel/model/panelRow.ts';
import { ms } from '../../../engine/units.ts';
import { handClock, shown, waiting } from './samples.ts';

const gathered = ms(100);
const row = shown('web-tls', waiting('14:11:00'));

/** A feed with one row, and everything that it tells the page and the extension. */
function setUp() {
  const { clock, pass } = handClock();
  const told: ToPanel[] = [];
  const selected: (string | undefined)[] = [];
  const source = { version: 'cert-manager 1.15 (assumed)', rows: [row] as readonly PanelRow[] };
  const detail = (id: string): Detail => ({
    id,
    policy: 'p',
    formula: 'f',
    version: source.version,
    past: [],
    evidence: [],
    links: [],
    actions: [],
  });
  const feed = panelFeed(
    { rows: () => source.rows, contexts: () => [], detail },
    {
      tell: (message) => told.push(message),
      selected: (id) => selected.push(id),
      asked: () => undefined,
    },
    clock,
  );
  const kinds = () => told.splice(0).map(({ type }) => type);
  return { feed, told, selected, source, pass, kinds };
}

describe('what the panel is told', () => {
  it('has the details anew when the connection changes what they are computed for', async () => {
    const { feed, told, source, pass, kinds } = setUp();
    feed.take({ type: 'ready' });
    feed.take({ type: 'select', id: row.id });
    kinds();
    source.version = 'cert-manager 1.16 (detected)';
    feed.contexts();
    await pass(gathered);
    expect(told.at(-1)).toMatchObject({ detail: { version: 'cert-manager 1.16 (detected)' } });
    expect(kinds()).toEqual(['contexts', 'detail']);
  });

  it('does not repeat details that are the same', async () => {
    const { feed, pass, kinds } = setUp();
    feed.take({ type: 'ready' });
    feed.take({ type: 'select', id: row.id });
    kinds();
    feed.contexts();
    feed.patch([row], []);
    await pass(gathered);
    expect(kinds()).toEqual(['patch', 'contexts']);
    feed.take({ type: 'select', id: row.id });
    expect(kinds()).toEqual(['detail']);
  });

  it.each(['closed', 'hidden'])('selects nothing any more once it is %s', () => {
    const { feed, selected } = setUp();
    feed.take({ type: 'ready' });
    feed.take({ type: 'select', id: row.id });
    feed.left();
    feed.left();
    expect(selected).toEqual([row.id, undefined]);
  });

  it('waits for the page, and then begins with everything', async () => {
    const { feed, pass, kinds } = setUp();
    feed.select(row.id);
    feed.patch([row], []);
    await pass(gathered);
    expect(kinds()).toEqual([]);
    feed.take({ type: 'ready' });
    expect(kinds()).toEqual(['all', 'select']);
    feed.patch([row], []);
    feed.patch([], [row.id]);
    await pass(gathered);
    expect(kinds()).toEqual(['patch']);
    feed.left();
    feed.contexts();
    await pass(gathered);
    expect(kinds()).toEqual([]);
  });
});

describe('the manifest of the extension', () => {
  it('wakes the extension for a panel that the editor restores', () => {
    const file = new URL('../../../package.json', import.meta.url);
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as { activationEvents: unknown };
    expect(manifest.activationEvents).toContain(`onWebviewPanel:${panelType}`);
  });
});
