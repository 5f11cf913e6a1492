import { defineFamily } from '../../family.ts';
import { waits } from '../../growth.ts';
import type { Waits } from '../../schedule.ts';
import { ms, type Ms } from '../../units.ts';
import { convergingWait, pendingDelay, pendingMax, spread } from './delays.ts';
import { refreshExamples } from './refreshExamples.ts';
import { refreshFields } from './refreshFields.ts';
import { refreshLive } from './refreshLive.ts';
import { refreshEffect, refreshNotes } from './refreshNotes.ts';
import { refreshPlaceOf, refreshSites } from './refreshPlace.ts';
import { refreshRules } from './refreshRules.ts';
import { captf, captfSource } from './system.ts';

const decide = captfSource('internal/controllers/shared/decide.go PendingRefreshDelay');

/** How often CAPTF reads an object again while its health is pending. */
export const family = defineFamily({
  id: 'captf/pending-refresh',
  system: captf,
  title: 'CAPTF refresh while health is pending',
  summary:
    'While the module reports its health as pending, CAPTF reads the object again by itself: a cluster or machine after waits that double up to five minutes, a pool every 30 seconds. ' +
    'Other fields beside it say how often drift, health and the members of a pool are looked up in any case.',
  formula:
    'A cluster or machine: 30s doubled for each pending reading after the first, at most 5m. A pool: 30s, or its membership interval where that is shorter. ' +
    'To each comes a jitter from 0 up to a tenth, fixed for one object.',
  cite: decide,
  sites: refreshSites,
  fields: refreshFields,
  facts: refreshPlaceOf,
  schedule: (values, { facts }) => ({
    waits:
      facts.role === 'pool'
        ? poolWaits(values.membershipRefreshIntervalSeconds)
        : pendingWaits(
            facts.role === 'machine' && values['remediation.annotateMachine']
              ? values['remediation.healthCheckIntervalSeconds']
              : undefined,
          ),
    ...(facts.role === 'pool'
      ? {}
      : {
          cap: {
            value: pendingMax.value,
            origin: { kind: 'built-in', name: 'the longest wait', cite: pendingMax.cite },
          },
        }),
    stops: [
      {
        kind: 'condition',
        text: 'the health no longer reads pending',
        then: 'the usual checks go on',
        origin: { kind: 'built-in', name: 'the health', cite: decide },
      },
    ],
    resets: [
      {
        text: 'another reading than pending, or a successful apply',
        origin: {
          kind: 'built-in',
          name: 'the health',
          cite: captfSource('internal/controllers/shared/health.go countPending'),
        },
      },
    ],
    clock: 'after-attempt',
  }),
  rules: refreshRules,
  notes: refreshNotes,
  effect: refreshEffect,
  live: refreshLive,
  examples: refreshExamples,
});

/** From the fifth on all waits are 5m; health checks of a provisioned machine may come before them. */
function pendingWaits(healthCheck: Ms | undefined): Waits {
  return waits((retry) => {
    const { lo, hi } = spread(pendingDelay(retry));
    return { lo: healthCheck === undefined ? lo : ms(Math.min(lo, healthCheck)), hi };
  }, 5);
}

function poolWaits(membership: Ms): Waits {
  const window = spread(ms(Math.min(convergingWait.value, membership)));
  return waits(() => window, 1);
}
