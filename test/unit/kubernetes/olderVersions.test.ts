import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { analyse } from '../../support/analyse.ts';

const job = (spec: string, kubernetes: string, gates?: Record<string, boolean>) =>
  analyse(
    `apiVersion: batch/v1
kind: Job
metadata:
  name: work
spec:
${spec}  template:
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: registry.example/work:1
`,
    { versions: { kubernetes }, ...(gates === undefined ? {} : { gates }) },
  );

const indexed = '  completionMode: Indexed\n  completions: 3\n  backoffLimitPerIndex: 7\n';

const explained = (found: ReturnType<typeof job>, id: string, field?: string) => {
  const policy = found.policies.find(({ family }) => family.id === id);
  if (policy === undefined) throw new Error(`no ${id}`);
  return explain(policy, field);
};

describe('a field that the version does not know', () => {
  it.each(['1.25.10', '1.28.3'])('is read as if it were not written: %s', (version) => {
    const found = job(indexed, version);
    expect(explained(found, 'kubernetes/job').end).toBe(
      '`backoffLimit`: the Job fails after retry 6',
    );
    expect(explained(found, 'kubernetes/job-index').sentence).toMatch(
      /^No retries per index, as Kubernetes 1\.\d+\.\d+ drops `backoffLimitPerIndex`/,
    );
    expect(found.findings.map(({ code }) => code)).toEqual(['policy/needs-version']);
  });

  it('counts from its version on, or with its gate', () => {
    for (const found of [
      job(indexed, '1.29.0'),
      job(indexed, '1.28.3', { JobBackoffLimitPerIndex: true }),
    ]) {
      expect(explained(found, 'kubernetes/job').end).toContain('`backoffLimitPerIndex`');
      expect(found.findings).toEqual([]);
    }
  });

  it('is said to be dropped where the reader points at it', () => {
    expect(
      explained(job(indexed, '1.28.3'), 'kubernetes/job', 'backoffLimitPerIndex').field?.value,
    ).toBe('Kubernetes 1.28.3 does not know it: it is dropped, and only backoffLimit counts');
  });

  it('is judged by no rule but the one that says so', () => {
    const policy = '  podFailurePolicy:\n    rules: [{ action: Ignored }]\n';
    const found = job(policy, '1.25.10');
    expect(found.findings.map(({ code }) => code)).toEqual(['policy/needs-version']);
    expect(explained(found, 'kubernetes/job').notes.join('\n')).not.toContain('first rule');
  });

  it('is silent where a template may leave it out', () => {
    const found = job('  backoffLimitPerIndex: {{ .Values.limit }}\n', '1.28.3');
    expect(found.findings).toEqual([]);
    expect(explained(found, 'kubernetes/job').end).toContain('after retry 6');
  });
});

it.each([
  ['1.24.17', ['policy/needs-version']],
  ['1.25.10', []],
  ['1.26.5', []],
])('takes the time zone of a CronJob from 1.25 on: %s', (kubernetes, codes) => {
  const text = `apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
spec:
  schedule: "0 7 * * *"
  timeZone: Europe/Berlin
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: report
              image: registry.example/report:1
`;
  const { findings } = analyse(text, { versions: { kubernetes } });
  expect(findings.map(({ code }) => code)).toEqual(codes);
});
