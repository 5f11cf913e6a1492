import { fix, replaceText } from '../../edits.ts';
import { atLeast, type Environment } from '../../environment.ts';
import { defineFamily, defineRule, type Policy, type Rule } from '../../family.ts';
import { field, type Values } from '../../field.ts';
import { goDuration, type Format } from '../../format.ts';
import { constant, finite } from '../../growth.ts';
import type { Schedule, Stop } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { plural, summarise } from '../../summary.ts';
import { formatDuration } from '../../durations/format.ts';
import { zero, type Ms } from '../../units.ts';
import { expectFromParameters } from './expect.ts';
import { containerSetSites } from './sites.ts';
import { cite, system } from './system.ts';

const executor = cite(
  'cmd/argoexec/commands/emissary.go, pkg/apis/workflow/v1alpha1/container_set_template_types.go GetRetryStrategy',
);

/** The executor reads a text that is no number as 0, without a word: IntOrString.IntValue. */
const runs: Format<number> = {
  name: 'integer, or a string that holds one',
  samples: ['2', '3', '5'],
  write: String,
  read: (node) => {
    if (node.kind === 'scalar' && typeof node.value === 'string') {
      return { ok: true, value: /^[+-]?\d+$/.test(node.text) ? Number(node.text) : 0 };
    }
    if (node.kind === 'scalar' && typeof node.value === 'number' && Number.isInteger(node.value)) {
      return { ok: true, value: node.value };
    }
    const written = node.kind === 'scalar' ? node.text : node.kind;
    return {
      ok: false,
      problem: {
        code: 'wrong-type',
        message: `${written} is refused here: write a whole number, how often the command runs at most`,
      },
    };
  },
};

/** An empty text is as good as none. */
const pause: Format<Ms> = {
  ...goDuration,
  read: (node) =>
    node.kind === 'scalar' && node.value === '' ? { ok: true, value: zero } : goDuration.read(node),
};

const fields = {
  retries: field(runs, 'retries', 'How often the command runs at most, the first run included')
    .since('3.3.0', 'it is ignored or refused, and the command runs once')
    .unset('the command runs once'),
  duration: field(pause, 'duration', 'The wait between two runs of the command')
    .since('3.3.0', 'it is ignored or refused')
    .defaultsTo(zero, executor),
} as const;

type Fields = typeof fields;

const neverRuns: Rule<Fields, undefined> = defineRule<Fields, undefined>({
  slug: 'container-set-never-runs',
  severity: 'error',
  summary: '`retries` of 0, or a text that is no number: the command never runs.',
  explanation:
    'The executor counts runs down from `retries`. From 0, from a negative number and from a text that it cannot read, which counts as 0, it never starts the command, has no error to report, and the container exits with code 0 as if all were well.',
  cite: executor,
  *check({ settings, env, valueSpanOf, nodeOf }) {
    if (!isKnown(env)) return;
    const retries = valueOf(settings.retries);
    const node = nodeOf('retries');
    if (retries === undefined || retries > 0 || node?.kind !== 'scalar') return;
    yield {
      message: `The command never runs: \`retries\` counts all runs here and ${node.text === String(retries) ? 'is' : `"${node.text}" reads as`} ${String(retries)}. The container exits as if it had succeeded. Write 1 for one run without a retry`,
      at: valueSpanOf('retries'),
      fixes: fix('Write 1', false, replaceText(node, '1')),
    };
  },
});

const totalRuns: Rule<Fields, undefined> = defineRule<Fields, undefined>({
  slug: 'container-set-counts-runs',
  severity: 'warning',
  summary: '`retries` counts all runs of the command, the first one included.',
  explanation:
    'The field comment and the documentation promise one run more than `retries`. The executor passes the number on as the steps of a loop that runs the command once in each: `retries: 2` is one run and one retry. A `retryStrategy` on a template counts retries.',
  cite: executor,
  *check({ settings, env, keyOf, nodeOf }) {
    if (!isKnown(env)) return;
    const retries = valueOf(settings.retries);
    const node = nodeOf('retries');
    if (retries === undefined || retries < 1 || node?.kind !== 'scalar') return;
    const more = String(retries + 1);
    const what =
      retries === 1
        ? 'no retry at all'
        : `${plural(retries - 1, 'retry', 'retries')}, not ${String(retries)}`;
    yield {
      message: `${plural(retries, 'run')} in all: \`retries\` counts the first run here, so this is ${what}. Write ${more} for ${plural(retries, 'retry', 'retries')}`,
      at: keyOf('retries'),
      fixes: fix(`Write ${more}`, false, replaceText(node, more)),
    };
  },
});

const negativePause: Rule<Fields, undefined> = defineRule<Fields, undefined>({
  slug: 'container-set-negative-duration',
  severity: 'error',
  summary: 'A negative `duration` fails every container of the set.',
  explanation:
    'The executor refuses it before the command is started: `duration has to be positive`.',
  cite: executor,
  *check({ settings, env, valueSpanOf, nodeOf }) {
    if (!isKnown(env)) return;
    const duration = valueOf(settings.duration);
    const node = nodeOf('duration');
    if (duration === undefined || duration >= 0 || node?.kind !== 'scalar') return;
    const positive = node.text.replace(/^-/, '');
    yield {
      message: `The containers fail before their command starts: \`duration\` must not be negative. Write ${positive}`,
      at: valueSpanOf('duration'),
      fixes: fix(`Write ${positive}`, true, replaceText(node, positive)),
    };
  },
});

/** Whether the release at hand has the block at all. */
const isKnown = (env: Environment): boolean => atLeast(env, system, '3.3.0');

function scheduleOf(
  { retries, duration }: Values<Fields>,
  { env }: Policy<Fields, undefined>,
): Schedule<keyof Fields> {
  const rest = {
    resets: [
      {
        text: 'a new pod counts from the first run, such as by a retry of the template',
        origin: { kind: 'built-in', name: 'pods', cite: executor },
      },
    ],
    clock: 'after-attempt',
  } as const;
  const runsAtMost = isKnown(env) ? (retries ?? 1) : 1;
  if (isKnown(env) && (duration < 0 || runsAtMost < 1)) {
    return { waits: finite([]), stops: [noRun(duration)], ...rest };
  }
  const stop: Stop<keyof Fields> = {
    kind: 'retries',
    limit: runsAtMost - 1,
    then: 'the container fails',
    origin: { kind: 'field', field: 'retries' },
  };
  return { waits: constant(duration), stops: [stop], ...rest };
}

/** A negative wait is refused before the command starts; without any run there is no error to exit with. */
const noRun = (duration: Ms): Stop<keyof Fields> =>
  duration < 0
    ? {
        kind: 'condition',
        text: 'duration is negative',
        then: 'the container fails before its command starts',
        origin: { kind: 'field', field: 'duration' },
      }
    : {
        kind: 'condition',
        text: 'retries leaves no run of the command',
        then: 'the container exits as if it had succeeded',
        origin: { kind: 'field', field: 'retries' },
      };

/** `containerSet.retryStrategy`: the executor runs a command again in the same container. */
export const family = defineFamily<Fields>({
  id: 'argo-workflows/container-set-retry',
  system,
  title: 'Argo Workflows containerSet retryStrategy',
  summary:
    'Inside a container of the set the executor runs the command again when it fails, in the same pod. It does so as often as `retries` says in all, with the same wait each time.',
  formula: 'wait before retry k = `duration`; retries = `retries` − 1',
  cite: executor,
  sites: containerSetSites,
  fields,
  closed: { alsoKnown: [] },
  meantBy: (key) =>
    ['limit', 'maxRetries', 'attempts', 'count'].includes(key)
      ? 'retries'
      : ['backoff', 'interval', 'delay', 'wait'].includes(key)
        ? 'duration'
        : undefined,
  schedule: scheduleOf,
  sentence: ({ settings }, schedule) => {
    if (!schedule.stops.some((stop) => stop.kind === 'condition')) return summarise(schedule);
    return (valueOf(settings.duration) ?? 0) < 0
      ? 'no run: `duration` is negative, and the container fails before its command starts'
      : 'no run: the command never starts, and the container exits as if it had succeeded';
  },
  rules: [neverRuns, totalRuns, negativePause],
  *notes({ settings }) {
    const duration = valueOf(settings.duration);
    if (duration !== undefined && duration > 0) {
      yield {
        text: `A fixed wait of ${formatDuration(duration)} between runs of the command in the same pod, not a limit for all of them`,
        field: 'duration',
      };
    }
    yield {
      text: 'Each container of the set counts for itself; the pod and its status show nothing of it, only the log does',
    };
  },
  expect: expectFromParameters,
  examples: [
    {
      name: 'three runs with the same wait',
      yaml: `apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata:
  name: pair
spec:
  entrypoint: main
  templates:
    - name: main
      containerSet:
        retryStrategy:
          retries: 3
          duration: 30s
        containers:
          - name: load
            image: registry.example/load:1
`,
      waits: ['30s', '30s'],
      ends: 'after 2 retries',
      findings: ['argo-workflows/container-set-counts-runs'],
    },
    {
      name: 'no run at all',
      yaml: `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  generateName: none-
spec:
  entrypoint: main
  templates:
    - name: main
      containerSet:
        retryStrategy:
          retries: 0
        containers:
          - name: load
            image: registry.example/load:1
`,
      waits: [],
      ends: 'retries leaves no run of the command',
      findings: ['argo-workflows/container-set-never-runs'],
    },
  ],
});
