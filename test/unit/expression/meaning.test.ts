import { describe, expect, it } from 'vitest';
import { evaluateRetryExpression, type Facts } from '../../../engine/expression/evaluate.ts';
import { explainRetryExpression } from '../../../engine/expression/explain.ts';

describe('in words', () => {
  it.each([
    ['asInt(lastRetry.exitCode) > 1', 'the exit code is above 1'],
    ['1 < asInt(lastRetry.exitCode)', 'the exit code is above 1'],
    ["lastRetry.exitCode in ['2', '3', '4']", 'the exit code is 2, 3 or 4'],
    ['asInt(lastRetry.exitCode) not in [0, 1]', 'the exit code is neither 0 nor 1'],
    ["lastRetry.exitCode == '-1'", 'there is no exit code'],
    ['lastRetry.status != "Error"', 'the status is not Error'],
    ['asInt(retries) < 3', 'the number of retries so far is below 3'],
    ['asInt(lastRetry.duration) <= 60', 'the duration is at most 60s'],
    ["lastRetry.message not contains 'OOM'", 'the message does not contain "OOM"'],
    ["lastRetry.message matches 'a|b'", 'the message matches /a|b/'],
    [
      "lastRetry.status == 'Error' or (lastRetry.status == 'Failed' and asInt(retries) < 3)",
      'the status is Error or (the status is Failed and the number of retries so far is below 3)',
    ],
    ['true', 'always'],
    ['lastRetry.exitCode == 2', undefined],
    ['len(lastRetry.message) > 3', undefined],
    ['lastRetry.status =', undefined],
  ])('%s', (text, words) => expect(explainRetryExpression(text)).toBe(words));
});

describe('on given facts', () => {
  const failed: Facts = {
    retries: '1',
    exitCode: '2',
    status: 'Failed',
    duration: '12.5',
    message: 'OOMKilled (exit code 2)',
  };
  it.each<[string, Facts, ReturnType<typeof evaluateRetryExpression>['kind']]>([
    ["lastRetry.exitCode == '2'", failed, 'retries'],
    ['lastRetry.exitCode == 2', failed, 'stops'],
    ['lastRetry.exitCode != 0', failed, 'retries'],
    ['lastRetry.exitCode in [2,3]', failed, 'stops'],
    ['lastRetry.exitCode > 1', failed, 'fails'],
    ["lastRetry.exitCode > '1'", failed, 'retries'],
    ["lastRetry.exitCode > '1'", { exitCode: '10' }, 'retries'],
    ["lastRetry.exitCode > '2'", { exitCode: '10' }, 'stops'],
    ['asInt(lastRetry.exitCode) > 1', failed, 'retries'],
    ['asInt(lastRetry.duration) > 1', failed, 'fails'],
    ['asFloat(lastRetry.duration) > 1', failed, 'retries'],
    ["lastRetry.exitcode == '2'", failed, 'stops'],
    ["asInt(lastRetry.exitCode) in ['2']", failed, 'fails'],
    ["lastRetry.message contains 'OOM'", failed, 'retries'],
    ['lastRetry.exitCode', failed, 'fails'],
    ["lastRetry.exitCode != '-1' and asInt(retries) < 3", { exitCode: '-1' }, 'stops'],
    ['asInt(lastRetry.exitCode) > 1', { exitCode: '-1' }, 'stops'],
    ['asInt(lastRetry.exitCode) > 1', {}, 'unknown'],
    ["lastRetry.message matches 'OOM'", failed, 'unknown'],
    ['asInt(retries) <', failed, 'fails'],
    ['{{inputs.parameters.x}} and', failed, 'unknown'],
    // What is not known is text all the same.
    ['lastRetry.exitCode > 1', {}, 'fails'],
    ['lastRetry.duration > 60', {}, 'fails'],
    ['lastRetry.exitCode + 1 > 2', {}, 'fails'],
    ['!lastRetry.exitCode', {}, 'fails'],
    ["asInt('12.5') > 1", {}, 'fails'],
    ['int(lastRetry.status) == 1', {}, 'fails'],
    ["asInt(lastRetry.exitCode) in ['1']", {}, 'fails'],
    ['asInt(lastRetry.exitCode) matches "1"', {}, 'fails'],
    ["lastRetry.exitCode == 2 && retries == '1'", {}, 'stops'],
    ["lastRetry.message contains 'x' && lastRetry.exitCode > 1", {}, 'stops'],
    ["lastRetry.message contains 'x' || lastRetry.exitCode > 1", {}, 'unknown'],
    ['asInt(lastRetry.duration) > 1', {}, 'unknown'],
    ['asFloat(lastRetry.duration) > 1', {}, 'unknown'],
    ['lastRetry.message == nil', {}, 'unknown'],
    ['lastRetry.message > 1', {}, 'fails'],
    ['asInt(retries) * 2 + 1 < 6', { retries: '2' }, 'retries'],
    ['asInt(retries) * 2 + 1 < 6', { retries: '3' }, 'stops'],
    ['asInt(retries) / 2 <= 1.5', { retries: '3' }, 'retries'],
    ["retries + 'x' == '1x'", { retries: '1' }, 'retries'],
    ['asInt(retries) % 2 == 0', { retries: '1' }, 'unknown'],
  ])('%s', (text, facts, kind) => expect(evaluateRetryExpression(text, facts)).toEqual({ kind }));
});
