import { formatDuration, formatWindow } from '../../durations/format.ts';
import { defineFamily, type Note, type Policy } from '../../family.ts';
import { waits } from '../../growth.ts';
import { plural } from '../../summary.ts';
import { ms } from '../../units.ts';
import { valueOf } from '../../setting.ts';
import { containerBlockSites } from './podSites.ts';
import { orDefault, probeDefaults, probeFields, type ProbeFields } from './probeFields.ts';
import {
  givenUpAfter,
  noticedAfter,
  probeNumbers,
  probePlace,
  type ProbePlace,
} from './probePlace.ts';
import { probeLive } from './probeLive.ts';
import { probeRules } from './probeRules.ts';
import { kubernetes, sources } from './system.ts';

const consequences = {
  liveness: 'the container is stopped and restarted',
  readiness: 'the pod gets no more traffic, and is probed further',
  startup: 'the container is stopped and restarted',
} as const;

/** Words of other systems for the numbers of a probe. */
const meant: ReadonlyMap<string, string> = new Map([
  ['retries', 'failureThreshold'],
  ['maxRetries', 'failureThreshold'],
  ['threshold', 'failureThreshold'],
  ['interval', 'periodSeconds'],
  ['intervalSeconds', 'periodSeconds'],
  ['timeout', 'timeoutSeconds'],
  ['delay', 'initialDelaySeconds'],
  ['startPeriod', 'initialDelaySeconds'],
]);

/** Probes as schedules: how often a container is asked, and after how many failures something happens. */
export const family = defineFamily({
  id: 'kubernetes/probe',
  system: kubernetes,
  title: 'Probes',
  summary:
    'The kubelet asks a container at a fixed rate. After `failureThreshold` failures in a row a liveness or startup probe has it stopped and restarted, and a readiness probe takes its pod out of rotation.',
  formula:
    'one probe each periodSeconds (each timeoutSeconds while probes hang, if that is longer); given up between initialDelay + (failureThreshold - 1) × period and initialDelay + failureThreshold × period + timeout after the start',
  cite: sources.probes,
  sites: ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((block) =>
    containerBlockSites(block),
  ),
  fields: probeFields,
  closed: { alsoKnown: ['tcpSocket', 'grpc'] },
  meantBy: (key) => meant.get(key),
  facts: probePlace,
  schedule: ({ periodSeconds, timeoutSeconds, failureThreshold }, { facts }) => {
    const period = orDefault(periodSeconds, probeDefaults.periodSeconds);
    const timeout = orDefault(timeoutSeconds, probeDefaults.timeoutSeconds);
    const failures = orDefault(failureThreshold, probeDefaults.failureThreshold);
    const wait = { lo: period, hi: ms(Math.max(period, timeout)) };
    return {
      waits: waits(() => wait, 1),
      stops: [
        {
          kind: 'retries',
          limit: Math.max(0, failures - 1),
          then: consequences[facts.kind],
          origin: { kind: 'field', field: 'failureThreshold' },
        },
      ],
      resets: [
        {
          text: 'a probe succeeds',
          origin: { kind: 'built-in', name: 'the kubelet', cite: sources.probes },
        },
      ],
      clock: 'fixed-rate',
    };
  },
  rules: probeRules,
  sentence: ({ settings, facts }) => {
    const numbers = probeNumbers(settings);
    if (numbers === undefined)
      return `probed until it fails too often: ${consequences[facts.kind]}`;
    const { period, failures } = numbers;
    const inARow = failures === 1 ? 'the first failure' : `${String(failures)} failures in a row`;
    return `probed every ${formatDuration(period)}; after ${inARow} ${consequences[facts.kind]}`;
  },
  notes,
  effect,
  live: probeLive,
  examples: [
    {
      name: 'a liveness probe with the defaults',
      yaml: `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
    - name: web
      image: registry.example/web:1
      livenessProbe:
        httpGet:
          path: /live
          port: 8080
`,
      waits: ['10s', '10s'],
      ends: 'after 2 retries',
      findings: [],
    },
    {
      name: 'five minutes to start',
      yaml: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  selector:
    matchLabels: { app: shop }
  template:
    metadata:
      labels: { app: shop }
    spec:
      containers:
        - name: shop
          image: registry.example/shop:1
          startupProbe:
            httpGet:
              path: /live
              port: 8080
            failureThreshold: 30
            periodSeconds: 10
`,
      waits: ['10s', '10s', '10s'],
      ends: 'after 29 retries',
      findings: [],
    },
    {
      name: 'a timeout longer than the period',
      yaml: `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
    - name: web
      image: registry.example/web:1
      readinessProbe:
        tcpSocket:
          port: 8080
        periodSeconds: 5
        timeoutSeconds: 10
        failureThreshold: 2
`,
      waits: ['5s..10s'],
      ends: 'after 1 retry',
      findings: ['kubernetes/probe-timeout-over-period'],
    },
  ],
});

type ProbePolicy = Policy<ProbeFields, ProbePlace>;

function* notes({ settings, facts }: ProbePolicy): Generator<Note<keyof ProbeFields>> {
  const numbers = probeNumbers(settings);
  if (numbers === undefined) return;
  const { kind, podGrace, hasStartupProbe, restarts } = facts;
  const grace = valueOf(settings.terminationGracePeriodSeconds) ?? podGrace;
  const after = formatWindow(givenUpAfter(numbers));
  if (kind === 'startup') {
    yield {
      text: `The container has ${formatDuration(givenUpAfter(numbers).lo)} to start for certain: one that never does is stopped ${after} after its start`,
    };
    yield { text: 'The liveness and readiness probes begin when this one has succeeded once' };
  } else if (kind === 'liveness') {
    yield {
      text: hasStartupProbe
        ? `A container that stops answering is stopped ${formatWindow(noticedAfter(numbers))} later; until the startup probe has succeeded it is not asked`
        : `A container that never answers is stopped ${after} after its start; one that stops answering, ${formatWindow(noticedAfter(numbers))} later`,
    };
  } else {
    yield {
      text: `A pod that stops answering is out of rotation ${formatWindow(noticedAfter(numbers))} later, and in it again after ${plural(numbers.successes, 'success', 'successes')} in a row. It is never restarted for that`,
    };
  }
  if (kind !== 'readiness') {
    yield {
      text: restarts
        ? `Stopping takes up to ${formatDuration(grace)} more; the restart then waits as after any crash: 0s, 10s, 20s and so on up to 5m`
        : `Stopping takes up to ${formatDuration(grace)} more; the pod's \`restartPolicy: Never\` leaves it stopped`,
    };
  }
  yield {
    text: 'A probe that cannot be made at all (no such command, say) counts neither as failure nor as success',
  };
}

function effect({ settings }: ProbePolicy, name: keyof ProbeFields): string | undefined {
  const numbers = probeNumbers(settings);
  if (numbers === undefined || settings[name].from !== 'document') return undefined;
  const after = formatWindow(givenUpAfter(numbers));
  switch (name) {
    case 'initialDelaySeconds':
      return `Given up ${after} after the start; the delay holds after every restart`;
    case 'periodSeconds':
    case 'failureThreshold':
    case 'timeoutSeconds':
      return `Given up ${after} after the start, ${formatWindow(noticedAfter(numbers))} after it stops answering`;
    default:
      return undefined;
  }
}
