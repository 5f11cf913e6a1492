import { expect } from 'vitest';
import { formatWindow } from '../../../engine/durations/format.ts';
import { family } from '../../../engine/families/argo-workflows/retry-strategy.family.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { emptyView, type LiveBackoff, type LiveState } from '../../../engine/live.ts';
import { nameOf } from '../../../engine/summary.ts';
import {
  formatInstant,
  parseInstant,
  instant,
  type Instant,
  type Window,
} from '../../../engine/units.ts';
import { environment, type Given } from '../../support/analyse.ts';

export type Json = Readonly<Record<string, unknown>>;

export const now = '2026-01-10T10:05:10Z';

/** The states of a recorded workflow. */
export function read(recorded: Json, at = now, given: Given = {}): readonly LiveState[] {
  const object = jsonTree({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    ...recorded,
  }).root;
  return (
    family.live?.read({
      object,
      ref: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace: 'jobs', name: 'etl' },
      view: emptyView,
      env: environment(given),
      now: parseInstant(at) ?? instant(0),
    }) ?? []
  );
}

/** A workflow of one template whose runs have these phases, one minute apart and a minute long. */
export function workflow(
  strategy: Json,
  phases: readonly string[],
  retry: Json = {},
  spec: Json = {},
  status: Json = {},
): Json {
  const id = (index: number) => `etl-${String(index)}`;
  const time = (minute: number) => `2026-01-10T10:0${String(minute)}:00Z`;
  const runs = phases.map((phase, index) => ({
    id: id(index),
    name: `etl(${String(index)})`,
    type: 'Pod',
    phase: phase === 'Hook' ? 'Succeeded' : phase,
    templateName: 'main',
    nodeFlag: phase === 'Hook' ? { hooked: true } : { retried: true },
    message: `${phase} (exit code 1)`,
    outputs: { exitCode: '1' },
    startedAt: time(2 * index),
    ...(phase === 'Running' ? {} : { finishedAt: time(2 * index + 1) }),
  }));
  return {
    spec: { entrypoint: 'main', templates: [{ name: 'main', retryStrategy: strategy }], ...spec },
    status: {
      ...status,
      nodes: {
        etl: {
          id: 'etl',
          displayName: 'etl',
          type: 'Retry',
          phase: 'Running',
          templateName: 'main',
          templateScope: 'local/etl',
          children: runs.map((run) => run.id),
          ...retry,
        },
        ...Object.fromEntries(runs.map((run) => [run.id, run])),
      },
    },
  };
}

const times = ({ lo, hi }: Window<Instant>) =>
  lo === hi ? formatInstant(lo) : `${formatInstant(lo)}..${formatInstant(hi)}`;

/** A state in one line. */
export function line(state: LiveBackoff | undefined): string {
  switch (state?.kind) {
    case undefined:
      return 'no state';
    case 'waiting': {
      const { retry, wait, next, capped } = state;
      return [
        'waiting',
        retry.how === 'unknown' ? 'retry ?' : `retry ${String(retry.value)}`,
        wait.how === 'unknown' ? 'wait ?' : formatWindow(wait.value),
        next.how === 'unknown' ? 'next ?' : times(next.value),
        ...(capped.how !== 'unknown' && capped.value ? ['capped'] : []),
      ].join(', ');
    }
    case 'gave-up': {
      const { by, at } = state;
      const name = by.how === 'unknown' ? '?' : `${nameOf(by.value)} (${by.value.kind}, ${by.how})`;
      return `gave up by ${name} at ${at.how === 'unknown' ? '?' : formatInstant(at.value)}`;
    }
    case 'attempting':
      return `attempting, ${state.retry.how === 'unknown' ? 'first run' : `retry ${String(state.retry.value)}`}`;
    case 'idle':
      return `idle, ${state.because}`;
    case 'unseen':
      return `unseen, ${state.why}`;
  }
}

/** The one state there is, in one line. */
export const only = (states: readonly LiveState[]): string => {
  expect(states).toHaveLength(1);
  return line(states[0]?.state);
};
