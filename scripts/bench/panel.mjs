// @ts-check
/**
 * `node scripts/bench/panel.mjs`: the panel in a real workbench, on a real API server with 20,000 custom resources.
 *
 * With --patience it waits as long as a person's editor does until nobody is taken to look, and as long again.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { launchControlPlane } from '../controlPlane/launch.mjs';
import { certificate, collection, failing, kind, line, ms, objects, rawList } from './cluster.mjs';
import { openPanelWindow } from './panelWindow.mjs';

/** @typedef {import('../controlPlane/launch.mjs').RunningControlPlane} RunningControlPlane */
/** @typedef {Awaited<ReturnType<typeof openPanelWindow>>} PanelWindow */

const perSecond = 100;
const lasts = 60_000;
const realPatience = 5 * 60_000;
const failingEvery = objects / failing;

/** @param {{ readonly isPatient?: boolean }} [options] */
export async function benchPanel({ isPatient = false } = {}) {
  const patience = isPatient ? realPatience : 3_000;
  const quiet = isPatient ? realPatience : 15_000;
  const plane = await launchControlPlane({ kinds: [kind], controllerManager: false });
  try {
    const made = Array.from({ length: objects }, (_, index) => certificate(index));
    await plane.seed(kind.plural, made);
    // What is written later has to stand in a namespace that is there.
    for (const name of new Set(made.map(({ metadata }) => metadata.namespace))) {
      await plane.api('POST', '/api/v1/namespaces', { metadata: { name } });
    }
    const raw = [await rawList(plane), await rawList(plane)];
    const window = await openPanelWindow(plane.kubeconfigs.admin, patience);
    try {
      const opened = await opening(window, plane);
      raw.push(await rawList(plane), await rawList(plane));
      return [
        ...opened.lines(Math.min(...raw)),
        ...(await updating(window, plane)),
        ...(await looksAway(window, plane, patience, quiet)),
      ];
    } finally {
      await window.close();
    }
  } finally {
    await plane.stop();
  }
}

/** @param {PanelWindow} window @param {RunningControlPlane} plane */
async function opening(window, plane) {
  const { began, first, complete } = await window.connect(failing);
  const pages = await ownRequests(plane, began, isList);
  const afterPage = first - Math.min(...pages.map(({ answered }) => answered));
  const lists = pages.filter(({ requestURI }) => !requestURI.includes('continue=')).length;
  const whole = complete - began;
  return {
    lines: (/** @type {number} */ raw) => [
      line('panel: first rows after a click', ms(first - began), '', undefined),
      line('panel: first rows after the first page', ms(afterPage), 'of 1000 ms', afterPage < 1000),
      line(
        'panel: complete, to the raw list',
        ms(whole),
        `${(whole / raw).toFixed(2)}x of 1.5x`,
        whole <= 1.5 * raw,
      ),
      line('panel: lists of the resource', String(lists), 'of 1', lists === 1),
    ],
  };
}

/** @param {PanelWindow} window @param {RunningControlPlane} plane */
async function updating(window, plane) {
  await window.host();
  const began = performance.now();
  const [{ median, longest, count }, sent] = await Promise.all([
    window.frames(lasts),
    update(plane, lasts),
  ]);
  const rate = sent / ((performance.now() - began) / 1000);
  const host = await window.host();
  return [
    line('updates a second, for a minute', rate.toFixed(0), `of ${perSecond}`, rate > 95),
    line(
      `panel: frame time, median of ${count}`,
      `${median.toFixed(1)} ms`,
      'of 16 ms',
      median < 16,
    ),
    line('panel: longest frame', `${longest.toFixed(1)} ms`, '', undefined),
    line('extension host: late at p99', `${host.late.toFixed(1)} ms`, 'of 20 ms', host.late < 20),
    line('extension host: late at most', `${host.latest.toFixed(1)} ms`, '', undefined),
  ];
}

/** Writes the status of objects that fail, so many a second. @param {RunningControlPlane} plane @param {number} span */
async function update(plane, span) {
  const began = performance.now();
  /** @type {Promise<unknown>[]} */
  let batch = [];
  let sent = 0;
  while (performance.now() - began < span) {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond);
    while (sent < due) batch.push(patch(plane, sent++));
    await delay(10);
    if (batch.length > 200) {
      await Promise.all(batch);
      batch = [];
    }
  }
  await Promise.all(batch);
  return sent;
}

/** @param {RunningControlPlane} plane @param {number} turn */
async function patch(plane, turn) {
  const { metadata } = certificate(((turn * 7) % failing) * failingEvery);
  const { status, body } = await plane.api(
    'PATCH',
    addressOf(metadata),
    { status: { failedIssuanceAttempts: 1 + (Math.floor(turn / 100) % 9) } },
    'application/merge-patch+json',
  );
  if (status !== 200) throw new Error(`A patch was answered ${status}: ${JSON.stringify(body)}`);
}

/** @param {{ readonly namespace: string, readonly name: string }} metadata */
const addressOf = ({ namespace, name }) =>
  `/apis/${kind.group}/${kind.version}/namespaces/${namespace}/${kind.plural}/${name}`;

/**
 * @param {PanelWindow} window
 * @param {RunningControlPlane} plane
 * @param {number} patience
 * @param {number} quiet
 */
async function looksAway(window, plane, patience, quiet) {
  await window.hide();
  const hidden = Date.now();
  // What was under way when it ended is told to the log a moment later.
  await delay(patience + 2_000);
  const paused = Date.now();
  const { metadata } = certificate(0);
  await plane.api('DELETE', addressOf(metadata));
  await patch(plane, 1);
  await delay(quiet);
  const before = await ownRequests(plane, hidden, () => true);
  const later = before.filter(({ asked }) => asked > paused);
  const shown = Date.now();
  await window.show();
  const count = (await window.frame()).locator('.count');
  await count.filter({ hasText: `${failing - 1} in all` }).waitFor();
  const resumed = Date.now() - shown;
  const state = await window.text('.band .status');
  const lists = await ownRequests(plane, shown, isList);
  return [
    line(
      `hidden for ${(patience / 1000).toFixed(0)} s: requests before it pauses`,
      String(before.length - later.length),
      '',
      undefined,
    ),
    line(
      `hidden, the next ${(quiet / 1000).toFixed(0)} s: requests`,
      String(later.length),
      'of 0',
      later.length === 0,
    ),
    line('shown again: right rows after', ms(resumed), state, state === 'Live'),
    line('shown again: lists', String(lists.length), 'of 0', lists.length === 0),
  ];
}

/** @typedef {{ readonly verb: string, readonly requestURI: string, readonly asked: number, readonly answered: number }} Audited */

const isList = (/** @type {Audited} */ { verb, requestURI }) =>
  verb === 'list' && requestURI.startsWith(collection);

/**
 * What the API server says that the extension has asked for since a time; the log tells of a watch twice.
 *
 * @param {RunningControlPlane} plane
 * @param {number} since
 * @param {(one: Audited) => boolean} isMeant
 * @returns {Promise<readonly Audited[]>}
 */
async function ownRequests(plane, since, isMeant) {
  /** @type {Map<string, Audited>} */
  const found = new Map();
  for (const text of (await readFile(plane.auditLog, 'utf8')).split('\n')) {
    if (!text.includes('"userAgent":"kube-backoff/')) continue;
    const { auditID, verb, requestURI, requestReceivedTimestamp, stageTimestamp } =
      JSON.parse(text);
    const asked = Date.parse(requestReceivedTimestamp);
    const one = { verb, requestURI, asked, answered: Date.parse(stageTimestamp) };
    if (asked >= since && isMeant(one) && !found.has(auditID)) found.set(auditID, one);
  }
  return [...found.values()];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { cells, holds } of await benchPanel({
    isPatient: process.argv.includes('--patience'),
  })) {
    console.log(`${holds === false ? '✗' : holds === true ? '✓' : ' '} ${cells.join('  ')}`);
  }
}
