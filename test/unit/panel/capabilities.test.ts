import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { at, isRecord, listIn } from '../../../client/src/cluster/json.ts';

const manifest: unknown = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../../package.json'), 'utf8'),
);

describe('what the extension says of itself', () => {
  it('lets a workspace that is not trusted say nothing about clusters', () => {
    const settings = at(manifest, 'contributes', 'configuration', 'properties');
    const own = isRecord(settings) ? Object.keys(settings) : [];
    const ofClusters = own.filter((name) => name.startsWith('kubeBackoff.cluster.'));
    expect(ofClusters.length).toBeGreaterThan(0);
    expect(
      listIn(manifest, 'capabilities', 'untrustedWorkspaces', 'restrictedConfigurations'),
    ).toEqual(ofClusters);
  });

  it.each(['untrustedWorkspaces', 'virtualWorkspaces'])('is limited, and says how: %s', (which) => {
    expect(at(manifest, 'capabilities', which)).toMatchObject({
      supported: 'limited',
      description: expect.stringMatching(/cluster/i),
    });
  });
});
