import { expect, it } from 'vitest';
import { manifestStates } from '../../../engine/manifestState.ts';
import { describeLive } from '../../../engine/renderLive.ts';
import { instant } from '../../../engine/units.ts';
import { analyseFile } from '../../../server/src/analysis/file.ts';
import { fileView } from '../../../server/src/analysis/fileView.ts';
import { analyse, contextOf, waitsOf } from '../../support/analyse.ts';

const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a' }] };
const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'web', namespace: 'shop', uid: '1' },
  spec: { backoffLimit: 6, template: { spec } },
  status: { failed: 3, startTime: '2026-01-10T08:00:00Z' },
};
const pod = (name: string, finishedAt: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'shop',
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'web', uid: '1' }],
  },
  spec,
  status: {
    phase: 'Failed',
    containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 1, finishedAt } } }],
  },
});

function statesIn(objects: readonly unknown[]): readonly string[] {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  const file = analyseFile(text, contextOf());
  const view = fileView(file);
  const now = instant(Date.parse('2026-01-10T09:00:50Z'));
  return file.documents
    .flatMap((document) => document.policies().policies)
    .filter(({ family }) => family.id === 'kubernetes/job')
    .flatMap((analysed) => manifestStates(analysed, now, { view }))
    .map(({ state }) => describeLive(state, now));
}

it('a Job printed with its pods tells when the next one starts', () => {
  const pods = ['09:00:00', '09:00:20', '09:00:40'].map((time, index) =>
    pod(`web-${String(index)}`, `2026-01-10T${time}Z`),
  );
  expect(statesIn([job])[0]).toContain('next time unknown');
  expect(statesIn([job, ...pods])[0]).toContain(
    'next between 2026-01-10T09:01:20Z and 2026-01-10T09:01:21Z',
  );
});

it('a Job of a JobSet that says nothing restarts its containers in place', () => {
  const { policies } = analyse(`apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
spec:
  replicatedJobs:
    - name: w
      template: {spec: {backoffLimit: 2, template: {spec: {containers: [{name: a, image: b}]}}}}
`);
  const found = policies.find(({ family }) => family.id === 'kubernetes/job');
  expect(found?.policy.settings['restartPolicy']).toMatchObject({
    from: 'default',
    value: 'OnFailure',
  });
  expect(waitsOf(found, 2)).toEqual(['0s', '10s']);
});
