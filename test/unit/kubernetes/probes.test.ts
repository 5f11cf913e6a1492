import { describe, expect, it } from 'vitest';
import { formatWindow } from '../../../engine/durations/format.ts';
import { givenUpAfter, noticedAfter } from '../../../engine/families/kubernetes/probePlace.ts';
import { seconds } from '../../../engine/units.ts';
import { analyse } from '../../support/analyse.ts';
import { sentenceOf } from '../../../engine/explain.ts';

const numbers = (delay: number, period: number, timeout: number, failures: number) => ({
  delay: seconds(delay),
  period: seconds(period),
  timeout: seconds(timeout),
  failures,
  successes: 1,
});

describe('when a container is given up, from its start', () => {
  it.each([
    ['the defaults', numbers(0, 10, 1, 3), '20s..31s'],
    ['a delay of 30s', numbers(30, 10, 1, 3), '50s..1m1s'],
    ['five minutes to start', numbers(0, 10, 1, 30), '4m50s..5m1s'],
    ['a timeout longer than the period', numbers(0, 5, 10, 2), '5s..25s'],
    ['one failure', numbers(0, 10, 1, 1), '0s..11s'],
  ])('%s', (_name, probe, expected) => {
    expect(formatWindow(givenUpAfter(probe))).toBe(expected);
  });

  it('leaves the delay out once it was well', () => {
    expect(formatWindow(noticedAfter(numbers(30, 10, 1, 3)))).toBe('20s..31s');
  });
});

it('reads zeros as the defaults', () => {
  const { policies } = analyse(`apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  containers:
    - name: web
      image: registry.example/web:1
      livenessProbe:
        tcpSocket: { port: 80 }
        periodSeconds: 0
        failureThreshold: 0
`);
  const probe = policies.find(({ family }) => family.id === 'kubernetes/probe');
  expect(probe && sentenceOf(probe)).toBe(
    'Probed every 10s; after 3 failures in a row the container is stopped and restarted',
  );
});
