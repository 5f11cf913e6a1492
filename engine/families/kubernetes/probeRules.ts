import { formatDuration } from '../../durations/format.ts';
import { fix, insertEntry, removeEntry, replaceValue } from '../../edits.ts';
import { defineRule, type PolicyContext, type Rule } from '../../family.ts';
import { child, toJson, type SourceNode } from '../../source.ts';
import { ms } from '../../units.ts';
import { probeDefaults, type ProbeFields } from './probeFields.ts';
import { probeNumbers, type ProbePlace } from './probePlace.ts';
import { sources } from './system.ts';

type Context = PolicyContext<ProbeFields, ProbePlace>;
type ProbeRule = Rule<ProbeFields, ProbePlace>;
const rule = (one: ProbeRule): ProbeRule => defineRule(one);

const setValue = (context: Context, name: keyof ProbeFields, value: string) => {
  const node = context.nodeOf(name);
  return node === undefined ? undefined : replaceValue(node, value);
};

const remove = (context: Context, name: keyof ProbeFields, title: string) => {
  const node = context.nodeOf(name);
  return node === undefined ? [] : fix(title, true, removeEntry(context.tree, node));
};

const successes = rule({
  slug: 'probe-success-threshold',
  about: ['successThreshold'],
  severity: 'error',
  summary: 'A liveness or startup probe that asks for several successes.',
  explanation:
    'A container is alive, or has started, with the first success: `successThreshold` of a liveness or startup probe must be 1. The API server refuses the pod otherwise.',
  cite: sources.probeValidation,
  *check(context) {
    const { settings, policy } = context;
    const { kind } = policy.facts;
    const written = settings.successThreshold;
    if (kind === 'readiness' || written.from !== 'document' || written.value <= 1) return;
    yield {
      message: `The API server refuses ${String(written.value)} here: a ${kind} probe needs one success, only a readiness probe can ask for more`,
      at: context.valueSpanOf('successThreshold'),
      fixes: fix('Write successThreshold: 1', true, setValue(context, 'successThreshold', '1')),
    };
  },
});

const readinessGrace = rule({
  slug: 'probe-grace-readiness',
  about: ['terminationGracePeriodSeconds'],
  severity: 'error',
  summary: 'A termination grace period on a readiness probe.',
  explanation:
    'A readiness probe stops no container, so it has no `terminationGracePeriodSeconds`. The API server refuses the pod.',
  cite: sources.probeValidation,
  *check(context) {
    const { settings, policy } = context;
    if (policy.facts.kind !== 'readiness') return;
    if (settings.terminationGracePeriodSeconds.from !== 'document') return;
    yield {
      message:
        'A readiness probe stops no container, so the API server refuses a grace period here: it belongs to the liveness probe or the pod',
      at: context.keyOf('terminationGracePeriodSeconds'),
      fixes: remove(
        context,
        'terminationGracePeriodSeconds',
        'Remove terminationGracePeriodSeconds',
      ),
    };
  },
});

const zero = rule({
  slug: 'probe-zero',
  about: ['periodSeconds', 'timeoutSeconds', 'failureThreshold', 'successThreshold'],
  severity: 'warning',
  summary: 'A 0 in a probe, which the API server silently replaces.',
  explanation:
    'The API server takes 0 for "not written" and puts in the default: 10 for `periodSeconds`, 1 for `timeoutSeconds` and `successThreshold`, 3 for `failureThreshold`.',
  cite: sources.probeDefaults,
  *check(context) {
    for (const name of [
      'periodSeconds',
      'timeoutSeconds',
      'failureThreshold',
      'successThreshold',
    ] as const) {
      const setting = context.settings[name];
      if (setting.from !== 'document' || Number(setting.value) !== 0) continue;
      const fallback = probeDefaults[name];
      const isTime = name === 'periodSeconds' || name === 'timeoutSeconds';
      const written = String(isTime ? fallback / 1000 : fallback);
      yield {
        message: `0 is read as if nothing were written, so ${name} is ${written}: write the number that is meant`,
        at: context.valueSpanOf(name),
        fixes: fix(`Write ${name}: ${written}`, false, setValue(context, name, written)),
      };
    }
  },
});

const slowProbe = rule({
  slug: 'probe-timeout-over-period',
  about: ['timeoutSeconds'],
  severity: 'warning',
  summary: 'A probe that may take longer than the time to the next one.',
  explanation:
    'The next probe starts only when the last one has ended, so a probe that hangs is repeated after its timeout and not after its period: failures are noticed later than the period suggests.',
  cite: sources.probes,
  *check(context) {
    const { settings } = context;
    const numbers = probeNumbers(settings);
    if (numbers === undefined || settings.timeoutSeconds.from !== 'document') return;
    const { timeout, period, failures } = numbers;
    if (timeout <= period || period <= 0) return;
    const planned = formatDuration(period);
    const real = formatDuration(timeout);
    const total = formatDuration(ms(failures * timeout));
    yield {
      message: `A probe that hangs is repeated every ${real}, not every ${planned}, so ${String(failures)} ${failures === 1 ? 'failure takes' : 'failures take'} ${total}: write a timeout of at most ${planned}`,
      at: context.keyOf('timeoutSeconds'),
      fixes: fix(
        `Write timeoutSeconds: ${String(period / 1000)}`,
        false,
        setValue(context, 'timeoutSeconds', String(period / 1000)),
      ),
    };
  },
});

const oneFailure = rule({
  slug: 'probe-one-failure',
  about: ['failureThreshold'],
  severity: 'info',
  summary: 'A liveness probe that restarts the container after one failure.',
  explanation:
    'With `failureThreshold: 1` a single slow answer, of a busy node say, kills the container. Restarts under load make the load of the others worse.',
  cite: sources.probes,
  *check(context) {
    const { settings, policy } = context;
    if (policy.facts.kind !== 'liveness' || settings.failureThreshold.from !== 'document') return;
    if (settings.failureThreshold.value !== 1) return;
    const timeout = formatDuration(probeNumbers(settings)?.timeout ?? probeDefaults.timeoutSeconds);
    yield {
      message: `One answer that takes more than ${timeout} kills the container: allow at least 3 failures in a row`,
      at: context.valueSpanOf('failureThreshold'),
      fixes: fix('Write failureThreshold: 3', false, setValue(context, 'failureThreshold', '3')),
    };
  },
});

const handlers = ['httpGet', 'exec', 'tcpSocket', 'grpc'];

const sameAsReadiness = rule({
  slug: 'probe-same-as-readiness',
  needs: ['readinessProbe'],
  severity: 'hint',
  summary: 'A liveness probe that is the readiness probe over again.',
  explanation:
    'Where both probes ask the same and give up after the same time, a container that is only busy is restarted in the moment in which it should get a rest. Give the liveness probe a higher `failureThreshold`, or another question.',
  cite: sources.probes,
  when: ({ facts }) => facts.kind === 'liveness',
  *check(context) {
    const { settings, node, parents } = context;
    const readiness = child(parents[0], 'readinessProbe');
    const numbers = probeNumbers(settings);
    if (readiness?.kind !== 'map' || numbers === undefined || node === undefined) return;
    if (!handlers.some((key) => child(node, key) !== undefined)) return;
    if (fingerprint(node) !== fingerprint(readiness)) return;
    yield {
      message: `The same question as the readiness probe, with the same patience: a container that is only busy is restarted after ${String(numbers.failures)} failures instead of getting a rest. Allow the liveness probe more failures`,
      at: context.name,
      fixes: fix(
        `Write failureThreshold: ${String(numbers.failures * 3)}`,
        false,
        patience(context, String(numbers.failures * 3)),
      ),
    };
  },
});

function patience(context: Context, value: string) {
  const { node, tree } = context;
  const written = context.nodeOf('failureThreshold');
  if (written !== undefined) return replaceValue(written, value);
  return node?.kind === 'map' ? insertEntry(tree, node, 'failureThreshold', value) : undefined;
}

/** The probe with its defaults filled in, as a text that equal probes share. */
function fingerprint(probe: SourceNode): string {
  const own = (key: string, fallback: number): unknown => {
    const node = child(probe, key);
    const value = node === undefined ? 0 : toJson(node);
    return value === 0 || value === null ? fallback : value;
  };
  return JSON.stringify([
    handlers.map((key) => {
      const node = child(probe, key);
      return node === undefined ? null : toJson(node);
    }),
    own('periodSeconds', 10),
    own('timeoutSeconds', 1),
    own('failureThreshold', 3),
  ]);
}

const onInit = rule({
  slug: 'probe-on-init-container',
  needs: ['initContainers'],
  severity: 'error',
  summary: 'A probe on an init container that must end.',
  explanation:
    'An init container runs until it ends and is not probed; only one with `restartPolicy: Always`, which runs beside the others, can have probes. The API server refuses the pod.',
  cite: sources.podValidation,
  when: ({ facts }) => facts.role === 'init',
  *check(context) {
    const { node, parents } = context;
    if (node === undefined) return;
    if (child(parents[0], 'image') === undefined) return;
    yield {
      message:
        'An init container has no probes, so the API server refuses the pod: remove the probe, or let the container run beside the others with `restartPolicy: Always`',
      at: context.name,
      fixes: fix('Remove the probe', false, removeEntry(context.tree, node)),
    };
  },
});

/** The rules about probes. */
export const probeRules: readonly ProbeRule[] = [
  successes,
  readinessGrace,
  zero,
  slowProbe,
  oneFailure,
  sameAsReadiness,
  onInit,
];
