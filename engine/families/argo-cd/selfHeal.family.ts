import { isWholeContainer } from '../../containerKnobs.ts';
import { formatDuration } from '../../durations/format.ts';
import { fix, removeEntry, replaceText } from '../../edits.ts';
import { atLeast } from '../../environment.ts';
import {
  defineFamily,
  defineRule,
  type Note,
  type PolicyContext,
  type Rule,
  type Site,
} from '../../family.ts';
import { field } from '../../field.ts';
import { integerOrText } from '../../format.ts';
import { waitBackoffSteps } from '../../goBackoff.ts';
import { constant } from '../../growth.ts';
import { scalarOf } from '../../policyRules.ts';
import type { Schedule } from '../../schedule.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { nodeAt } from '../../source.ts';
import { ms, seconds, zero } from '../../units.ts';
import { countedSeconds, knobSources, type KnobFacts } from './knobs.ts';
import { unknownParameter } from './parameterNames.ts';
import {
  isParameterMap,
  selfHealKnobs,
  selfHealOfConfigMap,
  selfHealOfContainer,
} from './selfHealView.ts';
import { system } from './system.ts';

const [timeoutFlag, firstFlag, factorFlag, capFlag, cooldownFlag] = selfHealKnobs;
const keepsDefault = {
  consequence: 'so Argo CD keeps its default',
  cite: knobSources.environment,
};

const selfHealFields = {
  firstWait: field(
    countedSeconds,
    firstFlag,
    'Wait before an Application is healed again; 0 turns the growth off',
  )
    .within({ min: zero, ...keepsDefault })
    .since('2.13.0', 'every wait is `self-heal-timeout-seconds`')
    .defaultsTo(seconds(2), knobSources.flags),
  factor: field(integerOrText, factorFlag, 'What each wait is multiplied by for the next one')
    .within({ min: 0, ...keepsDefault })
    .since('2.13.0', 'every wait is `self-heal-timeout-seconds`')
    .defaultsTo(3, knobSources.flags),
  cap: field(countedSeconds, capFlag, 'Longest wait; 0 is no longest wait')
    .within({ min: zero, ...keepsDefault })
    .since('2.13.0', 'every wait is `self-heal-timeout-seconds`')
    .defaultsTo(seconds(300), knobSources.flags),
  timeout: field(countedSeconds, timeoutFlag, 'The wait where growth is off')
    .within({ min: zero, ...keepsDefault })
    .defaultsTo(zero, knobSources.flags),
  cooldown: field(
    countedSeconds,
    cooldownFlag,
    'Time in sync after which 3.1 and 3.2 start at the first wait again',
  )
    .beside()
    .since('3.1.0', 'it has no effect')
    .unset('330s in 3.1 and 3.2, nothing since 3.3'),
} as const;

// Before 2.13 the fixed wait had a default, because it was the only one. Same source, v2.12.0.
const oldTimeout = seconds(5);

type Fields = typeof selfHealFields;
type Context = PolicyContext<Fields, KnobFacts>;

const needs = ['self-heal-', 'SELF_HEAL_', 'controller.self.heal.'];

const sites: readonly Site[] = [
  {
    group: 'apps',
    kinds: ['StatefulSet', 'Deployment'],
    anchor: 'spec.template.spec.containers[*]',
    view: selfHealOfContainer,
    needs,
  },
  {
    group: '',
    kinds: ['ConfigMap'],
    anchor: 'data',
    when: isParameterMap,
    view: selfHealOfConfigMap,
    needs,
  },
];

const rules: readonly Rule<Fields, KnobFacts>[] = [
  defineRule({
    slug: 'self-heal-timeout-unused',
    severity: 'warning',
    summary: 'The fixed self-heal wait is set while growing waits are on.',
    explanation:
      'Since 2.13 the waits between self-heals grow by default, and then `self-heal-timeout-seconds` is not read. Set `self-heal-backoff-timeout-seconds` to 0 for a fixed wait, or tune the growing ones.',
    cite: knobSources.selfHeal,
    *check(context: Context) {
      const { settings, env } = context;
      const timeout = valueOf(settings.timeout);
      const first = valueOf(settings.firstWait);
      if (timeout === undefined || timeout <= 0 || first === undefined || first <= 0) return;
      if (!atLeast(env, system, '2.13.0') || !isWritten(settings.timeout)) return;
      if (!isWritten(settings.firstWait) && !context.policy.facts.whole) return;
      yield {
        message: `\`${timeoutFlag}\` (${formatDuration(timeout)}) is not read while the growing waits are on, from ${formatDuration(first)} to ${formatDuration(valueOf(settings.cap) ?? zero)}. Set \`${firstFlag}\` to 0 for a fixed wait, or leave this out`,
        at: context.keyOf('timeout'),
        unnecessary: true,
        fixes: removal(context, 'timeout'),
      };
    },
  }),
  defineRule({
    slug: 'self-heal-cooldown-unused',
    severity: 'info',
    summary: 'The self-heal cooldown has no effect since 3.3.',
    explanation:
      'Argo CD 3.1 and 3.2 started at the first wait again once an Application had been in sync for the cooldown. Since 3.3 the flag is deprecated and read by nobody; the count starts over with a new revision or another sync.',
    cite: knobSources.flags,
    *check(context: Context) {
      const { settings, env } = context;
      if (!isWritten(settings.cooldown) || !atLeast(env, system, '3.3.0')) return;
      yield {
        message: `\`${cooldownFlag}\` has no effect since Argo CD 3.3. Leave it out`,
        at: context.keyOf('cooldown'),
        unnecessary: true,
        fixes: removal(context, 'cooldown'),
      };
    },
  }),
  defineRule({
    slug: 'self-heal-cap-below-first',
    severity: 'warning',
    summary: 'The longest self-heal wait is below the first one, which is never capped.',
    explanation:
      'The first wait is taken as it is; only the later ones are cut at the cap. With a cap below it the waits become shorter after the first.',
    cite: knobSources.selfHeal,
    *check(context: Context) {
      const { settings } = context;
      const first = valueOf(settings.firstWait);
      const cap = valueOf(settings.cap);
      const factor = valueOf(settings.factor);
      if (first === undefined || cap === undefined || cap <= 0 || first <= cap) return;
      if (factor === undefined || first * factor <= cap || factor === 0) return;
      const isStated = isWritten(settings.cap);
      if (!isStated && !context.policy.facts.whole) return;
      yield {
        message: `The first wait is ${formatDuration(first)}, and all later ones only ${formatDuration(cap)}${isStated ? '' : ', the default cap'}: the cap does not hold for the first. Raise \`${capFlag}\`, or lower \`${firstFlag}\``,
        at: isStated ? context.valueSpanOf('cap') : context.valueSpanOf('firstWait'),
      };
    },
  }),
  defineRule({
    slug: 'self-heal-no-cap',
    severity: 'warning',
    summary: 'A self-heal cap of 0: the waits grow without end.',
    explanation:
      'A cap of 0 is no cap. The waits multiply by the factor with every self-heal of the same revision, and an Application that drifts now and then ends up not being healed for days.',
    cite: knobSources.selfHeal,
    *check(context: Context) {
      const { settings } = context;
      const first = valueOf(settings.firstWait);
      const cap = valueOf(settings.cap);
      const factor = valueOf(settings.factor);
      if (cap === undefined || cap > 0 || first === undefined || first <= 0) return;
      if (factor === undefined || factor < 2) return;
      const node = scalarOf(context, 'cap');
      yield {
        message: `Without a cap the waits grow without end: the tenth self-heal waits ${formatDuration(ms(first * factor ** 8))}. Write a longest wait, such as the default 300`,
        at: context.valueSpanOf('cap'),
        fixes: node === undefined ? [] : fix('Write 300', false, replaceText(node, '300')),
      };
    },
  }),
];

/** Waits between two self-heals of one revision, as the application controller's knobs set them. */
export const family = defineFamily({
  id: 'argo-cd/self-heal',
  system,
  title: 'Self-heal waits',
  summary:
    'With `automated.selfHeal` Argo CD syncs an Application again when it drifts from a revision that was synced with success. The first time it does so at once; between that and each further time it waits longer and longer.',
  formula:
    'wait before self-heal n+1 = min(first × factor^(n-1), cap), counted from the end of the last sync; the first self-heal of a revision does not wait, and the first wait is not capped',
  cite: knobSources.selfHeal,
  sites,
  fields: selfHealFields,
  facts: ({ root, anchor }): KnobFacts => ({
    whole: isParameterMap(root) || isWholeContainer(nodeAt(root, anchor)),
  }),
  schedule: ({ firstWait, factor, cap, timeout }, { env, settings }): Schedule<keyof Fields> => {
    const grows = firstWait > 0 && atLeast(env, system, '2.13.0');
    const isOld = !atLeast(env, system, '2.13.0') && settings.timeout.from === 'default';
    const fixed = isOld ? oldTimeout : timeout;
    const waits = grows
      ? waitBackoffSteps({ duration: firstWait, factor, jitter: 0, steps: 1_000_000, cap })
      : constant(fixed);
    return {
      waits,
      ...(grows && cap > 0 ? { cap: { value: cap, origin: { kind: 'field', field: 'cap' } } } : {}),
      stops: [],
      resets: [
        {
          text: 'a new revision, changed parameters, or a sync by hand',
          origin: { kind: 'built-in', name: 'autoHealAttemptsCount', cite: knobSources.selfHeal },
        },
      ],
      clock: 'after-attempt',
    };
  },
  rules,
  documentRules: [unknownParameter],
  *notes(): Generator<Note<keyof Fields>> {
    yield {
      text: 'The wait counts from the end of the last sync: an Application that drifts once a day is healed at once, however long the wait has become',
    };
    yield {
      text: 'A sync that failed is not healed: `spec.syncPolicy.retry` decides on that, and after it only a new revision does',
    };
  },
  effect(policy, name) {
    const first = valueOf(policy.settings.firstWait);
    const factor = valueOf(policy.settings.factor);
    const cap = valueOf(policy.settings.cap);
    if (first === undefined || factor === undefined || cap === undefined) return undefined;
    switch (name) {
      case 'firstWait':
        return first > 0
          ? `The second self-heal of a revision waits ${formatDuration(first)}`
          : 'Growth is off: every wait is `self-heal-timeout-seconds`';
      case 'factor':
        return factor > 1
          ? `Each wait is ${String(factor)} times the one before`
          : `Every wait is ${formatDuration(first)}`;
      case 'cap':
        return cap > 0
          ? `No wait after the first is longer than ${formatDuration(cap)}`
          : undefined;
      default:
        return undefined;
    }
  },
  examples: [
    {
      name: 'the defaults, written out',
      yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cmd-params-cm
data:
  controller.self.heal.backoff.timeout.seconds: "2"
  controller.self.heal.backoff.factor: "3"
  controller.self.heal.backoff.cap.seconds: "300"
`,
      waits: ['2s', '6s', '18s', '54s', '2m42s', '5m', '5m'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'a fixed wait',
      yaml: `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: argocd-application-controller
spec:
  template:
    spec:
      containers:
        - name: argocd-application-controller
          image: quay.io/argoproj/argocd:v3.5.1
          args:
            - /usr/local/bin/argocd-application-controller
            - --self-heal-backoff-timeout-seconds=0
            - --self-heal-timeout-seconds=30
`,
      waits: ['30s', '30s', '30s'],
      ends: 'never',
      findings: [],
    },
  ],
});

function removal(context: Context, name: 'timeout' | 'cooldown') {
  const node = context.nodeOf(name);
  const isEntry = isParameterMap(context.root);
  return node === undefined || !isEntry
    ? []
    : fix(`Remove ${selfHealFields[name].path}`, false, removeEntry(context.tree, node));
}
