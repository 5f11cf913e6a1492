import { describe, expect, it } from 'vitest';
import { captfWaits } from '../../../engine/families/kubernetes/jobOwner.ts';
import { retryDelay } from '../../../engine/families/captf/delays.ts';
import { formatDuration } from '../../../engine/durations/format.ts';
import { manifestStates } from '../../../engine/manifestState.ts';
import { policyJson } from '../../../engine/policyJson.ts';
import { describeLive } from '../../../engine/renderLive.ts';
import { analyseFile } from '../../../server/src/analysis/file.ts';
import { fileView } from '../../../server/src/analysis/fileView.ts';
import { contextOf } from '../../support/analyse.ts';
import { at, job, uid, waitingLine } from './recorded.ts';

const owner = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
  kind: 'TerraformCluster',
  metadata: { name: 'prod', namespace: 'team-a', uid },
  spec: { source: { image: 'a' } },
  status: { conditions: [{ type: 'ApplyJobSucceeded', status: 'False', reason: 'ApplyFailed' }] },
};

const worked = [
  owner,
  job('apply', 1, { at: '10:00:00' }),
  job('apply', 2, { at: '10:02:00' }),
  job('apply', 3, { at: '10:05:00' }, { interrupted: 'true' }),
];

const asStream = (objects: readonly unknown[]): string =>
  objects.map((object) => JSON.stringify(object)).join('\n---\n');
const asList = (objects: readonly unknown[]): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
const asRawList = (objects: readonly object[]): string =>
  JSON.stringify({
    apiVersion: 'batch/v1',
    kind: 'JobList',
    items: objects.map((object) => ({ ...object, kind: undefined, apiVersion: undefined })),
  });

function statesIn(text: string, family: string) {
  const file = analyseFile(text, contextOf());
  const view = fileView(file);
  const policies = file.documents.flatMap((document) => document.policies().policies);
  return policies
    .filter((analysed) => analysed.family.id === family)
    .flatMap((analysed) => manifestStates(analysed, at('10:03:00'), { view }));
}

describe('an owner printed with its Jobs', () => {
  it.each([
    ['in a stream', asStream(worked)],
    ['in a List', asList(worked)],
    ['behind its Jobs', asStream(worked.toReversed())],
    [
      'beside a raw list of them',
      `${JSON.stringify(owner)}\n---\n${asRawList(worked.slice(1).map((one) => ({ ...Object(one) })))}`,
    ],
  ])('%s: two failures count, and the interrupted Job does not', (_, text) => {
    const [apply] = statesIn(text, 'captf/jobs');
    expect(apply?.part).toBe('apply');
    expect(waitingLine(apply?.state)).toBe(
      'retry 3, 2 failures, 120..120s, 10:04:00..10:04:00 inferred, not capped',
    );
  });

  it('is told in JSON too', () => {
    const file = analyseFile(asStream(worked), contextOf());
    const [first] = file.documents[0]?.policies().policies ?? [];
    if (first === undefined) throw new Error('no policy');
    const rangeOf = () => ({ start: { line: 1, column: 1 }, end: { line: 1, column: 1 } });
    const input = { retries: 3, now: at('10:03:00'), rangeOf };
    expect(policyJson(first, { ...input, view: fileView(file) }).state?.state).toBe('waiting');
    expect(policyJson(first, input).state?.state).toBe('unseen');
  });

  it('takes no Job of another namespace', () => {
    const other = { ...owner, metadata: { ...owner.metadata, namespace: 'team-b' } };
    const [state] = statesIn(asStream([other, ...worked.slice(1)]), 'captf/jobs');
    expect(state?.state.kind).toBe('unseen');
  });
});

describe('a Job that CAPTF runs', () => {
  const told = (one: unknown) =>
    statesIn(JSON.stringify({ ...Object(one), spec: { template: { spec: {} } } }), 'kubernetes/job')
      .map(({ state }) => describeLive(state, at('10:03:00')))
      .join();

  it('is made up for by CAPTF, on its own schedule', () => {
    const text = told(job('apply', 1, { at: '10:00:00' }));
    expect(text).toContain('CAPTF starts the next Job of TerraformCluster prod: after failures');
    expect(text).not.toMatch(/[Nn]othing/);
    for (const failures of [1, 9]) {
      expect(captfWaits).toContain(formatDuration(retryDelay(failures, 9)));
    }
  });

  it('waits for a person after a plan that is blocked, and for ever after a restore', () => {
    const blocked = job('apply', 1, { at: '10:00:00' }, { 'destructive-plan-blocked': 'true' });
    expect(told(blocked)).toContain('waits for a person');
    expect(told(job('restore', 1, { at: '10:00:00' }))).toContain('never retries a restore');
  });
});
