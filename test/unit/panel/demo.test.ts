import { describe, expect, it } from 'vitest';
import { sortedRows } from '../../../cli/statusCommandTable.ts';
import { createHub } from '../../../client/src/live/hub.ts';
import { detailOf, emptyBeside } from '../../../client/src/live/details.ts';
import { demoContext, demoPort } from '../../../client/src/cluster/demoPort.ts';
import { statusJson } from '../../../client/src/cluster/statusJson.ts';
import { incidentMarkdown, tableMarkdown } from '../../../client/src/panel/incident.ts';
import { overview } from '../../../client/src/panel/model/overview.ts';
import { rowId, titleOf } from '../../../client/src/panel/model/panelRow.ts';
import { arrange, everything, mostUrgentFirst } from '../../../client/src/panel/model/table.ts';
import { isToPanel } from '../../../client/src/panel/model/messages.ts';
import { ms } from '../../../engine/units.ts';
import { demoSession, handClock, noon } from './samples.ts';

async function demoHub() {
  const { session, time, asked } = await demoSession();
  const hub = createHub();
  hub.add({ name: demoContext.name, session, port: demoPort(time.clock), isDemo: true });
  const row = (name: string) => {
    const found = [...hub.rows().values()].find((one) => one.name === name);
    if (found === undefined) throw new Error(`${name} has no row`);
    return found;
  };
  return { hub, session, time, row, asked };
}

describe('the demo', () => {
  it('says what it is wherever its context is named', () => {
    expect(demoContext.name).toMatch(/^Demo \(not a cluster\)$/);
    expect(demoContext.server).toMatch(/^demo/);
  });

  it('has objects in every group', async () => {
    const { hub, session } = await demoHub();
    const groups = overview(hub.rows().values(), session.snapshot().unseen);
    expect(groups.map(({ group }) => group)).toEqual(
      expect.arrayContaining(['gave-up', 'waiting', 'estimate', 'unseen']),
    );
    expect(session.snapshot().isComplete).toBe(true);
    expect(session.snapshot().idle).toBeGreaterThanOrEqual(5);
  });

  it('shows the next retry of what waits, to the second', async () => {
    const { row } = await demoHub();
    expect(row('checkout-tls')).toMatchObject({
      group: 'waiting',
      retry: 4,
      next: { lo: noon + 131 * 60_000 },
      wait: { lo: 28_800_000 },
    });
    expect(row('edge-eu')).toMatchObject({ part: 'apply', retry: 3, next: { lo: noon + 133_000 } });
    expect(row('nightly-etl')).toMatchObject({ retry: 3, next: { lo: noon + 24_000 } });
    expect(row('release-7f2c')).toMatchObject({ group: 'gave-up', endedBy: 'limit' });
  });

  it('goes on as time passes: a retry runs, and the wait after it is longer', async () => {
    const { row, time } = await demoHub();
    await time.pass(ms(75_000));
    expect(row('web-tls').group).toBe('attempting');
    await time.pass(ms(12_000));
    expect(row('web-tls')).toMatchObject({ group: 'waiting', retry: 2, wait: { lo: 7_200_000 } });
  });

  it('leaves out the Jobs that a TerraformCluster starts: their owner tells of them', async () => {
    const { hub } = await demoHub();
    expect([...hub.rows().values()].filter(({ name }) => name.startsWith('captf-'))).toEqual([]);
  });

  it('asks for nothing while it is paused, and goes on where it is by then', async () => {
    const { session, row, time, asked } = await demoHub();
    session.pause();
    const before = asked();
    await time.pass(ms(100_000));
    expect(asked()).toBe(before);
    session.resume();
    await time.pass(ms(3000));
    expect(row('web-tls')).toMatchObject({ group: 'waiting', retry: 2 });
  });

  it('takes everything away when it is disconnected', async () => {
    const { hub } = await demoHub();
    hub.remove(demoContext.name);
    expect(hub.rows().size).toBe(0);
    expect(hub.connections()).toEqual([]);
  });
});

describe('the details of an object', () => {
  it('have the schedule with the place where it stands', async () => {
    const { hub, row } = await demoHub();
    const found = hub.find(row('checkout-tls').id);
    if (found === undefined) throw new Error('no row');
    const detail = detailOf(found, emptyBeside);
    expect(isToPanel({ type: 'detail', detail })).toBe(true);
    const rungs = detail.ladder?.rungs ?? [];
    expect(rungs.map(({ retry, place, wait }) => [retry, place, wait.lo / 3_600_000])).toEqual([
      [1, 'past', 1],
      [2, 'past', 2],
      [3, 'past', 4],
      [4, 'here', 8],
      [5, 'later', 16],
      [6, 'later', 32],
      [7, 'later', 32],
      [8, 'later', 32],
      [9, 'later', 32],
    ]);
    expect(rungs[3]?.at?.lo).toBe(noon + 131 * 60_000);
    expect(rungs[4]?.at?.lo).toBe(noon + 131 * 60_000 + 16 * 3_600_000);
    expect(detail.actions.map(({ title }) => title)).toEqual(['Renew now']);
    expect(detail.evidence.map(({ path }) => path)).toContain('status.failedIssuanceAttempts');
  });

  it('find the policy of one step among others, and what has none', async () => {
    const { hub, row } = await demoHub();
    for (const { id } of hub.rows().values()) {
      const found = hub.find(id);
      if (found === undefined) throw new Error('no row');
      const detail = detailOf(found, emptyBeside);
      expect(isToPanel({ type: 'detail', detail }), titleOf(found.shown)).toBe(true);
      expect(detail.ladder !== undefined || detail.withoutLadder !== undefined).toBe(true);
    }
    const workflow = hub.find(row('nightly-etl').id);
    if (workflow === undefined) throw new Error('no row');
    const unpullable = hub.find(row('web-5c6d-h7k2p').id);
    if (unpullable === undefined) throw new Error('no row');
    expect(detailOf(unpullable, emptyBeside).ladder?.rungs[0]).not.toHaveProperty('place');
    expect(detailOf(workflow, emptyBeside).ladder?.rungs[2]).toMatchObject({
      retry: 3,
      place: 'here',
      wait: { lo: 40_000 },
    });
  });

  it('say that nothing skips the wait of CAPTF, and what ends it', async () => {
    const { hub, row } = await demoHub();
    const found = hub.find(row('edge-eu').id);
    if (found === undefined) throw new Error('no row');
    const detail = detailOf(found, emptyBeside);
    expect(detail.actions).toEqual([]);
    expect(detail.advice).toContain('no way to skip its wait');
  });
});

describe('what leaves the panel', () => {
  it('stands in the order of the command', async () => {
    const { hub, session } = await demoHub();
    const inPanel = arrange(hub.rows().values(), everything, mostUrgentFirst);
    const inShell = sortedRows(session.snapshot().rows.values());
    expect(inShell.map(({ key }) => rowId(demoContext.name, key))).toEqual(
      inPanel.map(({ id }) => id),
    );
    expect(inPanel.length).toBeGreaterThan(10);
  });

  it('is the JSON of status', async () => {
    const { session } = await demoHub();
    const json = statusJson(session.snapshot(), session.snapshot().rows.values());
    expect(json).toMatchObject({ version: 1, context: demoContext.name, clockSkewMs: 0 });
    const own = json.states.find(({ resource }) => resource.name === 'checkout-tls');
    expect(own).toMatchObject({
      family: 'cert-manager/issuance',
      state: 'waiting',
      retry: { how: 'reported', value: 4 },
      nextAt: { how: 'inferred', min: '2026-01-10T14:11:00Z', max: '2026-01-10T14:11:00Z' },
      wait: { minMs: 28_800_000, maxMs: 28_800_000 },
    });
    expect(JSON.parse(JSON.stringify(json))).toEqual(json);
  });

  it('is Markdown for the incident document', async () => {
    const { hub, row } = await demoHub();
    const found = hub.find(row('checkout-tls').id);
    if (found === undefined) throw new Error('no row');
    const text = incidentMarkdown(found.shown, detailOf(found, { ...emptyBeside, past: [] }), noon);
    expect(text).toContain('### Certificate `shop/checkout-tls`: backing off');
    expect(text).toContain('next 2026-01-10T14:11:00Z (in 2h11m, after a wait of 8h)');
    expect(text).toContain('| 4 | 8h | 2026-01-10T14:11:00Z | **here** |');
    expect(text).toContain('`status.failedIssuanceAttempts` is `4`');
    expect(tableMarkdown([...hub.rows().values()], noon).split('\n').length).toBe(
      hub.rows().size + 3,
    );
  });
});

describe('the port of the demo', () => {
  const { clock } = handClock();
  const port = demoPort(clock);
  const get = async (path: string, query: Readonly<Record<string, string>> = {}) => {
    const result = await port.request({ method: 'GET', path, query });
    return result.ok ? result.answer.body : result.failure;
  };

  it('lists in pages', async () => {
    const first = await get('/apis/cert-manager.io/v1/certificates', { limit: '3' });
    expect(first).toMatchObject({ metadata: { continue: '3', remainingItemCount: 5 } });
    const second = await get('/apis/cert-manager.io/v1/certificates', {
      limit: '5',
      continue: '3',
    });
    expect(second).toMatchObject({ items: [{}, {}, {}, {}, {}] });
    expect(second).not.toHaveProperty('metadata.continue');
  });

  it('selects by fields and labels', async () => {
    const events = await get('/api/v1/namespaces/shop/events', {
      fieldSelector: 'involvedObject.kind=Certificate,involvedObject.name=checkout-tls',
    });
    expect(events).toMatchObject({ items: [{}, {}, {}] });
    const jobs = await get('/apis/batch/v1/jobs', {
      labelSelector: 'captf.infrastructure.cluster.x-k8s.io/owner-name=edge-eu',
    });
    expect(jobs).toMatchObject({ items: [{}, {}, {}] });
  });

  it('refuses what the demo shows as forbidden, and does not know the rest', async () => {
    expect(await get('/apis/acme.cert-manager.io/v1/challenges')).toMatchObject({
      kind: 'forbidden',
    });
    expect(await get('/api/v1/secrets')).toMatchObject({ kind: 'not-found' });
  });
});
