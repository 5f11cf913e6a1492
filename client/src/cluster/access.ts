import { inParallel, type Asker } from './asker.ts';
import { resourceName, type Served } from './discovery.ts';
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

/** Finds out by access reviews what may be listed: cluster-wide where allowed, else namespace by namespace. */
export async function planAccess(ask: Asker, wish: AccessWish): Promise<AccessPlan> {
  const { served, quiet, namespaces } = wish;
  const all = [...served, ...quiet];
  if (namespaces !== undefined) {
    const inside = all.filter(({ isNamespaced }) => isNamespaced);
    return perNamespace(ask, wish, inside, namespaces);
  }
  if (await mayList(ask, '*', '*'))
    return { scopes: all.map((one) => ({ served: one })), unseen: [] };
  const allowed = await inParallel(all, ({ type }) => mayList(ask, type.group, type.plural));
  const wide = all.filter((_, index) => allowed[index] === true);
  const denied = all.filter((_, index) => allowed[index] !== true);
  const scopes = wide.map((one) => ({ served: one }));
  const inside = denied.filter(({ isNamespaced }) => isNamespaced);
  const outside = denied.filter((one) => !one.isNamespaced && served.includes(one));
  const unseen = outside.map(({ type }) => forbidden(resourceName(type), undefined));
  if (inside.length === 0) return { scopes, unseen };
  const known = await listNamespaces(ask, wish.ownNamespace);
  const rest = await perNamespace(ask, wish, inside, known.slice(0, mostNamespaces));
  const left = known.length - mostNamespaces;
  const cut: readonly Unseen[] =
    left > 0
      ? [
          {
            resource: '*',
            why: 'forbidden',
            detail: `${String(left)} of ${String(known.length)} namespaces were not asked about: choose namespaces to see them`,
          },
        ]
      : [];
  return { scopes: [...scopes, ...rest.scopes], unseen: [...unseen, ...rest.unseen, ...cut] };
}

async function perNamespace(
  ask: Asker,
  { served }: AccessWish,
  kinds: readonly Served[],
  namespaces: readonly string[],
): Promise<AccessPlan> {
  const scopes: Scope[] = [];
  const unseen: Unseen[] = [];
  const rules = await inParallel(namespaces, (namespace) => rulesIn(ask, namespace));
  for (const [index, namespace] of namespaces.entries()) {
    const may = rules[index];
    for (const one of kinds) {
      // What the rules do not tell, as other authorisers may allow it, is found out by trying.
      if (may === undefined || may.isIncomplete || may.list(one))
        scopes.push({ served: one, namespace });
      else if (served.includes(one)) unseen.push(forbidden(resourceName(one.type), namespace));
    }
  }
  return { scopes, unseen };
}

async function mayList(ask: Asker, group: string, resource: string): Promise<boolean> {
  const result = await ask.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: 'list', group, resource } },
  });
  // Without an answer it is tried: the list itself says whether it is allowed.
  return result.ok ? at(result.answer.body, 'status', 'allowed') === true : resource !== '*';
}

type Rules = { readonly isIncomplete: boolean; readonly list: (served: Served) => boolean };

async function rulesIn(ask: Asker, namespace: string): Promise<Rules | undefined> {
  const result = await ask.post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    spec: { namespace },
  });
  if (!result.ok) return undefined;
  const rules = listIn(result.answer.body, 'status', 'resourceRules');
  const has = (list: readonly unknown[], value: string) =>
    list.includes(value) || list.includes('*');
  return {
    isIncomplete: at(result.answer.body, 'status', 'incomplete') === true,
    list: ({ type }) =>
      rules.some(
        (rule) =>
          has(listIn(rule, 'verbs'), 'list') &&
          has(listIn(rule, 'apiGroups'), type.group) &&
          has(listIn(rule, 'resources'), type.plural) &&
          listIn(rule, 'resourceNames').length === 0,
      ),
  };
}

/** Every namespace, or the context's own where they may not be listed. */
async function listNamespaces(ask: Asker, own: string): Promise<readonly string[]> {
  const names: string[] = [];
  let token: string | undefined;
  do {
    const query = { limit: '500', ...(token === undefined ? {} : { continue: token }) };
    const result = await ask.get('/api/v1/namespaces', query);
    if (!result.ok) return names.length === 0 ? [own] : names;
    const { body } = result.answer;
    names.push(...listIn(body, 'items').flatMap((one) => textIn(one, 'metadata', 'name') ?? []));
    token = textIn(body, 'metadata', 'continue');
  } while (token !== undefined);
  return names;
}

const forbidden = (resource: string, namespace: string | undefined): Unseen => ({
  resource,
  ...(namespace === undefined ? {} : { namespace }),
  why: 'forbidden',
  detail: `listing ${resource} is not allowed${namespace === undefined ? '' : ` in ${namespace}`}`,
});
