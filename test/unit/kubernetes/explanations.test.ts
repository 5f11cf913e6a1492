import { describe, expect, it } from 'vitest';
import { explain, type Explanation } from '../../../engine/explain.ts';
import { formatPath } from '../../../engine/source.ts';
import { analyse, type Given } from '../../support/analyse.ts';

const job = (spec: string, policy = 'Never') => `apiVersion: batch/v1
kind: Job
metadata:
  name: work
spec:
${spec}  template:
    spec:
      restartPolicy: ${policy}
      containers:
        - name: work
          image: registry.example/work:1
`;

function explained(text: string, id: string, field?: string, given: Given = {}): Explanation {
  const found = analyse(text, given).policies.find(
    ({ family }) => family.id === `kubernetes/${id}`,
  );
  if (found === undefined) throw new Error(`no ${id}`);
  return explain(found, field);
}

describe('what a Job will do', () => {
  it('names the cap of both generations where it matters', () => {
    const { sentence, field, notes } = explained(
      job('  backoffLimit: 10\n'),
      'job',
      'backoffLimit',
    );
    expect(sentence).toBe(
      '10 retries (11 attempts): 10s, 20s, 40s, 1m20s … 10m from retry 7; 50m30s of waiting in all',
    );
    expect(field?.effect).toBe('11 pods in all, 50m30s of waiting');
    expect(notes[0]).toBe(
      'The cap is 10m since 1.28. Up to 1.27 it was 6m, as the documentation still says: 34m30s in all there',
    );
  });

  it('computes with the cap of the version that runs', () => {
    const { sentence, notes, version } = explained(
      job('  backoffLimit: 8\n'),
      'job',
      'backoffLimit',
      { versions: { kubernetes: '1.27.7' } },
    );
    expect(sentence).toContain('22m30s of waiting in all');
    expect(notes[0]).toBe('From 1.28 on the cap is 10m: 30m30s in all there');
    expect(version).toBe('Kubernetes 1.27.7');
  });

  it('waits one step later in versions before 1.27, from the pod before on', () => {
    const { sentence, notes } = explained(job('  backoffLimit: 5\n'), 'job', undefined, {
      versions: { kubernetes: '1.20.2' },
    });
    expect(sentence).toBe(
      '5 retries (6 attempts): 0s, 10s, 20s, 40s, 1m20s; 2m30s of waiting in all',
    );
    expect(notes.join('\n')).toContain(
      'Before 1.27 a wait counts from when the pod before was made',
    );
  });

  it('says which version it takes for granted', () => {
    expect(explained(job(''), 'job').version).toBe(
      'Kubernetes 1.36.3 (assumed; set the version you run)',
    );
  });

  it('ends one run earlier where containers are restarted in place', () => {
    const { sentence, field } = explained(
      job('  backoffLimit: 3\n', 'OnFailure'),
      'job',
      'backoffLimit',
    );
    expect(sentence).toBe(
      '3 restarts in place, the last stopped as it begins (3 runs can finish): 0s, 10s, 20s; 30s of waiting in all',
    );
    expect(field?.effect).toBe(
      '3 runs can finish: the Job fails as restart 3 begins, after 30s of waiting',
    );
  });

  it('tells how far a deadline reaches', () => {
    const short = job('  backoffLimit: 6\n  activeDeadlineSeconds: 100\n');
    expect(explained(short, 'job', 'activeDeadlineSeconds').field?.effect).toBe(
      'Only 3 of 6 retries fit into 1m40s: all of them need 10m30s of waiting',
    );
    const long = job('  backoffLimit: 3\n  activeDeadlineSeconds: 300\n');
    expect(explained(long, 'job', 'activeDeadlineSeconds').field?.effect).toBe(
      'All 3 retries fit: 1m10s of waiting before 5m, which leaves 3m50s for the runs',
    );
  });

  it('takes the default of a template for what to expect', () => {
    const text = job('  backoffLimit: {{ .Values.limit | default 3 }}\n');
    const { sentence, assuming } = explained(text, 'job');
    expect(sentence).toBe('3 retries (4 attempts): 10s, 20s, 40s; 1m10s of waiting in all');
    expect(assuming).toHaveLength(1);
  });
});

describe('what a container will do', () => {
  const pod = (policy: string, extra = '') => `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  restartPolicy: ${policy}
  containers:
    - name: web
      image: registry.example/web:1
${extra}`;

  it.each([
    ['Always', 'Retries without end: 0s, 10s, 20s, 40s … 5m from retry 7'],
    ['OnFailure', 'Retries until it ends with exit code 0: 0s, 10s, 20s, 40s … 5m from retry 7'],
    ['Never', 'No retry: it stays ended at the first failure'],
  ])('%s', (policy, sentence) => {
    expect(explained(pod(policy), 'container-restart').sentence).toBe(sentence);
  });

  it('says that success is no end with Always', () => {
    expect(explained(pod('Always'), 'container-restart').notes).toContain(
      'Ending with exit code 0 is no success here: it is restarted all the same, after the same waits',
    );
  });

  it('stands behind the name of every container, and has no line of its own', () => {
    const { policies } = analyse(pod('Always'));
    const found = policies.filter(({ family }) => family.id === 'kubernetes/container-restart');
    expect(found.map(({ policy }) => formatPath(policy.anchor))).toEqual(['spec.containers[0]']);
    expect(found.every(({ policy }) => policy.site.implied === true)).toBe(true);
  });

  it('tells the time until a probe does something', () => {
    const text = pod(
      'Always',
      '      livenessProbe:\n        tcpSocket: { port: 80 }\n        initialDelaySeconds: 30\n',
    );
    expect(explained(text, 'probe').notes[0]).toBe(
      'A container that never answers is stopped 50s..1m1s after its start; one that stops answering, 20s..31s later',
    );
  });
});

it('tells the runs of a CronJob apart from retries', () => {
  const text = `apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
spec:
  schedule: "0 7 * * 1-5"
  jobTemplate:
    spec:
      backoffLimit: 1
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: report
              image: registry.example/report:1
`;
  const { sentence, notes } = explained(text, 'cronjob', 'schedule');
  expect(sentence).toBe(
    'A run 24h..72h apart, whatever came of the last one: a failed run is not repeated',
  );
  expect(notes).toContain(
    'A failing run goes on for 10s and the time of its attempts: 1 retry of its Job',
  );
});

it.each([
  ['suspend: true', 'Suspended, no run now; otherwise a run every 1m'],
  ['startingDeadlineSeconds: 0', 'No run: with a start deadline of 0'],
])('says where a CronJob starts no run: %s', (line, sentence) => {
  const text = `apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
spec:
  schedule: "* * * * *"
  ${line}
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: report
              image: registry.example/report:1
`;
  expect(explained(text, 'cronjob').sentence).toContain(sentence);
});
