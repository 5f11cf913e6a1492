import { expect, it } from 'vitest';
import { jobOwnerOf } from '../../../engine/families/kubernetes/jobOwner.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';

const ownerOf = (...ownerReferences: readonly unknown[]) =>
  jobOwnerOf(jsonTree({ kind: 'Job', metadata: { ownerReferences } }).root);

it('leaves the next attempt to the controller that owns a Job', () => {
  const other = { kind: 'Project', name: 'x' };
  expect(ownerOf(other, { kind: 'CronJob', name: 'nightly', controller: true })).toEqual({
    name: 'CronJob nightly',
    afterFailure:
      'This Job is not retried; CronJob nightly, which owns it, decides whether another one starts',
  });
  expect(ownerOf(other)).toBeUndefined();
  expect(ownerOf()).toBeUndefined();
});
