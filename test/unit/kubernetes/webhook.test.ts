import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { family as authorization } from '../../../engine/families/kubernetes/authorizationWebhook.family.ts';
import { family as admission } from '../../../engine/families/kubernetes/webhook.family.ts';
import { bound, firstSteps } from '../../../engine/schedule.ts';
import { analyse } from '../../support/analyse.ts';
import vectors from '../../vectors/kubernetes-components.json' with { type: 'json' };

const policyIn = (yaml: string, id: string) => {
  const found = analyse(yaml).policies.find(({ policy }) => policy.family === id);
  if (found === undefined) throw new Error('no policy');
  return found;
};

describe('admission webhooks', () => {
  const webhook = (kind: string, settings: string) =>
    policyIn(
      `apiVersion: admissionregistration.k8s.io/v1\nkind: ${kind}\nwebhooks:\n- name: a.b.c\n  ${settings}\n`,
      admission.id,
    );

  it.each([
    ['ValidatingWebhookConfiguration', 'sideEffects: None', 'the request is refused'],
    ['ValidatingWebhookConfiguration', 'failurePolicy: Fail', 'the request is refused'],
    [
      'MutatingWebhookConfiguration',
      'failurePolicy: Ignore',
      'the request goes on without the webhook',
    ],
  ])('%s with %s', (kind, settings, then) => {
    const { schedule } = webhook(kind, settings);
    const end = schedule === undefined ? undefined : bound(schedule);
    expect(end).toMatchObject({ kind: 'bounded', retries: { lo: 0, hi: 0 }, by: { then } });
  });

  it.each([
    ['ValidatingWebhookConfiguration', 'the longest timeout counts'],
    ['MutatingWebhookConfiguration', 'their timeouts add up'],
  ])('says of %s how timeouts combine', (kind, text) => {
    expect(explain(webhook(kind, 'timeoutSeconds: 3')).notes.join('\n')).toContain(text);
  });

  it('says what the timeout costs', () => {
    const policy = webhook('ValidatingWebhookConfiguration', 'timeoutSeconds: 3');
    expect(explain(policy, 'timeoutSeconds').field?.effect).toBe(
      'A webhook that does not answer adds 3s to every request that its rules match',
    );
  });
});

describe('authorization webhooks', () => {
  it('are asked five times, with jitter that only adds', () => {
    const { schedule } = policyIn(authorization.examples[0]?.yaml ?? '', authorization.id);
    if (schedule === undefined) throw new Error('no schedule');
    const { attempts, waitsMs, totalMinMs, totalMaxMs } = vectors.authorizationWebhook;
    const { steps, more } = firstSteps(schedule, 10);
    expect(more).toBe(false);
    expect(steps.map(({ wait }) => wait.lo)).toEqual(waitsMs);
    expect(steps.length + 1).toBe(attempts);
    expect(steps.at(-1)?.total.lo).toBe(totalMinMs);
    expect(steps.at(-1)?.total.hi).toBeCloseTo(totalMaxMs, 6);
  });
});
