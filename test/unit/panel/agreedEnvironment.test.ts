import { describe, expect, it } from 'vitest';
import type { ClusterSession } from '../../../client/src/cluster/sessionTypes.ts';
import { agreedEnvironment } from '../../../client/src/live/agreedEnvironment.ts';
import { contextLine } from '../../../client/src/live/contextLines.ts';
import { readClientSettings } from '../../../server/src/settings.ts';
import { demoSession, snapshot } from './samples.ts';

const minimum = 'cert-manager/certificateRequestMinimumBackoffDuration';

const connection = (
  versions: Readonly<Record<string, string>>,
  more: {
    readonly isDemo?: boolean;
    readonly controllers?: Readonly<Record<string, string>>;
    readonly gates?: Readonly<Record<string, boolean>>;
  } = {},
) => {
  const shown = snapshot({
    versions: Object.entries(versions).map(([system, version]) => ({
      system,
      version,
      from: 'the API server',
    })),
    flags: {
      controllers: new Map(Object.entries(more.controllers ?? {})),
      gates: new Map(Object.entries(more.gates ?? {})),
    },
  });
  const session: Pick<ClusterSession, 'snapshot'> = { snapshot: () => shown };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is looked at
  return { isDemo: more.isDemo ?? false, session: session as ClusterSession };
};

const agreed = (...connections: readonly ReturnType<typeof connection>[]) => {
  const { versions, controllers, gates } = agreedEnvironment(connections);
  return { ...Object.fromEntries([...versions, ...controllers]), ...Object.fromEntries(gates) };
};

describe('what manifests are read with while clusters are connected', () => {
  it('are the versions that the clusters show', () => {
    expect(
      agreed(connection({ kubernetes: '1.31.2' }), connection({ 'cert-manager': '1.16.1' })),
    ).toEqual({ kubernetes: '1.31.2', 'cert-manager': '1.16.1' });
  });

  it('leaves out what two clusters disagree on', () => {
    const one = connection({ kubernetes: '1.31.2', 'cert-manager': '1.16.1' });
    const other = connection({ kubernetes: '1.27.0', 'cert-manager': '1.16.1' });
    expect(agreed(one, other)).toEqual({ 'cert-manager': '1.16.1' });
  });

  it('leaves out the demo, which is no cluster', () => {
    expect(agreed(connection({ kubernetes: '1.30.0' }, { isDemo: true }))).toEqual({});
    expect(agreed()).toEqual({});
  });

  it('has the flags of a controller, unless another cluster runs it with its default', () => {
    const flagged = connection(
      { 'cert-manager': '1.21.0' },
      { controllers: { [minimum]: '5m' }, gates: { ServerSideApply: true } },
    );
    const plain = connection({ 'cert-manager': '1.21.0' });
    const without = connection({ kubernetes: '1.31.2' });
    const all = { 'cert-manager': '1.21.0', [minimum]: '5m', ServerSideApply: true };
    expect(agreed(flagged)).toEqual(all);
    expect(agreed(flagged, plain)).toEqual({ 'cert-manager': '1.21.0' });
    expect(agreed(flagged, without)).toMatchObject({ [minimum]: '5m', kubernetes: '1.31.2' });
  });

  it('reaches the manifests below what is set', () => {
    const detected = {
      versions: { 'cert-manager': '1.21.0' },
      controllers: { [minimum]: '5m', 'cert-manager/other': '1h' },
      featureGates: { ServerSideApply: true },
    };
    const read = readClientSettings({ detected, controllers: { [minimum]: '7m' } });
    expect(Object.fromEntries(read.detected)).toEqual({ 'cert-manager': '1.21.0' });
    expect(Object.fromEntries(read.gates)).toEqual({ ServerSideApply: true });
    expect(Object.fromEntries(read.controllers)).toEqual({
      [minimum]: '7m',
      'cert-manager/other': '1h',
    });
  });

  it('is told beside the versions of a context', async () => {
    const { session } = await demoSession();
    const own = connection(
      { 'cert-manager': '1.21.0' },
      { controllers: { [minimum]: '5m' }, gates: { ServerSideApply: true } },
    );
    const line = contextLine(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its port is not used
      { name: 'dev', isDemo: false, session: { ...session, ...own.session }, port: {} as never },
      { isLocked: true, isPaused: false },
    );
    expect(line.versions).toEqual(['cert-manager 1.21.0 (the API server)']);
    expect(line.flags).toEqual([
      'cert-manager certificateRequestMinimumBackoffDuration 5m',
      'feature gate ServerSideApply on',
    ]);
  });
});
