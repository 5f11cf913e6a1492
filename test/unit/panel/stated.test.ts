import { describe, expect, it } from 'vitest';
import type { FolderConfiguration } from '../../../client/src/languageClient.ts';
import { createHub } from '../../../client/src/live/hub.ts';
import { statedOver, type Stated } from '../../../client/src/live/stated.ts';
import { demoPort } from '../../../client/src/cluster/demoPort.ts';
import { demoSession, handClock } from './samples.ts';

const says = (more: Partial<FolderConfiguration>): FolderConfiguration => ({
  versions: {},
  gates: {},
  controllers: {},
  disabledSystems: [],
  ...more,
});

const settings: Stated = {
  env: {
    versions: new Map([
      ['kubernetes', '1.30.0'],
      ['cert-manager', '1.15.0'],
    ]),
    gates: new Map(),
    controllers: new Map(),
  },
  disabledSystems: new Set(['flux']),
};

const over = (...files: readonly FolderConfiguration[]) => {
  const { stated, disagreements } = statedOver(
    settings,
    files.map((one, index) => ({ folder: String(index), says: one })),
  );
  const { versions, gates, controllers } = stated.env;
  return {
    versions: Object.fromEntries(versions),
    gates: Object.fromEntries(gates),
    controllers: Object.fromEntries(controllers),
    disabled: [...stated.disabledSystems],
    disagreements,
  };
};

describe('what is stated of the clusters of the panel', () => {
  it('is what settings say where there is no file', () => {
    expect(over()).toEqual({
      versions: { kubernetes: '1.30.0', 'cert-manager': '1.15.0' },
      gates: {},
      controllers: {},
      disabled: ['flux'],
      disagreements: [],
    });
  });

  it('is what the file says over them', () => {
    const file = says({
      versions: { 'cert-manager': '1.7.1' },
      gates: { ServerSideApply: true },
      controllers: { 'cert-manager/x': '5m' },
      disabledSystems: ['captf'],
    });
    expect(over(file)).toEqual({
      versions: { kubernetes: '1.30.0', 'cert-manager': '1.7.1' },
      gates: { ServerSideApply: true },
      controllers: { 'cert-manager/x': '5m' },
      disabled: ['flux', 'captf'],
      disagreements: [],
    });
  });

  it('leaves out what the files of two folders say differently, and tells', () => {
    const found = over(
      says({
        versions: { 'cert-manager': '1.7.1', flux: '2.6.0' },
        gates: { ServerSideApply: true },
        controllers: { 'cert-manager/x': '5m' },
        disabledSystems: ['captf', 'crossplane'],
      }),
      says({
        versions: { 'cert-manager': '1.8.0' },
        gates: { ServerSideApply: false },
        controllers: { 'cert-manager/x': '6m' },
        disabledSystems: ['captf'],
      }),
    );
    expect(found).toEqual({
      versions: { kubernetes: '1.30.0', 'cert-manager': '1.15.0', flux: '2.6.0' },
      gates: {},
      controllers: {},
      disabled: ['flux', 'captf'],
      disagreements: [
        'the version of cert-manager',
        'the feature gate ServerSideApply',
        'the controller setting cert-manager/x',
        'whether crossplane is disabled',
      ],
    });
  });
});

describe('a system that is left alone', () => {
  it('has no rows, and has them again once it is not', async () => {
    const { session } = await demoSession();
    const hub = createHub();
    hub.add({ name: 'demo', session, port: demoPort(handClock().clock), isDemo: true });
    const own = () => [...hub.rows().values()].filter(({ system }) => system === 'cert-manager');
    const before = hub.rows().size;
    expect(own().length).toBeGreaterThan(0);
    hub.hide(new Set(['cert-manager']));
    expect(own()).toEqual([]);
    expect(hub.rows().size).toBeGreaterThan(0);
    hub.hide(new Set());
    expect(hub.rows().size).toBe(before);
  });
});
