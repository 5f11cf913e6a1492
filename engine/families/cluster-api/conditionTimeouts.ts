import { fix, replaceValue } from '../../edits.ts';
import type { Report } from '../../family.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { child, itemsOf, type ScalarNode, type SourceNode } from '../../source.ts';
import type { ApiVersion } from './apiVersion.ts';

/** What the rule on the timeouts of conditions shows in the reference. */
export const conditionTimeout = {
  slug: 'condition-timeout',
  severity: 'error',
  summary: 'A condition whose timeout the API server refuses.',
  explanation:
    'A condition makes a machine unhealthy once it has held for its timeout: `timeoutSeconds` in v1beta2, a whole number from 0 on, and `timeout` in v1beta1, a text such as `300s`. The API server refuses anything else.',
} as const;

/** Timeouts of the conditions in a health check that are of another type, or below 0. */
export function* conditionTimeouts(
  block: SourceNode | undefined,
  version: ApiVersion | undefined,
): Generator<Report> {
  if (version === 'v1beta1') {
    for (const item of itemsOf(child(block, 'unhealthyConditions'))) {
      yield* numberOf(child(item, 'timeout'));
    }
  } else if (version === 'v1beta2') {
    const checks = child(block, 'checks');
    for (const list of ['unhealthyNodeConditions', 'unhealthyMachineConditions']) {
      for (const item of itemsOf(child(checks, list))) {
        yield* secondsOf(child(item, 'timeoutSeconds'));
      }
    }
  }
}

function* numberOf(node: SourceNode | undefined): Generator<Report> {
  if (!isPlain(node) || typeof node.value !== 'number' || node.span === undefined) return;
  const text = `"${node.text}s"`;
  yield {
    message: `timeout: the API server refuses the number ${node.text}: a duration is a text with its unit, write ${text}`,
    at: node.span,
    fixes: fix(`Write timeout: ${text}`, false, replaceValue(node, text)),
  };
}

function* secondsOf(node: SourceNode | undefined): Generator<Report> {
  if (!isPlain(node) || node.span === undefined) return;
  const isWhole = typeof node.value === 'number' && Number.isInteger(node.value);
  if (isWhole && Number(node.text) >= 0) return;
  const seconds = /^(\d+)s?$/.exec(node.text)?.[1];
  yield {
    message: `timeoutSeconds: the API server refuses \`${node.text}\`: write a whole number of seconds from 0 on`,
    at: node.span,
    fixes:
      seconds === undefined
        ? []
        : fix(`Write timeoutSeconds: ${seconds}`, true, replaceValue(node, seconds)),
  };
}

const isPlain = (node: SourceNode | undefined): node is ScalarNode =>
  node?.kind === 'scalar' && node.value !== null && !isRunTimeText(node.text);
