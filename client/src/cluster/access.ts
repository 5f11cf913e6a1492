import type { ResourceType } from '../../../engine/live.ts';
import { inParallel, type Asker } from './asker.ts';
import { resourceName, type Served } from './discovery.ts';
import { allOf, isRefused, type Answer } from './failureKinds.ts';
import { at, listIn, textIn } from './json.ts';
import type { Unseen } from './sessionTypes.ts';

/** One list to make: of the whole cluster, or of one namespace. */
export type Scope = { readonly served: Served; readonly namespace?: string };

export type AccessPlan = {
  readonly scopes: readonly Scope[];
  readonly unseen: readonly Unseen[];
};

export type AccessWish = {
  readonly served: readonly Served[];
  /** Kinds that nobody misses where they may not be listed. */
  readonly quiet: readonly Served[];
  /** Only these namespaces; absent: all. */
  readonly namespaces: readonly string[] | undefined;
  /** The namespace of the context, where namespaces may not be listed. */
  readonly ownNamespace: string;
};

/** With more namespaces than this, not every one of them is asked about. */
const mostNamespaces = 200;

/**
 * Finds out by access reviews what may be listed: cluster-wide where allowed, else namespace by namespace.
 *
 * What gets no answer is no answer: a plan that is made without it would give up what is allowed.
 */
export async function planAccess(ask: Asker, wish: AccessWish): Promise<Answer<AccessPlan>> {
  const { served, quiet, namespaces } = wish;
  const all = [...served, ...quiet];
  if (namespaces !== undefined) {
    const inside = all.filter(({ isNamespaced }) => isNamespaced);
    return perNamespace(ask, wish, inside, namespaces);
  }
  const everything = await mayList(ask, '*', '*');
  if (!everything.ok) return everything;
  if (everything.value) return plan(all.map((one) => ({ served: one })));
  const allowed = allOf(await inParallel(all, ({ type }) => mayList(ask, type.group, type.plural)));
  if (!allowed.ok) return allowed;
  const scopes = all.flatMap((one, index) =>
    allowed.value[index] === true ? [{ served: one }] : [],
  );
  const denied = all.filter((_, index) => allowed.value[index] !== true);
  const inside = denied.filter(({ isNamespaced }) => isNamespaced);
  const outside = denied.filter((one) => !one.isNamespaced && served.includes(one));
  const unseen = outside.map(({ type }) => forbidden(resourceName(type), undefined));
  if (inside.length === 0) return plan(scopes, unseen);
  const known = await listNamespaces(ask);
  if (!known.ok) return known;
  const names = known.value ?? [wish.ownNamespace];
  const rest = await perNamespace(ask, wish, inside, names.slice(0, mostNamespaces));
  if (!rest.ok) return rest;
  const isMissed = inside.some((one) => served.includes(one));
  const others = known.value === undefined && isMissed ? [unknownOthers(wish.ownNamespace)] : [];
  return plan(
    [...scopes, ...rest.value.scopes],
    [...unseen, ...rest.value.unseen, ...others, ...cutOff(names.length)],
  );
}

const plan = (scopes: readonly Scope[], unseen: readonly Unseen[] = []): Answer<AccessPlan> => ({
  ok: true,
  value: { scopes, unseen },
});

const unknownOthers = (own: string): Unseen => ({
  resource: 'namespaces',
  why: 'forbidden',
  detail: `listing namespaces is not allowed: only ${own}, the namespace of the context, is looked at, and others are not known. Choose namespaces to see them`,
});

function cutOff(count: number): readonly Unseen[] {
  const left = count - mostNamespaces;
  if (left <= 0) return [];
  return [
    {
      resource: '*',
      why: 'forbidden',
      detail: `${String(left)} of ${String(count)} namespaces were not asked about: choose namespaces to see them`,
    },
  ];
}

async function perNamespace(
  ask: Asker,
  { served }: AccessWish,
  kinds: readonly Served[],
  namespaces: readonly string[],
): Promise<Answer<AccessPlan>> {
  const scopes: Scope[] = [];
  const unseen: Unseen[] = [];
  const rules = allOf(await inParallel(namespaces, (namespace) => mayListIn(ask, namespace)));
  if (!rules.ok) return rules;
  for (const [index, namespace] of namespaces.entries()) {
    const may = rules.value[index];
    for (const one of kinds) {
      if (may?.(one.type) === true) scopes.push({ served: one, namespace });
      else if (served.includes(one)) unseen.push(forbidden(resourceName(one.type), namespace));
    }
  }
  return plan(scopes, unseen);
}

/** Whether a kind may be listed in the whole cluster. */
export async function mayListAll(
  ask: Asker,
  { group, plural }: Pick<ResourceType, 'group' | 'plural'>,
): Promise<Answer<boolean>> {
  const everything = await mayList(ask, '*', '*');
  return everything.ok && !everything.value ? mayList(ask, group, plural) : everything;
}

async function mayList(ask: Asker, group: string, resource: string): Promise<Answer<boolean>> {
  const result = await ask.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: 'list', group, resource } },
  });
  if (result.ok) return { ok: true, value: at(result.answer.body, 'status', 'allowed') === true };
  // Where there are no reviews it is tried: the list itself says whether it is allowed.
  return isRefused(result.failure) ? { ok: true, value: resource !== '*' } : result;
}

type MayList = (type: Pick<ResourceType, 'group' | 'plural'>) => boolean;

/** What may be listed in a namespace; what the rules do not tell, as other authorisers may allow it, is tried. */
export async function mayListIn(ask: Asker, namespace: string): Promise<Answer<MayList>> {
  const result = await ask.post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    spec: { namespace },
  });
  if (!result.ok) {
    return isRefused(result.failure) ? { ok: true, value: () => true } : result;
  }
  const { body } = result.answer;
  if (at(body, 'status', 'incomplete') === true) return { ok: true, value: () => true };
  const rules = listIn(body, 'status', 'resourceRules');
  const has = (list: readonly unknown[], value: string) =>
    list.includes(value) || list.includes('*');
  return {
    ok: true,
    value: ({ group, plural }) =>
      rules.some(
        (rule) =>
          has(listIn(rule, 'verbs'), 'list') &&
          has(listIn(rule, 'apiGroups'), group) &&
          has(listIn(rule, 'resources'), plural) &&
          listIn(rule, 'resourceNames').length === 0,
      ),
  };
}

/** Every namespace; nothing where they may not be listed. */
async function listNamespaces(ask: Asker): Promise<Answer<readonly string[] | undefined>> {
  const names: string[] = [];
  let token: string | undefined;
  do {
    const query = { limit: '500', ...(token === undefined ? {} : { continue: token }) };
    const result = await ask.get('/api/v1/namespaces', query);
    if (!result.ok) {
      return isRefused(result.failure) ? { ok: true, value: undefined } : result;
    }
    const { body } = result.answer;
    names.push(...listIn(body, 'items').flatMap((one) => textIn(one, 'metadata', 'name') ?? []));
    token = textIn(body, 'metadata', 'continue');
  } while (token !== undefined);
  return { ok: true, value: names };
}

const forbidden = (resource: string, namespace: string | undefined): Unseen => ({
  resource,
  ...(namespace === undefined ? {} : { namespace }),
  why: 'forbidden',
  detail: `listing ${resource} is not allowed${namespace === undefined ? '' : ` in ${namespace}`}`,
});
