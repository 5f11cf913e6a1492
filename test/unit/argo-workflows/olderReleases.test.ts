import { describe, expect, it } from 'vitest';
import { analyse, endOf, waitsOf } from '../../support/analyse.ts';
import { now, only, read, workflow } from './liveStates.ts';

/** A template's strategy, its lines as they stand below the key. */
const template = (strategy: string): string => `apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: older}
spec:
  entrypoint: main
  templates:
    - name: main
      retryStrategy: ${strategy}
      container: {image: registry.example/a:1}
`;

const on = (version: string) => ({ versions: { 'argo-workflows': version } });

describe('a field that the release does not know', () => {
  const capped = template('{limit: 10, backoff: {duration: "1", factor: 2, cap: "5"}}');

  it('cuts no wait', () => {
    const [policy] = analyse(capped, on('3.6.0')).policies;
    expect(waitsOf(policy, 10).join(' ')).toBe('1s 2s 4s 8s 16s 32s 1m4s 2m8s 4m16s 8m32s');
    expect(policy?.schedule?.cap).toBeUndefined();
    const [later] = analyse(capped, on('3.7.0')).policies;
    expect(waitsOf(later, 5).join(' ')).toBe('1s 2s 4s 5s 5s');
  });

  it.each(['1d', '"{{workflow.parameters.cap}}"', '[1]'])('is not read either: %s', (cap) => {
    const text = template(`{limit: 3, backoff: {duration: 10s, factor: 2, cap: ${cap}}}`);
    const { policies, findings } = analyse(text, on('3.6.0'));
    expect(waitsOf(policies[0], 9)).toEqual(['10s', '20s', '40s']);
    expect(findings.map(({ code }) => code)).toEqual(
      cap.includes('{{') ? [] : ['policy/needs-version'],
    );
  });

  it('hides no wait of days behind a cap', () => {
    const text = template('{limit: 12, backoff: {duration: 5m, factor: 2, cap: 10m}}');
    const codes = (version: string) => analyse(text, on(version)).findings.map(({ code }) => code);
    expect(codes('3.6.0')).toContain('argo-workflows/waits-beyond-a-day');
    expect(codes('3.7.0')).toEqual([]);
  });

  it.each(['45s', '1d'])('holds no live wait: cap %s', (cap) => {
    const object = workflow({ limit: 4, backoff: { duration: '30s', factor: 2, cap } }, [
      'Failed',
      'Failed',
    ]);
    expect(only(read(object, now, on('3.6.0')))).toBe('waiting, retry 2, 1m, 2026-01-10T10:04:00Z');
  });

  it('decides nothing as an expression', () => {
    const text = template('{limit: 3, expression: "false"}');
    expect(endOf(analyse(text, on('3.1.0')).policies[0])).toBe('after 3 retries');
    expect(endOf(analyse(text, on('3.2.0')).policies[0])).toBe('after 0 retries');
  });
});
