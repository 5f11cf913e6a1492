import { describe, expect, it } from 'vitest';
import { agreedVersions } from '../../../client/src/live/agreedVersions.ts';
import type { ClusterSession, SessionSnapshot } from '../../../client/src/cluster/sessionTypes.ts';

const connection = (versions: Readonly<Record<string, string>>, isDemo = false) => {
  const snapshot: Pick<SessionSnapshot, 'versions'> = {
    versions: Object.entries(versions).map(([system, version]) => ({
      system,
      version,
      from: 'the API server',
    })),
  };
  const session: Pick<ClusterSession, 'snapshot'> = {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is looked at
    snapshot: () => snapshot as SessionSnapshot,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is looked at
  return { isDemo, session: session as ClusterSession };
};

describe('the versions that manifests are read with while clusters are connected', () => {
  it('are those that the clusters show', () => {
    const all = [connection({ kubernetes: '1.31.2' }), connection({ 'cert-manager': '1.16.1' })];
    expect(Object.fromEntries(agreedVersions(all))).toEqual({
      kubernetes: '1.31.2',
      'cert-manager': '1.16.1',
    });
  });

  it('leave out what two clusters disagree on', () => {
    const all = [
      connection({ kubernetes: '1.31.2', 'cert-manager': '1.16.1' }),
      connection({ kubernetes: '1.27.0', 'cert-manager': '1.16.1' }),
    ];
    expect(Object.fromEntries(agreedVersions(all))).toEqual({ 'cert-manager': '1.16.1' });
  });

  it('leave out the demo, which is no cluster', () => {
    expect(agreedVersions([connection({ kubernetes: '1.30.0' }, true)]).size).toBe(0);
    expect(agreedVersions([]).size).toBe(0);
  });
});
