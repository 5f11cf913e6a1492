import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { family } from '../../../engine/families/leader-worker-set/restart.family.ts';
import { analyse, endOf, type Given } from '../../support/analyse.ts';

const policyIn = (template: string, given: Given = {}) => {
  const found = analyse(
    `apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nspec:\n  leaderWorkerTemplate: ${template}\n`,
    given,
  ).policies.find(({ policy }) => policy.family === family.id);
  if (found === undefined) throw new Error('no policy');
  return found;
};

describe('a group whose pod failed', () => {
  it.each([
    ['{size: 2}', {}, 'never'],
    ['{restartPolicy: RecreateGroupAfterStart}', {}, 'never'],
    ['{restartPolicy: None}', {}, 'the group is left alone'],
    ['{restartPolicy: Default}', {}, 'the group is left alone'],
    ['{size: 2}', { versions: { 'leader-worker-set': '0.3.0' } }, 'the group is left alone'],
  ])('%s under %j', (template, given, end) => {
    expect(endOf(policyIn(template, given))).toBe(end);
  });

  it.each([
    ['{size: 2}', 'CrashLoopBackOff never grows'],
    ['{restartPolicy: None}', 'the other pods of the group are not touched'],
  ])('%s says why it matters', (template, note) => {
    expect(explain(policyIn(template)).notes.join('\n')).toContain(note);
  });

  it.each([
    ['{restartPolicy: RecreateGroupOnPodRestart}', 'Any restart in a group deletes its leader'],
    ['{restartPolicy: RecreateGroupAfterStart}', 'not while one of its pods is still Pending'],
    ['{restartPolicy: None}', 'replaced alone'],
  ])('%s says what it does', (template, effect) => {
    expect(explain(policyIn(template), 'restartPolicy').field?.effect).toContain(effect);
  });
});
