import { nearest, type Fact } from './problem.ts';

// argo-workflows v4.1.2 workflow/controller/operator.go buildRetryStrategyLocalScope:
// every one of them is text. `message` came with v3.5.0.
const members: { readonly [name: string]: Fact } = {
  exitCode: 'exitCode',
  status: 'status',
  duration: 'duration',
  message: 'message',
};

/** The members of `lastRetry`, in the order the documentation lists them. */
export const memberNames: readonly string[] = Object.keys(members);

export function memberFact(name: string): Fact | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** How an expression writes it: `lastRetry.exitCode`. */
export function factName(fact: Fact): string {
  return fact === 'retries' ? 'retries' : `lastRetry.${fact}`;
}

/** Every phase a node can have; only the first two reach the expression of a failed run. */
const phases = ['Failed', 'Error', 'Succeeded', 'Running', 'Pending', 'Skipped', 'Omitted'];

/** Whether the fact can ever be exactly this text: a status is never `failed`. */
export function canBe(fact: Fact, text: string): boolean {
  switch (fact) {
    case 'status':
      return phases.includes(text);
    case 'exitCode':
      return /^(0|-?[1-9]\d*)$/.test(text);
    case 'retries':
      return /^(0|[1-9]\d*)$/.test(text);
    case 'duration':
      return /^\d+(\.\d*[1-9])?(e[+-]\d+)?$/.test(text);
    case 'message':
      return true;
  }
}

/** Ends the sentence "Never true: ...". */
export function valuesInWords(fact: Fact): string {
  switch (fact) {
    case 'status':
      return "the status of a run that failed is 'Failed' or 'Error'";
    case 'exitCode':
      return "an exit code is a whole number in quotes, such as '1', and '-1' when there is none";
    case 'retries':
      return "`retries` is a whole number in quotes: '0' after the first run";
    case 'duration':
      return "a duration is a number of seconds in quotes, such as '90' or '12.5'";
    case 'message':
      return 'a message is any text';
  }
}

/** The possible value that was meant: `failed` gives `Failed`, `02` gives `2`. */
export function nearestValue(fact: Fact, text: string): string | undefined {
  const trimmed = text.trim();
  if (fact === 'status') {
    if (/^fail/i.test(trimmed)) return 'Failed';
    if (/^err/i.test(trimmed)) return 'Error';
    return nearest(trimmed, phases);
  }
  if (fact === 'exitCode' && trimmed === '') return '-1';
  if (!/^[+-]?\d+(\.\d+)?$/.test(trimmed)) return undefined;
  const canonical = String(Number(trimmed));
  return canBe(fact, canonical) ? canonical : undefined;
}

type Example = { readonly text: string; readonly isTrue: boolean };

/**
 * A value that text order and number order disagree on: for `exitCode > '2'` it is 10.
 * None where both orders always agree, as for `exitCode > '0'`.
 */
export function orderedWrongly(
  fact: Fact,
  operator: string,
  literal: string,
  isLeft: boolean,
): Example | undefined {
  if (!/^-?\d+(\.\d+)?$/.test(literal)) return undefined;
  const limit = Number(literal);
  const candidates = [10, 2, 100, 9, 20, 137, limit * 10, limit + 1, limit - 1, limit, 0, -1];
  for (const value of candidates) {
    if (!Number.isInteger(value) || value > 1e9 || value < (fact === 'exitCode' ? -1 : 0)) continue;
    const text = String(value);
    const asText = isLeft ? holds(operator, text, literal) : holds(operator, literal, text);
    const asNumber = isLeft ? holds(operator, value, limit) : holds(operator, limit, value);
    if (asText === asNumber) continue;
    const sides = isLeft
      ? `'${text}' ${operator} '${literal}'`
      : `'${literal}' ${operator} '${text}'`;
    return { text: sides, isTrue: asText };
  }
  return undefined;
}

function holds<T extends string | number>(operator: string, a: T, b: T): boolean {
  switch (operator) {
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '<=':
      return a <= b;
    default:
      return a >= b;
  }
}
