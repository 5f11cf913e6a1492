import { describe, expect, it } from 'vitest';
import { checkRetryExpression } from '../../../engine/expression/check.ts';
import { found, wanted } from './problemsOf.ts';

// From the documentation, the examples and the tests of Argo Workflows v4.1.2.
const published = [
  'asInt(lastRetry.exitCode) > 1',
  'lastRetry.status != "Error"',
  'asInt(lastRetry.duration) < 60',
  "lastRetry.message matches 'imminent node shutdown|pod deleted'",
  `asInt(lastRetry.exitCode) > 1 && lastRetry.status != "Error" && asInt(lastRetry.duration) < 120 && ({{inputs.parameters.safe-to-retry}} == true || lastRetry.message matches 'imminent node shutdown|pod deleted')`,
  'lastRetry.status == "Error" or (lastRetry.status == "Failed" and asInt(lastRetry.exitCode) not in [1,2,127])',
  'asInt(lastRetry.exitCode) > 1 && {{inputs.parameters.safe-to-retry}}',
  'true',
];

const correct = [
  '',
  "lastRetry.exitCode == '2'",
  "lastRetry.exitCode in ['2', '3']",
  'asInt(lastRetry.exitCode) not in [0, 1]',
  'asInt(lastRetry.exitCode) in 1..5',
  'asInt(retries) < 3',
  'int(retries) < 3',
  'asFloat(lastRetry.duration) < 12.5 and asFloat(lastRetry.duration) > 12.2',
  "lastRetry.exitCode > '0'",
  "lastRetry.exitCode != '-1' and asInt(lastRetry.exitCode) > 0",
  'lastRetry.exitCode != nil && asInt(lastRetry.exitCode) > 1',
  "lastRetry.status == 'Failed' or lastRetry.status == 'Error'",
  "lastRetry.status in ['Failed', 'Error']",
  "lastRetry.status != 'Succeeded'",
  "lastRetry.status == 'Succeeded' || asInt(lastRetry.exitCode) > 1",
  "lastRetry['status'] == 'Error'",
  "lastRetry?.message contains 'OOM'",
  "(lastRetry.message ?? '') not contains 'OOM'",
  "lower(lastRetry.message) contains 'oom'",
  "lastRetry.message | lower() contains 'oom'",
  "any(['OOM', 'evicted'], {lastRetry.message contains #})",
  "any(['OOM', 'evicted'], lastRetry.message contains #)",
  "len(filter(split(lastRetry.message, ' '), {# == 'OOM'})) > 0",
  'let code = asInt(lastRetry.exitCode); code > 1 and code < 128',
  "asInt(retries) < 3 ? lastRetry.status == 'Failed' : false",
  "if asInt(retries) < 3 { true } else { lastRetry.status == 'Error' }",
  'lastRetry.message matches "(?i)oom|evicted"',
  'lastRetry.message matches `\\d+ pods`',
  'asInt(lastRetry.exitCode) == 0x8F or asInt(lastRetry.exitCode) == 1_000',
  '1 < asInt(lastRetry.exitCode) < 5',
  "jsonpath(lastRetry.message, '$.code') == 3",
  "sprig.contains('OOM', lastRetry.message)",
  'toJson(lastRetry) contains "OOM"',
  'asInt(retries) % 2 == 0',
  '-asInt(lastRetry.exitCode) == 1',
  "lastRetry.status == 'Failed' // only failures",
  "/* only */ lastRetry.status == 'Failed'",
  "{'Failed': true, 'Error': false}[lastRetry.status]",
  "lastRetry.message[0:3] == 'OOM'",
  "$env.retries == '1'",
  "lastRetry.status == '{{inputs.parameters.status}}'",
  'lastRetry.exitCode == {{inputs.parameters.code}}',
  '{{inputs.parameters.expression}}',
  "lastRetry.exitCode {{inputs.parameters.operator}} '1'",
  '{{ .Values.expression }}',
  'asInt(retries) < {{=asInt(inputs.parameters.max) + 1}}',
  'map([1], {{a: #}}) != nil',
  'reduce(1..9, #acc + #, 0) > 3 and ::len(lastRetry.message) > 0',
  'all([1], # > 0) and none([1], # > 1) and one([1], # > 0) and count([1], # > 0) == 1',
  'sum([1, 2]) == 3 and first([1]) == 1 and max(1, 2) == 2 and sortBy([2, 1], #)[0] == 1',
  'now() - duration("1h") < now()',
  "not (lastRetry.status == 'Error')",
  'lastRetry.exitCode == retries',
];

describe('says nothing', () => {
  it.each(published)('about the published %s', (text) => expect(found(text)).toEqual([]));
  it.each(correct)('about %s', (text) => expect(found(text)).toEqual([]));

  it('about an expression longer than anyone writes', () => {
    expect(found('('.repeat(5000))).toEqual([]);
    expect(found(Array.from({ length: 5000 }, () => 'true').join(' and '))).toEqual([]);
  });
});

describe('lastRetry.message before Argo Workflows 3.5', () => {
  const before = { hasMessage: false };

  it('is nil', () => {
    const text = "lastRetry.message contains 'OOM'";
    const message =
      '`lastRetry.message` came with Argo Workflows 3.5. Before that it is nil, and nothing compares with it.';
    expect(found(text, before)).toEqual(
      wanted(text, [['unknown-member', 'lastRetry.message', message]]),
    );
  });

  it('may be asked for with ?. and ??', () => {
    expect(found("(lastRetry.message ?? '') contains 'OOM'", before)).toEqual([]);
    expect(found("lastRetry?.message contains 'OOM'", before)).toEqual([]);
  });
});

describe('uses', () => {
  it('names every place where the last run is read', () => {
    const { uses } = checkRetryExpression("asInt(lastRetry.exitCode) > 1 and retries != '3'");
    expect(uses).toEqual([
      { fact: 'exitCode', at: { start: 6, end: 24 } },
      { fact: 'retries', at: { start: 34, end: 41 } },
    ]);
  });
});
