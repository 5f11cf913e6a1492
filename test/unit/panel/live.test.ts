import { describe, expect, it, vi } from 'vitest';
import { demand, patience } from '../../../client/src/live/demand.ts';
import { differences, differenceText } from '../../../client/src/live/drift.ts';
import { lensText, type OwnRow } from '../../../client/src/live/lensText.ts';
import { logsCommand } from '../../../client/src/live/details.ts';
import { isProduction } from '../../../client/src/live/contextLines.ts';
import { settingsChange } from '../../../client/src/live/settingsChange.ts';
import { originOf, type Origin } from '../../../client/src/live/template.ts';
import { windowPlace, welcomeOf } from '../../../client/src/live/welcome.ts';
import { livePolicies } from '../../../client/src/panel/livePolicy.ts';
import type { SessionSnapshot } from '../../../client/src/cluster/sessionTypes.ts';
import { emptyEnvironment } from '../../../engine/environment.ts';
import { families } from '../../../engine/families/index.ts';
import type { LiveBackoff } from '../../../engine/live.ts';
import { buildRegistry } from '../../../engine/registry.ts';
import { ms } from '../../../engine/units.ts';
import {
  demoSession,
  gaveUp,
  handClock,
  noon,
  shown,
  snapshot,
  trying,
  waiting,
} from './samples.ts';

describe('the welcome', () => {
  const forbidden = { resource: 'jobs.batch', why: 'forbidden', detail: '' } as const;
  const unserved = { resource: 'x.y', why: 'unserved', detail: '' } as const;
  const stale = { resource: 'pods', why: 'stale', detail: '' } as const;
  const empty = (more: Partial<SessionSnapshot>) => snapshot({ idle: 0, ...more });
  it.each([
    ['web', welcomeOf('web', [], 0)],
    ['untrusted', welcomeOf('untrusted', [], 0)],
    ['virtual', welcomeOf('virtual', [], 0)],
    ['no-kubeconfig', welcomeOf('no-kubeconfig', [], 0)],
    ['not-connected', welcomeOf('ready', [], 0)],
    ['connecting', welcomeOf('ready', [snapshot({ isComplete: false })], 0)],
    [
      'unauthorised',
      welcomeOf('ready', [snapshot({ state: { kind: 'unauthorised', detail: 'x' } })], 0),
    ],
    ['stopped', welcomeOf('ready', [snapshot({ state: { kind: 'stopped', why: 'x' } })], 0)],
    ['forbidden', welcomeOf('ready', [empty({ listed: 0, unseen: [forbidden, unserved] })], 0)],
    ['forbidden-in-part', welcomeOf('ready', [empty({ unseen: [forbidden, unserved] })], 0)],
    ['forbidden-in-part', welcomeOf('ready', [snapshot({ unseen: [forbidden] })], 0)],
    ['unserved', welcomeOf('ready', [empty({ listed: 0, unseen: [unserved] })], 0)],
    ['quiet', welcomeOf('ready', [empty({ unseen: [unserved] })], 0)],
    ['quiet', welcomeOf('ready', [snapshot()], 0)],
    ['quiet', welcomeOf('ready', [snapshot({ unseen: [unserved] })], 0)],
    ['rows', welcomeOf('ready', [snapshot({ unseen: [forbidden, stale] })], 0)],
    ['rows', welcomeOf('untrusted', [snapshot()], 1)],
  ])('is %s for that cause of emptiness', (expected, found) => {
    expect(found).toBe(expected);
  });
});

describe('the place of a window', () => {
  const window = { hasCluster: true, isTrusted: true, folders: ['file'] };
  it.each([
    ['ready', window],
    ['ready', { ...window, folders: [] }],
    ['ready', { ...window, folders: ['vscode-vfs', 'file'] }],
    ['virtual', { ...window, folders: ['vscode-vfs'] }],
    // Trust that is given later does not make a virtual workspace one that reaches clusters.
    ['untrusted', { ...window, folders: ['vscode-vfs'], isTrusted: false }],
    ['web', { ...window, hasCluster: false }],
  ])('is %s', (expected, given) => {
    expect(windowPlace(given)).toBe(expected);
  });
});

describe('a change of settings', () => {
  const change = (...settings: readonly string[]) =>
    settingsChange((asked) => settings.some((one) => one === asked || one.startsWith(`${asked}.`)));
  it.each([
    [['kubeBackoff.systems'], { looks: false, restates: true, reconnects: false }],
    [['kubeBackoff.versions'], { looks: false, restates: true, reconnects: false }],
    [['kubeBackoff.cluster.context'], { looks: true, restates: false, reconnects: false }],
    [['kubeBackoff.cluster.namespaces'], { looks: true, restates: false, reconnects: true }],
    [['kubeBackoff.severity'], { looks: false, restates: false, reconnects: false }],
    [
      ['kubeBackoff.cluster.kubeconfig', 'kubeBackoff.featureGates'],
      { looks: true, restates: true, reconnects: true },
    ],
  ])('of %j', (settings, expected) => {
    expect(change(...settings)).toEqual(expected);
  });
});

describe('looking away', () => {
  it('pauses after five minutes with nobody looking, and goes on at once', async () => {
    const { clock, pass } = handClock();
    const on = { pause: vi.fn(), resume: vi.fn() };
    const looking = demand(clock, on);
    looking.set('panel', true);
    looking.set('overview', true);
    looking.set('overview', false);
    await pass(patience);
    expect(on.pause).not.toHaveBeenCalled();
    looking.set('panel', false);
    await pass(ms(patience - 1000));
    looking.set('panel', true);
    looking.set('panel', false);
    await pass(ms(patience - 1000));
    expect(on.pause).not.toHaveBeenCalled();
    await pass(ms(1000));
    expect(on.pause).toHaveBeenCalledTimes(1);
    expect(looking.isPaused()).toBe(true);
    looking.set('overview', true);
    expect(on.resume).toHaveBeenCalledTimes(1);
    expect(looking.isPaused()).toBe(false);
  });
});

describe('a context', () => {
  it.each([
    ['prod-eu', true],
    ['arn:aws:eks:eu:1:cluster/PRODUCTION', true],
    ['dev', false],
    ['Demo (not a cluster)', false],
  ])('%s is one that people depend on: %s', (name, expected) => {
    expect(isProduction(name)).toBe(expected);
  });
});

describe('a live object and the manifest it comes from', () => {
  const manifest = (kind: string, apiVersion: string, more: object = {}) => ({
    resource: { apiVersion, kind, name: 'report', ...more },
  });
  const owned = (kind: string, name: string) => ({
    metadata: { ownerReferences: [{ kind, name }] },
  });
  const ref = (kind: string, apiVersion: string, name: string, namespace = 'batch') => ({
    apiVersion,
    kind,
    name,
    namespace,
  });
  const rows: readonly (readonly [string, Origin | undefined, Origin | undefined])[] = [
    [
      'the object itself, in another version of its group',
      originOf(
        manifest('Certificate', 'cert-manager.io/v1alpha2'),
        ref('Certificate', 'cert-manager.io/v1', 'report'),
        {},
        undefined,
      ),
      'same',
    ],
    [
      'an object of that name in another group',
      originOf(
        manifest('Certificate', 'x/v1'),
        ref('Certificate', 'cert-manager.io/v1', 'report'),
        {},
        undefined,
      ),
      undefined,
    ],
    [
      'an object of that name in another namespace',
      originOf(
        manifest('Job', 'batch/v1', { namespace: 'web' }),
        ref('Job', 'batch/v1', 'report'),
        {},
        undefined,
      ),
      undefined,
    ],
    [
      'a Job of a CronJob',
      originOf(
        manifest('CronJob', 'batch/v1'),
        ref('Job', 'batch/v1', 'report-288'),
        owned('CronJob', 'report'),
        undefined,
      ),
      'made-from',
    ],
    [
      'a pod of a CronJob',
      originOf(
        manifest('CronJob', 'batch/v1'),
        ref('Pod', 'v1', 'report-288-x'),
        owned('Job', 'report-288'),
        undefined,
      ),
      'made-from',
    ],
    [
      'a pod of a Deployment',
      originOf(
        manifest('Deployment', 'apps/v1'),
        ref('Pod', 'v1', 'report-7d-x'),
        owned('ReplicaSet', 'report-7d'),
        undefined,
      ),
      'made-from',
    ],
    [
      'a Workflow of a template',
      originOf(
        manifest('WorkflowTemplate', 'argoproj.io/v1alpha1'),
        ref('Workflow', 'argoproj.io/v1alpha1', 'x'),
        { metadata: { labels: { 'workflows.argoproj.io/workflow-template': 'report' } } },
        undefined,
      ),
      'made-from',
    ],
    [
      'a Workflow with a generated name',
      originOf(
        {
          resource: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', name: 'etl-' },
          generateName: 'etl-',
        },
        ref('Workflow', 'argoproj.io/v1alpha1', 'etl-x7k'),
        {},
        undefined,
      ),
      'made-from',
    ],
    [
      'something else',
      originOf(manifest('Job', 'batch/v1'), ref('Job', 'batch/v1', 'other'), {}, undefined),
      undefined,
    ],
  ];
  it.each(rows)('%s', (_, found, expected) => {
    expect(found).toBe(expected);
  });
});

describe('the code lens', () => {
  const own = (
    name: string,
    state: LiveBackoff,
    origin: Origin = 'made-from',
    isEstimate = false,
  ): OwnRow => ({
    row: shown(name, state, { isEstimate }),
    origin,
    now: noon,
  });
  it.each([
    [
      [own('a', waiting('12:00:42')), own('b', waiting('13:00:00'))],
      '2 objects from this template are backing off, next in 42 seconds',
    ],
    [[own('a', waiting('12:02:14'), 'same')], 'This object is backing off, next in 3 minutes'],
    [[own('a', waiting(undefined), 'same')], 'This object is backing off'],
    [[own('a', gaveUp('09:00:00'), 'same')], 'This object gave up'],
    [
      [own('a', gaveUp('09:00:00')), own('b', waiting('12:00:01'))],
      '1 object from this template gave up; 1 object from this template is backing off, next in 1 second',
    ],
    [[own('a', trying, 'same')], 'This object is being tried now'],
    [[own('a', waiting('11:00:00'), 'same')], 'This object is backing off, next is due'],
  ])('says %#', (rows, text) => {
    expect(lensText(rows)).toBe(text);
  });

  it('says nothing where nothing is to be said', () => {
    expect(lensText([])).toBeUndefined();
  });
});

describe('the policy of a file and of the live object', () => {
  const registry = buildRegistry(families);
  const live = livePolicies(
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'report' },
      spec: { backoffLimit: 10, template: { spec: { restartPolicy: 'Never' } } },
    },
    registry,
    emptyEnvironment,
  );
  const anchor =
    live.find(({ family }) => family.id === 'kubernetes/job')?.policy.anchor.join('.') ?? '';
  const policy = (value: string, text = value) => ({
    family: 'kubernetes/job',
    anchor,
    names: [],
    at: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
    block: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
    settings: [{ name: 'backoffLimit', text, value }],
  });

  it('differ by value, and are named', () => {
    expect(differences(policy('5'), live).map(differenceText)).toEqual([
      'backoffLimit is 5 here, 10 in the cluster',
    ]);
    expect(differences(policy('10', '"10"'), live)).toEqual([]);
  });

  it('are not compared where the value is filled in at run time', () => {
    expect(differences(policy('5', '{{ .Values.limit }}'), live)).toEqual([]);
  });
});

describe('the command that prints logs', () => {
  it('names the context, the namespace and the container', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'cart' };
    const row = { family: 'kubernetes/container-restart', resource: pod, part: 'app' };
    expect(logsCommand(row, 'prod')).toBe(
      'kubectl --context prod -n shop logs cart -c app --previous',
    );
    expect(logsCommand(row, "it's")).toContain("--context 'it'\\''s'");
    const certificate = { ...row, resource: { ...pod, kind: 'Certificate' } };
    expect(logsCommand(certificate, 'prod')).toBeUndefined();
  });

  it('is none where the image cannot be pulled, as nothing has run', async () => {
    const { session } = await demoSession();
    const pulling = [...session.snapshot().rows.values()].find(
      ({ family }) => family === 'kubernetes/image-pull',
    );
    if (pulling === undefined) throw new Error('the demo pulls no image');
    expect(logsCommand(pulling, 'prod')).toBeUndefined();
    expect(logsCommand({ ...pulling, family: 'kubernetes/container-restart' }, 'prod')).toContain(
      '--previous',
    );
  });
});
