import { retryExpression, type Facts as RunFacts } from '../../expression/evaluate.ts';
import type { RetryPolicy } from './formats.ts';

/** How many retries an expression lets start at most, whatever the runs do. */
export type Allowance = {
  readonly retries: number;
  /** How it ends the node after those: in Error because it fails, or as the run ended. */
  readonly end: 'error' | 'no-retry';
  /** Whether it lets all of these start for certain, and so has nothing else to decide. */
  readonly isCertain: boolean;
};

/** What is known of every run before there is one. */
export type Runs = {
  /** Undefined where it is only known at run time: then every run counts as covered. */
  readonly policy: RetryPolicy | undefined;
  readonly exitCode?: string;
  readonly limit?: number | undefined;
};

// An expression that still allows a retry after so many is no count of them.
const mostCounted = 1000;

/**
 * Asks the expression after each failed run until it refuses for certain; nothing where it never does.
 *
 * `asInt(retries) < 3` allows 3: `retries` is 0 after the first run. A phase that the policy does not cover is not
 * asked about, as such a run ends the node before.
 */
export function allowanceOf(expression: string, runs: Runs): Allowance | undefined {
  const ask = retryExpression(expression);
  const counts = expression.includes('retries')
    ? Math.min(runs.limit ?? mostCounted, mostCounted)
    : 1;
  let isCertain = true;
  for (let retries = 0; retries < counts; retries += 1) {
    const outcomes = coveredBy(runs.policy).map((status) => {
      const facts: RunFacts = { retries: String(retries), status };
      return ask(runs.exitCode === undefined ? facts : { ...facts, exitCode: runs.exitCode }).kind;
    });
    if (outcomes.every((kind) => kind === 'stops' || kind === 'fails')) {
      const end = outcomes.every((kind) => kind === 'fails') ? 'error' : 'no-retry';
      return { retries, end, isCertain };
    }
    if (outcomes.some((kind) => kind !== 'retries')) isCertain = false;
  }
  return undefined;
}

/** The phases of failed runs that a policy retries. */
export function coveredBy(policy: RetryPolicy | undefined): readonly ('Failed' | 'Error')[] {
  switch (policy) {
    case 'OnFailure':
      return ['Failed'];
    case 'OnError':
      return ['Error'];
    case 'Always':
    case 'OnTransientError':
    case undefined:
      return ['Failed', 'Error'];
  }
}
