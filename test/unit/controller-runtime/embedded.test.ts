import { expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';

const kustomization = (patch: string) => `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
patches:
  - patch: ${patch}
`;

it('finds, but does not mend, what has no exact place in the text', () => {
  const folded = kustomization(`>-
      [{"op": "add", "path": "/spec/template/spec/containers/0/args/-",
      "value": "--min-retry-delay=0s"}]`);
  const { findings } = analyse(folded);
  expect(findings.map(({ code }) => code)).toEqual(['flux/no-retry-delay']);
  expect(findings.flatMap(({ fixes }) => fixes)).toEqual([]);
});

it('mends JSON patches in one line', () => {
  const quoted = kustomization(
    `'[{"op": "add", "path": "/spec/template/spec/containers/0/args/-", "value": "--min-retry-delay=0s"}]'`,
  );
  const [finding] = analyse(quoted).findings;
  const edit = finding?.fixes[0]?.edits[0];
  expect(quoted.slice(edit?.at.start, edit?.at.end)).toBe('0s');
  expect(edit?.text).toBe('750ms');
});
