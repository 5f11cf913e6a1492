import { beginningsOf, parseAnchor, type AnchorStep } from './anchor.ts';
import type { DocumentRule, PolicyFamily, Site } from './family.ts';
import { systemOf } from './family.ts';
import { itemKindOf } from './listItems.ts';

/** A site of a family, with what its checks need taken apart once. */
export type Placed = {
  readonly family: PolicyFamily;
  readonly site: Site;
  readonly anchor: readonly AnchorStep[];
  readonly beginnings: readonly string[];
  /** The keys of a closed block. */
  readonly known?: KnownKeys;
  /** Where none of these texts stands in a document, its policies have nothing to say; absent: they may. */
  readonly quietWithout?: readonly string[];
};

/** The keys that a block knows; those that lead to a map of known keys have them below. */
export type KnownKeys = ReadonlyMap<string, KnownKeys | 'any'>;

export type PlacedRule = { readonly family: PolicyFamily; readonly rule: DocumentRule };

/** The families, indexed by the kinds they look at, so that cost grows with what a file holds. */
export type Registry = {
  readonly families: readonly PolicyFamily[];
  readonly byId: ReadonlyMap<string, PolicyFamily>;
  readonly sitesOf: (group: string, kind: string) => readonly Placed[];
  readonly rulesOf: (group: string, kind: string) => readonly PlacedRule[];
  /** A cheap test on a document's text: false means that no policy can be in it. */
  readonly mayHold: (text: string) => boolean;
  /** The same for findings: false means that what policies are in it have nothing to say. */
  readonly maySpeak: (text: string) => boolean;
  /** False means that nothing in a document depends on the others of its file. */
  readonly looksAround: (text: string) => boolean;
  /** False means that nothing in the others of its file depends on a document. */
  readonly isLookedAt: (text: string) => boolean;
};

export function buildRegistry(families: readonly PolicyFamily[]): Registry {
  const sites = new Map<string, Placed[]>();
  const rules = new Map<string, PlacedRule[]>();
  const holding: Gates = new Map();
  const speaking: Gates = new Map();
  for (const family of families) {
    const known = knownKeys(family);
    for (const site of family.sites) {
      const anchor = parseAnchor(site.anchor);
      const placed: Placed = {
        family,
        site,
        anchor,
        beginnings: beginningsOf(anchor, site.implied === true),
        ...(known === undefined ? {} : { known }),
        ...quietWithout(family, site, anchor),
      };
      for (const kind of site.kinds) {
        append(sites, `${site.group}/${kind}`, placed);
        widen(holding, kind, site.needs);
        widen(speaking, kind, site.needs ?? placed.quietWithout);
      }
    }
    for (const rule of family.documentRules ?? []) {
      for (const { group, kinds, needs } of rule.sites) {
        for (const kind of kinds) {
          append(rules, `${group}/${kind}`, { family, rule });
          widen(holding, kind, needs);
          widen(speaking, kind, needs);
        }
      }
    }
  }
  return {
    families,
    byId: new Map(families.map((family) => [family.id, family])),
    sitesOf: (group, kind) => sites.get(`${group}/${kind}`) ?? [],
    rulesOf: (group, kind) => rules.get(`${group}/${kind}`) ?? [],
    mayHold: textGate(holding),
    maySpeak: textGate(speaking),
    looksAround: anyOf(families.flatMap(({ neighbours }) => neighbours?.lookers ?? [])),
    isLookedAt: anyOf(families.flatMap(({ neighbours }) => neighbours?.lookedAt ?? [])),
  };
}

/** The registry without some systems, as settings may ask. */
export function withoutSystems(registry: Registry, systems: ReadonlySet<string>): Registry {
  if (systems.size === 0) return registry;
  return buildRegistry(registry.families.filter((family) => !systems.has(systemOf(family))));
}

/**
 * The texts one of which must stand in a document for a family to have something to say at a site.
 *
 * Where every rule is about settings or names its texts, these are the keys of the fields; otherwise the key of
 * the block, unless the policy holds without it.
 */
function quietWithout(
  family: PolicyFamily,
  site: Site,
  anchor: readonly AnchorStep[],
): { readonly quietWithout?: readonly string[] } {
  const fields = Object.values(family.fields);
  const blockKey = anchor.findLast((step) => step.kind === 'key')?.key;
  const speaksUnasked =
    family.rules.some(({ about, needs }) => about === undefined && needs === undefined) ||
    fields.some(({ absent }) => absent.kind === 'required');
  if (speaksUnasked) {
    return site.implied === true || blockKey === undefined ? {} : { quietWithout: [blockKey] };
  }
  const keys = fields.map(({ steps }) => steps.keys.at(-1));
  if (family.closed !== undefined) keys.push(blockKey);
  const known = keys.filter((key) => key !== undefined);
  if (known.length < keys.length) return {};
  const needed = family.rules.flatMap(({ needs }) => needs ?? []);
  return { quietWithout: [...new Set([...known, ...needed])] };
}

type KeyTree = Map<string, KeyTree | 'any'>;

/** The keys that a family's fields lead through, and the others that it says are known. */
function knownKeys(family: PolicyFamily): KnownKeys | undefined {
  if (family.closed === undefined) return undefined;
  const tree: KeyTree = new Map();
  const fields = Object.values(family.fields)
    .filter(({ steps }) => steps.from === 'anchor')
    .map(({ steps }) => steps.keys);
  const others = family.closed.alsoKnown.map((path) => path.split('.'));
  for (const keys of [...fields, ...others]) {
    let level = tree;
    for (const [index, key] of keys.entries()) {
      const below = level.get(key);
      const isLast = index === keys.length - 1;
      if (isLast) {
        if (below === undefined) level.set(key, 'any');
      } else if (below === undefined || below === 'any') {
        const made: KeyTree = new Map();
        level.set(key, made);
        level = made;
      } else level = below;
    }
  }
  return tree;
}

/** `any`: the kind alone is enough. Otherwise one of the texts must occur too. */
type Gate = 'any' | Set<string>;
type Gates = Map<string, Gate>;

function widen(gates: Gates, kind: string, needs: readonly string[] | undefined): void {
  const known = gates.get(kind);
  if (known === 'any') return;
  if (needs === undefined) {
    gates.set(kind, 'any');
    return;
  }
  const texts = known ?? new Set<string>();
  for (const need of needs) texts.add(need);
  gates.set(kind, texts);
}

/** One pass over `kind:` lines and `"kind":` members; the texts are searched only where a kind asks. */
function textGate(gates: ReadonlyMap<string, Gate>): (text: string) => boolean {
  const kinds = /(?:^|[\s{,])["']?kind["']?\s*:\s*["']?([A-Za-z]+)/g;
  return (text) => {
    kinds.lastIndex = 0;
    for (let match = kinds.exec(text); match !== null; match = kinds.exec(text)) {
      const kind = match[1] ?? '';
      // A list may name the kind of its items for them.
      const gate = gates.get(kind) ?? gates.get(itemKindOf(kind));
      if (gate === undefined) continue;
      if (gate === 'any') return true;
      for (const need of gate) if (text.includes(need)) return true;
    }
    return false;
  };
}

const anyOf =
  (texts: readonly string[]) =>
  (text: string): boolean =>
    texts.some((one) => text.includes(one));

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
