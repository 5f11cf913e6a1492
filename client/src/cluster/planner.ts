import type { PolicyFamily } from '../../../engine/family.ts';
import type { ResourceType } from '../../../engine/live.ts';
import { seconds, type Instant } from '../../../engine/units.ts';
import { planAccess, type AccessPlan } from './access.ts';
import { asker, type Asker } from './asker.ts';
import type { Clock } from './clock.ts';
import { detectControllers, nothingDetected, type Detected } from './controllerVersions.ts';
import { discover, resourceName, type KnownPlaces } from './discovery.ts';
import { longestOf, mayPass, type Answer } from './failureKinds.ts';
import { keyOfType, liveKinds, type LiveKinds } from './liveKinds.ts';
import type { ClusterPort, PortFailure } from './port.ts';
import { rememberingAsker, type Answers } from './rememberingAsker.ts';
import type { DetectedVersion, Unseen } from './sessionTypes.ts';

/** What there is to be listed, and which controllers stand behind it. */
export type Plan = AccessPlan & {
  /** Whether nobody misses a kind that cannot be seen. */
  readonly isQuiet: (type: ResourceType) => boolean;
  readonly detected: Detected;
  /** Why something was not answered that may be soon: what was known of it before stands. */
  readonly missing?: PortFailure;
};

export type Planner = {
  /** Makes a plan; one after the other, as each rests on what the last one has learnt. */
  readonly make: (signal: AbortSignal) => Promise<Answer<Plan>>;
};

export type PlannerOptions = {
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly kinds: LiveKinds;
  readonly families: readonly PolicyFamily[];
  /** Families whose kinds are not estimated, read or not. */
  readonly known: readonly PolicyFamily[];
  readonly namespaces: readonly string[] | undefined;
  /** Whether custom resources that no family reads are looked for. */
  readonly estimates: boolean;
  readonly heard: (date: Instant | undefined, sent: Instant) => void;
};

/** How long a cluster is taken to be as it was found. */
export const rediscoverEvery = seconds(600);

/**
 * Finds out what a cluster has, by the same questions again and again.
 *
 * A question that gets no answer takes nothing away of what was known. After a failure only those are asked again that
 * got none, so that a busy server is done with them in the end.
 */
export function planner(options: PlannerOptions): Planner {
  const { port, clock, kinds, families, namespaces } = options;
  const places: KnownPlaces = new Map();
  let answers: Answers = new Map();
  let answersSince = clock.now();
  let answersFor: AbortSignal | undefined;
  let controllers = nothingDetected;
  let kubernetes: string | undefined;
  const wanted = wantedBy(kinds);
  const known = liveKinds(options.known);

  const make = async (signal: AbortSignal): Promise<Answer<Plan>> => {
    const isOld = clock.now() - answersSince >= rediscoverEvery;
    // After a break somebody else may be signed in.
    if (answers.size === 0 || isOld || answersFor !== signal) {
      answers = new Map();
      answersSince = clock.now();
      answersFor = signal;
    }
    const ask = rememberingAsker(asker(port, clock, signal, options.heard), answers);
    const plan = await planWith(ask);
    const failure = plan.ok ? plan.value.missing : plan.failure;
    // A page token that is too old would be asked for again and again.
    if (failure === undefined || !mayPass(failure) || failure.kind === 'gone') answers = new Map();
    return plan;
  };

  const planWith = async (ask: Asker): Promise<Answer<Plan>> => {
    const found = await discover(ask, wanted, options.estimates, places);
    if (!found.ok) return found;
    const others = found.others.filter(({ type }) => known.typeOf(keyOfType(type)) === undefined);
    const isServed = (type: ResourceType) => found.served.has(keyOfType(type));
    const read = kinds.read.filter(isServed);
    const needed = read.flatMap((type) => kinds.neededFor(keyOfType(type))).filter(isServed);
    const keys = new Set([...read, ...needed].map(keyOfType));
    const [access, detection] = await Promise.all([
      planAccess(ask, {
        served: [...keys].flatMap((key) => found.served.get(key) ?? []),
        quiet: others,
        namespaces,
        ownNamespace: port.context.namespace ?? 'default',
      }),
      detectControllers(ask, systemsOf(read, families), namespaces),
    ]);
    if (!access.ok) return access;
    if (detection.ok) controllers = detection.value;
    kubernetes = found.kubernetes ?? kubernetes;
    const missing = longestOf([
      ...(found.missing === undefined ? [] : [found.missing]),
      ...(detection.ok || !mayPass(detection.failure) ? [] : [detection.failure]),
    ]);
    const isMissed = (one: Unseen) =>
      one.why !== 'unserved' || kinds.read.some((type) => resourceName(type) === one.resource);
    const quiet = new Set(others.map(({ type }) => keyOfType(type)));
    return {
      ok: true,
      value: {
        scopes: access.value.scopes,
        unseen: [...found.unseen.filter(isMissed), ...access.value.unseen],
        isQuiet: (type) => quiet.has(keyOfType(type)),
        detected: {
          ...controllers,
          versions: [...ownVersion(kubernetes), ...controllers.versions],
        },
        ...(missing === undefined ? {} : { missing }),
      },
    };
  };

  return { make };
}

/** The kinds that families read, and those that they look at beside them. */
function wantedBy(kinds: LiveKinds): readonly ResourceType[] {
  const wanted = new Map<string, ResourceType>();
  for (const type of kinds.read) {
    wanted.set(keyOfType(type), type);
    for (const other of kinds.neededFor(keyOfType(type))) wanted.set(keyOfType(other), other);
  }
  return [...wanted.values()];
}

function systemsOf(
  read: readonly ResourceType[],
  families: readonly PolicyFamily[],
): ReadonlySet<string> {
  const groups = new Set(read.map(({ group }) => group));
  return new Set(
    families
      .filter(({ live }) => live?.reads.some(({ group }) => groups.has(group)) === true)
      .map(({ system }) => system.id),
  );
}

function ownVersion(kubernetes: string | undefined): readonly DetectedVersion[] {
  if (kubernetes === undefined) return [];
  const version = kubernetes.replace(/^v/, '');
  return [{ system: 'kubernetes', version, from: 'the API server' }];
}
