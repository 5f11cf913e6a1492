import type { Ms } from '../../../engine/units.ts';
import { ms } from '../../../engine/units.ts';
import {
  demoEvent,
  demoObject,
  hour,
  kinds,
  min,
  ownerOf,
  sec,
  type Actor,
  type DemoObject,
} from './demoScene.ts';
import { doubling, standAt, type Plan, type Stand } from './demoStory.ts';

const goesOn = ({ until }: Stand): { readonly until?: Ms } =>
  until === undefined ? {} : { until };

/** Certificates that cannot be issued: an hour, doubling, up to 32 hours. */
export const certificate =
  (namespace: string, name: string, plan: Omit<Plan, 'wait'>, message: string): Actor =>
  (elapsed, at) => {
    const stand = standAt({ ...plan, wait: doubling(hour(1), hour(32)) }, elapsed);
    const { ends } = stand;
    const last = ends.at(-1);
    const isTried = stand.kind === 'attempting';
    const about = { type: kinds.certificate, namespace, name };
    return {
      ...goesOn(stand),
      objects: [
        demoObject(
          kinds.certificate,
          namespace,
          name,
          {
            spec: {
              secretName: `${name}-secret`,
              dnsNames: [`${name}.example.test`],
              issuerRef: { name: 'letsencrypt', kind: 'ClusterIssuer' },
            },
            status: {
              conditions: [
                {
                  type: 'Ready',
                  status: 'False',
                  reason: 'DoesNotExist',
                  message: 'Issuing certificate as Secret does not exist',
                  lastTransitionTime: at(hour(-40)),
                },
                {
                  type: 'Issuing',
                  status: isTried ? 'True' : 'False',
                  reason: isTried ? 'DoesNotExist' : 'Failed',
                  message: isTried ? 'Issuing certificate as Secret does not exist' : message,
                  lastTransitionTime: at(isTried ? stand.startedAt : (last ?? ms(0))),
                },
              ],
              ...(ends.length === 0
                ? {}
                : { failedIssuanceAttempts: ends.length, lastFailureTime: at(last ?? ms(0)) }),
            },
          },
          { generation: 1, creationTimestamp: at(hour(-60)) },
        ),
        ...ends.slice(-3).map((end) => demoEvent(about, 'Failed', message, at(end))),
      ],
    };
  };

export const healthyCertificate =
  (namespace: string, name: string): Actor =>
  (_, at) => ({
    objects: [
      demoObject(kinds.certificate, namespace, name, {
        spec: { secretName: name, issuerRef: { name: 'letsencrypt', kind: 'ClusterIssuer' } },
        status: {
          conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }],
          notBefore: at(hour(-200)),
          notAfter: at(hour(1960)),
          renewalTime: at(hour(1240)),
          revision: 1,
        },
      }),
    ],
  });

/** A workflow with one step that is retried: 10 seconds, doubling, a minute at most. */
export const workflow =
  (namespace: string, name: string, plan: Omit<Plan, 'wait'>, limit: number): Actor =>
  (elapsed, at) => {
    const wait = doubling(sec(10), min(1));
    const stand = standAt({ ...plan, wait }, elapsed);
    const { ends, kind } = stand;
    const runs = ends.map((end, index) => ({
      id: `${name}-${String(index)}`,
      node: {
        id: `${name}-${String(index)}`,
        name: `${name}.fetch(${String(index)})`,
        displayName: `fetch(${String(index)})`,
        type: 'Pod',
        phase: 'Failed',
        message: 'Error (exit code 1)',
        nodeFlag: { retried: true },
        outputs: { exitCode: '1' },
        startedAt: at(ms(end - plan.attempt)),
        finishedAt: at(end),
      },
    }));
    const running = `${name}-${String(ends.length)}`;
    const isOver = kind === 'gave-up' || kind === 'well';
    const active =
      kind === 'attempting'
        ? [
            {
              id: running,
              node: {
                id: running,
                name: `${name}.fetch(${String(ends.length)})`,
                displayName: `fetch(${String(ends.length)})`,
                type: 'Pod',
                phase: 'Running',
                nodeFlag: { retried: true },
                startedAt: at(stand.startedAt),
              },
            },
          ]
        : [];
    const all = [...runs, ...active];
    const phase = kind === 'gave-up' ? 'Failed' : kind === 'well' ? 'Succeeded' : 'Running';
    const end = isOver ? { finishedAt: at(ends.at(-1) ?? stand.startedAt) } : {};
    const message =
      kind === 'gave-up'
        ? 'No more retries left'
        : kind === 'waiting'
          ? `Backoff for ${humanized(wait(ends.length))}`
          : '';
    return {
      ...goesOn(stand),
      objects: [
        demoObject(kinds.workflow, namespace, name, {
          spec: {
            entrypoint: 'fetch',
            templates: [
              {
                name: 'fetch',
                retryStrategy: {
                  limit,
                  retryPolicy: 'Always',
                  backoff: { duration: '10s', factor: 2, cap: '1m' },
                },
                container: { image: 'registry.example.test/etl:3', command: ['fetch'] },
              },
            ],
          },
          status: {
            phase,
            startedAt: at(ms((ends[0] ?? stand.startedAt) - plan.attempt)),
            ...end,
            nodes: {
              [name]: {
                id: name,
                name,
                displayName: 'fetch',
                templateName: 'fetch',
                templateScope: `local/${name}`,
                type: 'Retry',
                phase,
                message,
                startedAt: at(ms((ends[0] ?? stand.startedAt) - plan.attempt)),
                ...end,
                children: all.map(({ id }) => id),
              },
              ...Object.fromEntries(all.map(({ id, node }) => [id, node])),
            },
          },
        }),
      ],
    };
  };

/** As the controller writes a wait into a node's message. */
const humanized = (wait: Ms): string =>
  wait < 60_000
    ? `${String(wait / 1000)} seconds`
    : `${String(Math.floor(wait / 60_000))} minute ${String((wait % 60_000) / 1000)} seconds`;

/** A cluster whose apply fails: a minute, doubling, ten minutes at most; each attempt is a Job. */
export const terraformCluster =
  (namespace: string, name: string, plan: Omit<Plan, 'wait'>): Actor =>
  (elapsed, at) => {
    const stand = standAt({ ...plan, wait: doubling(min(1), min(10)) }, elapsed);
    const { ends, kind } = stand;
    const job = (attempt: number, started: Ms, end?: Ms): DemoObject =>
      demoObject(
        kinds.job,
        namespace,
        `captf-c-${name}-apply-a${String(attempt)}-0f1e2d`,
        {
          spec: { backoffLimit: 0 },
          status: {
            ...(end === undefined ? { active: 1 } : { failed: 1 }),
            startTime: at(started),
            conditions:
              end === undefined
                ? []
                : [
                    {
                      type: 'Failed',
                      status: 'True',
                      reason: 'BackoffLimitExceeded',
                      lastTransitionTime: at(end),
                    },
                  ],
          },
        },
        {
          creationTimestamp: at(started),
          labels: {
            'captf.infrastructure.cluster.x-k8s.io/op': 'apply',
            'captf.infrastructure.cluster.x-k8s.io/attempt': String(attempt),
            'captf.infrastructure.cluster.x-k8s.io/owner-kind': 'TerraformCluster',
            'captf.infrastructure.cluster.x-k8s.io/owner-name': name,
            'captf.io/managed': 'true',
          },
          annotations: end === undefined ? {} : { 'captf.io/bookkept': 'true' },
          ownerReferences: [ownerOf(kinds.terraformCluster, namespace, name)],
        },
      );
    const running = kind === 'attempting' ? [job(ends.length + 1, stand.startedAt)] : [];
    return {
      ...goesOn(stand),
      objects: [
        demoObject(kinds.terraformCluster, namespace, name, {
          spec: {
            source: { image: 'registry.example.test/modules/cluster:4' },
            jobs: { failedJobsHistoryLimit: 5 },
          },
          status: {
            conditions: [{ type: 'ApplyJobSucceeded', status: 'False', reason: 'JobFailed' }],
          },
        }),
        ...ends.map((end, index) => job(index + 1, ms(end - plan.attempt), end)),
        ...running,
      ],
    };
  };
