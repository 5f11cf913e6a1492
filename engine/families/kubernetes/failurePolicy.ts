import { child, itemsOf, textAt, type SourceNode } from '../../source.ts';

/** One rule of a podFailurePolicy, as far as it can be read. */
export type FailureRule = {
  readonly action: string;
  readonly on: ExitCodes | Conditions | undefined;
};

export type ExitCodes = {
  readonly kind: 'exit-codes';
  readonly operator: string;
  readonly values: readonly number[];
  readonly container?: string;
};

export type Conditions = {
  readonly kind: 'conditions';
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
};

/** The condition that an eviction, a drain or a preemption leaves on a pod. */
export const disruption = 'DisruptionTarget';

/** The exit codes of a container that is told, or forced, to stop. */
export const killCodes = [137, 143] as const;

export function readFailurePolicy(policy: SourceNode | undefined): readonly FailureRule[] {
  return itemsOf(child(policy, 'rules')).map((rule) => ({
    action: textAt(rule, 'action') ?? '',
    on: readMatch(rule),
  }));
}

function readMatch(rule: SourceNode): FailureRule['on'] {
  const codes = child(rule, 'onExitCodes');
  if (codes !== undefined) {
    const container = textAt(codes, 'containerName');
    return {
      kind: 'exit-codes',
      operator: textAt(codes, 'operator') ?? '',
      values: itemsOf(child(codes, 'values')).flatMap((value) =>
        value.kind === 'scalar' && typeof value.value === 'number' ? [value.value] : [],
      ),
      ...(container === undefined ? {} : { container }),
    };
  }
  const conditions = child(rule, 'onPodConditions');
  if (conditions === undefined) return undefined;
  return {
    kind: 'conditions',
    conditions: itemsOf(conditions).map((condition) => ({
      type: textAt(condition, 'type') ?? '',
      status: textAt(condition, 'status') ?? 'True',
    })),
  };
}

/** Whether a rule is met by a container that ended with a code; exit code 0 meets none. */
export function matchesCode({ on }: FailureRule, code: number): boolean {
  if (on?.kind !== 'exit-codes' || code === 0) return false;
  if (on.operator === 'In') return on.values.includes(code);
  return on.operator === 'NotIn' && !on.values.includes(code);
}

/** Whether a rule is met by a pod that was evicted, drained or preempted. */
export const matchesDisruption = ({ on }: FailureRule): boolean =>
  on?.kind === 'conditions' &&
  on.conditions.some(({ type, status }) => type === disruption && status === 'True');

/** What the rules do about a pod whose container ended with a code: the first match decides. */
export const verdictOnCode = (
  rules: readonly FailureRule[],
  code: number,
): { readonly action: string; readonly rule: number } | undefined => {
  const rule = rules.findIndex((one) => matchesCode(one, code));
  return rule === -1 ? undefined : { action: rules[rule]?.action ?? '', rule };
};

/** What nearly every failure comes to, and the exit codes for which it does not. */
export type UsualFate = {
  readonly action: 'Ignore' | 'FailJob';
  readonly except: readonly number[];
};

// Rules that name so few exceptions say what becomes of all other failures.
const fewExceptions = 8;

/** The fate that the rules have for all exit codes but a few, if there is one. */
export function usualFate(
  rules: readonly FailureRule[],
  containers: readonly string[],
): UsualFate | undefined {
  const isPartial = rules.some(({ on }) => on?.kind === 'exit-codes' && on.container !== undefined);
  if (isPartial && containers.length > 1) return undefined;
  const codes = Array.from({ length: 255 }, (_, index) => index + 1);
  for (const action of ['Ignore', 'FailJob'] as const) {
    const except = codes.filter((code) => verdictOnCode(rules, code)?.action !== action);
    if (except.length <= fewExceptions) return { action, except };
  }
  return undefined;
}

/** `exit code 3`, `exit code 3 or 4`. */
export const exitCodeText = (codes: readonly number[]): string =>
  `exit code ${listed(codes, 'or')}`;

/** What they do about a drained pod whose container ended with a code. */
export const verdictOnDrain = (
  rules: readonly FailureRule[],
  code: number,
): { readonly action: string; readonly rule: number } | undefined => {
  const rule = rules.findIndex((one) => matchesDisruption(one) || matchesCode(one, code));
  return rule === -1 ? undefined : { action: rules[rule]?.action ?? '', rule };
};

/** What a rule looks for, in words: `exit code 42`, `an exit code other than 1 and 2`. */
export function describeMatch({ on }: FailureRule): string | undefined {
  if (on === undefined) return undefined;
  if (on.kind === 'conditions') {
    const parts = on.conditions.map(({ type, status }) =>
      status === 'True' ? `condition ${type}` : `condition ${type} ${status}`,
    );
    return parts.length === 0 ? undefined : parts.join(' or ');
  }
  if (on.values.length === 0) return undefined;
  const of = on.container === undefined ? '' : ` of container ${on.container}`;
  const list = listed(on.values, on.operator === 'In' ? 'or' : 'and');
  if (on.operator === 'In') return `exit code ${list}${of}`;
  return on.operator === 'NotIn' ? `an exit code other than ${list}${of}` : undefined;
}

/** The failures that end the Job at once. */
export const failsJobOn = (rules: readonly FailureRule[]): readonly string[] =>
  rules.flatMap((rule) => (rule.action === 'FailJob' ? (describeMatch(rule) ?? []) : []));

function listed(values: readonly number[], word: string): string {
  const shown = values.slice(0, 8).map(String);
  if (values.length > shown.length) return `${shown.join(', ')}…`;
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} ${word} ${last}`;
}

/** What the first rule that a failed pod meets does about it; a pod that meets none counts. */
export const verdictOnPod = (rules: readonly FailureRule[], pod: SourceNode): string =>
  rules.find((rule) => matchesPod(rule, pod))?.action ?? 'Count';

function matchesPod(rule: FailureRule, pod: SourceNode): boolean {
  const { on } = rule;
  const status = child(pod, 'status');
  if (on?.kind === 'conditions') {
    return itemsOf(child(status, 'conditions')).some((condition) =>
      on.conditions.some(
        (one) =>
          one.type === textAt(condition, 'type') && one.status === textAt(condition, 'status'),
      ),
    );
  }
  if (on === undefined) return false;
  return ['containerStatuses', 'initContainerStatuses']
    .flatMap((list) => itemsOf(child(status, list)))
    .filter((one) => on.container === undefined || on.container === textAt(one, 'name'))
    .some((one) => {
      const code = child(child(child(one, 'state'), 'terminated'), 'exitCode');
      return (
        code?.kind === 'scalar' && typeof code.value === 'number' && matchesCode(rule, code.value)
      );
    });
}
