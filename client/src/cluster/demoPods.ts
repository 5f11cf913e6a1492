import { ms, type Ms } from '../../../engine/units.ts';
import {
  demoEvent,
  demoObject,
  kinds,
  min,
  ownerOf,
  sec,
  type Actor,
  type DemoObject,
} from './demoScene.ts';
import { doubling, standAt, type Plan } from './demoStory.ts';

/** A container that crashes: the kubelet waits 10 seconds, doubling, five minutes at most. */
export const crashingPod =
  (namespace: string, name: string, plan: Omit<Plan, 'wait'>): Actor =>
  (elapsed, at) => {
    const wait = doubling(sec(10), min(5));
    const stand = standAt({ ...plan, wait }, elapsed);
    const restarts = Math.max(0, stand.ends.length - (stand.kind === 'attempting' ? 0 : 1));
    const current = wait(stand.ends.length);
    const terminated = {
      exitCode: 1,
      reason: 'Error',
      startedAt: at(ms((stand.ends.at(-1) ?? ms(0)) - plan.attempt)),
      finishedAt: at(stand.ends.at(-1) ?? ms(0)),
    };
    const state =
      stand.kind === 'attempting'
        ? { running: { startedAt: at(stand.startedAt) } }
        : {
            waiting: {
              reason: 'CrashLoopBackOff',
              message: `back-off ${goText(current)} restarting failed container=app pod=${name}_${namespace}(demo)`,
            },
          };
    return {
      ...(stand.until === undefined ? {} : { until: stand.until }),
      objects: [
        demoObject(
          kinds.pod,
          namespace,
          name,
          {
            spec: { restartPolicy: 'Always', containers: [{ name: 'app', image: 'cart:9' }] },
            status: {
              phase: 'Running',
              containerStatuses: [
                {
                  name: 'app',
                  restartCount: restarts,
                  ready: false,
                  state,
                  lastState: { terminated },
                },
              ],
            },
          },
          {
            ownerReferences: [
              { ...ownerOf(kinds.deployment, namespace, 'cart-7d9c'), kind: 'ReplicaSet' },
            ],
          },
        ),
        ...stand.ends
          .slice(-4)
          .map((end) =>
            demoEvent(
              { type: kinds.pod, namespace, name },
              'BackOff',
              'Back-off restarting failed container app',
              at(end),
            ),
          ),
      ],
    };
  };

const goText = (wait: Ms): string => {
  const minutes = Math.floor(wait / 60_000);
  const rest = String((wait % 60_000) / 1000);
  return minutes === 0 ? `${rest}s` : `${String(minutes)}m${rest}s`;
};

/** A Job whose pods fail: 10 seconds, doubling, and no more after its limit. */
export const failingJob =
  (namespace: string, name: string, plan: Omit<Plan, 'wait' | 'most'>, limit: number): Actor =>
  (elapsed, at) => {
    const stand = standAt({ ...plan, wait: doubling(sec(10), min(10)), most: limit + 1 }, elapsed);
    const { ends, kind } = stand;
    const last = ends.at(-1) ?? ms(0);
    return {
      ...(stand.until === undefined ? {} : { until: stand.until }),
      objects: [
        demoObject(
          kinds.job,
          namespace,
          name,
          {
            spec: {
              backoffLimit: limit,
              completions: 1,
              parallelism: 1,
              template: {
                spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'report:2' }] },
              },
            },
            status: {
              ...(ends.length === 0 ? {} : { failed: ends.length }),
              ...(kind === 'attempting' ? { active: 1 } : {}),
              startTime: at(ms((ends[0] ?? stand.startedAt) - plan.attempt)),
              conditions:
                kind === 'gave-up'
                  ? [
                      {
                        type: 'Failed',
                        status: 'True',
                        reason: 'BackoffLimitExceeded',
                        message: 'Job has reached the specified backoff limit',
                        lastTransitionTime: at(last),
                      },
                    ]
                  : [],
            },
          },
          { creationTimestamp: at(ms((ends[0] ?? stand.startedAt) - plan.attempt)) },
        ),
        ...ends.map((end, index) => failedPod(namespace, name, index, end, plan.attempt, at)),
        ...(kind === 'gave-up'
          ? [
              demoEvent(
                { type: kinds.job, namespace, name },
                'BackoffLimitExceeded',
                'Job has reached the specified backoff limit',
                at(last),
              ),
            ]
          : []),
      ],
    };
  };

function failedPod(
  namespace: string,
  job: string,
  index: number,
  end: Ms,
  attempt: Ms,
  at: (offset: Ms) => string,
): DemoObject {
  return demoObject(
    kinds.pod,
    namespace,
    `${job}-${index.toString(36)}k2p${String(index)}`,
    {
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'report:2' }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          {
            name: 'main',
            restartCount: 0,
            state: {
              terminated: {
                exitCode: 2,
                reason: 'Error',
                startedAt: at(ms(end - attempt)),
                finishedAt: at(end),
              },
            },
          },
        ],
      },
    },
    {
      creationTimestamp: at(ms(end - attempt)),
      labels: { 'job-name': job, 'batch.kubernetes.io/job-name': job },
      ownerReferences: [ownerOf(kinds.job, namespace, job)],
    },
  );
}

/** An image that cannot be pulled: no time is written anywhere. */
export const unpullablePod =
  (namespace: string, name: string): Actor =>
  (_, at) => ({
    objects: [
      demoObject(
        kinds.pod,
        namespace,
        name,
        {
          spec: { restartPolicy: 'Always', containers: [{ name: 'web', image: 'shop/web:lates' }] },
          status: {
            phase: 'Pending',
            containerStatuses: [
              {
                name: 'web',
                restartCount: 0,
                ready: false,
                state: {
                  waiting: {
                    reason: 'ImagePullBackOff',
                    message: 'Back-off pulling image "shop/web:lates"',
                  },
                },
              },
            ],
          },
        },
        { creationTimestamp: at(min(-22)) },
      ),
      demoEvent(
        { type: kinds.pod, namespace, name },
        'BackOff',
        'Back-off pulling image "shop/web:lates"',
        at(min(-1)),
      ),
    ],
  });
