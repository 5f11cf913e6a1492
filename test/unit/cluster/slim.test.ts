import { describe, expect, it } from 'vitest';
import { ownersOf } from '../../../client/src/cluster/relations.ts';
import { packedText, slim } from '../../../client/src/cluster/slim.ts';

describe('what is kept of an object', () => {
  it('leaves out managed fields and the last applied configuration', () => {
    const applied = 'kubectl.kubernetes.io/last-applied-configuration';
    const object = {
      kind: 'Job',
      metadata: { name: 'a', managedFields: [{}], annotations: { [applied]: '{}', note: 'x' } },
      spec: { backoffLimit: 2 },
    };
    expect(slim(object)).toEqual({
      kind: 'Job',
      metadata: { name: 'a', annotations: { note: 'x' } },
      spec: { backoffLimit: 2 },
    });
  });

  it('leaves out the environment and the volumes of pods, where secrets may be', () => {
    const container = {
      name: 'main',
      image: 'none',
      env: [{ name: 'TOKEN', value: 's' }],
      volumeMounts: [],
    };
    const spec = {
      restartPolicy: 'Never',
      volumes: [{}],
      containers: [container],
      initContainers: [container],
    };
    expect(slim({ kind: 'Pod', metadata: { name: 'a' }, spec })['spec']).toEqual({
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'none' }],
      initContainers: [{ name: 'main', image: 'none' }],
    });
  });

  it('cuts very long texts, however deep', () => {
    const packed = packedText({ spec: { list: [{ text: 'x'.repeat(100_000) }], small: 'y' } });
    expect(packed.length).toBeLessThan(9000);
    expect(JSON.parse(packed)).toMatchObject({ spec: { small: 'y' } });
  });
});

describe('whom an object belongs to', () => {
  const at = { namespace: 'ci' };
  it.each([
    [{ metadata: { ...at, ownerReferences: [{ kind: 'Job', name: 'a' }] } }, ['Job/ci/a']],
    [{ metadata: at, regarding: { kind: 'Job', name: 'a' } }, ['Job/ci/a']],
    [{ metadata: at, involvedObject: { kind: 'Pod', name: 'b' } }, ['Pod/ci/b']],
    [
      { metadata: { ...at, labels: { 'job-name': 'a', 'batch.kubernetes.io/job-name': 'a' } } },
      ['Job/ci/a'],
    ],
    [
      { metadata: { ...at, labels: { 'x.io/owner-kind': 'Thing', 'x.io/owner-name': 'c' } } },
      ['Thing/ci/c'],
    ],
    [{ metadata: { ...at, labels: { app: 'a' } } }, []],
    [{ metadata: { ...at, ownerReferences: 'broken', labels: 7 } }, []],
    [undefined, []],
  ])('%j', (object, owners) => {
    expect(ownersOf(object)).toEqual(owners);
  });
});
