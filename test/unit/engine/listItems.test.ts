import { describe, expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';

const item = '{"metadata":{"name":"a"},"spec":{"backoffLimit":2,"template":{"spec":{}}}}';
const kindsIn = (list: string) => [
  ...new Set(analyse(list).policies.map(({ policy }) => policy.resource.kind)),
];

describe('the items of a list', () => {
  it.each([
    ['have its kind where they name none', `"kind":"JobList","apiVersion":"batch/v1"`, ['Job']],
    ['have no kind in a plain List', `"kind":"List","apiVersion":"v1"`, []],
    ['have a kind of its group only', `"kind":"JobList","apiVersion":"example.test/v1"`, []],
  ])('%s', (_, head, kinds) => {
    expect(kindsIn(`{${head},"items":[${item}]}`)).toEqual(kinds);
  });

  it('keep the kind that they name', () => {
    const cronJob =
      '{"apiVersion":"batch/v1","kind":"CronJob","spec":{"schedule":"0 1 * * *","jobTemplate":{"spec":{}}}}';
    const list = `{"kind":"JobList","apiVersion":"batch/v1","items":[${cronJob}]}`;
    expect(kindsIn(list)).toEqual(['CronJob']);
  });
});
