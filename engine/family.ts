import type { Citation } from './citation.ts';
import type { Environment, System } from './environment.ts';
import type { Fields, ValueOf, Values } from './field.ts';
import type { Code, Fix, Related, Severity } from './finding.ts';
import type { LiveReader, ResourceRef } from './live.ts';
import type { Neighbours } from './neighbours.ts';
import type { Bound, Schedule } from './schedule.ts';
import type { Located, Setting } from './setting.ts';
import type { Path, SourceNode, SourceTree, Span } from './source.ts';

/**
 * Where a policy stands in a manifest.
 *
 * `anchor` is a path with `[*]` for every item, `*` for every entry of a map, and `>` where a text is read as
 * YAML of its own: `spec.templates[*].retryStrategy`, `data.workflowDefaults>spec.retryStrategy`, `data.*>spec`.
 */
export type Site = {
  /** API group, `''` for the core group. Every version of it counts. */
  readonly group: string;
  readonly kinds: readonly string[];
  readonly anchor: string;
  /** The policy holds even where the anchor is not written: the system's defaults rule. */
  readonly implied?: boolean;
  /** Says whether a manifest of this kind has the policy at all; absent: always. */
  readonly when?: (root: SourceNode) => boolean;
  /** A copy that the system keeps for itself: told of, and not judged, as nobody writes there. */
  readonly isCopy?: true;
  /** Reads the anchor's node as another shape, such as a container's flags as a map. */
  readonly view?: (node: SourceNode, root: SourceNode) => SourceNode | undefined;
  /** Of these texts one must occur in a document for it to be worth a look; absent: the kind is enough. */
  readonly needs?: readonly string[];
};

export type Settings<F extends Fields> = { readonly [K in keyof F]: Setting<ValueOf<F[K]>> };

/** One policy as found in a manifest or a live object: plain data, no tree behind it. */
export type Policy<F extends Fields = Fields, X = unknown> = {
  readonly family: string;
  readonly resource: ResourceRef;
  readonly site: Site;
  readonly anchor: Path;
  /** The key that introduces the policy (the one above it, where it is implied), and its block; absent for live objects. */
  readonly key?: Span;
  readonly span?: Span;
  /** Other places in the document that take this policy through an alias or a merge key. */
  readonly via?: Span;
  readonly settings: Settings<F>;
  /** What the family took from the surrounding manifest. */
  readonly facts: X;
  readonly env: Environment;
};

/** What a rule sees: the policy and the manifest around it. */
export type PolicyContext<F extends Fields = Fields, X = unknown> = {
  readonly policy: Policy<F, X>;
  readonly settings: Settings<F>;
  readonly env: Environment;
  /** The policy's block; absent where an implied policy is not written. */
  readonly node: SourceNode | undefined;
  /** The nodes above the block, nearest first. */
  readonly parents: readonly SourceNode[];
  readonly root: SourceNode;
  readonly tree: SourceTree;
  /** The other objects of the file that the family looks at. */
  readonly neighbours: readonly SourceNode[];
  /** Absent where a setting that the formula needs is unreadable or unknown. */
  readonly schedule: Schedule | undefined;
  readonly bound: Bound | undefined;
  /** The key of a setting, or the policy's own name where it is not written. */
  readonly keyOf: (name: keyof F) => Span;
  /** The value of a setting, or its key, or the policy's name. */
  readonly valueSpanOf: (name: keyof F) => Span;
  /** The key that introduces the policy. */
  readonly name: Span;
  /** The node a setting was read from. */
  readonly nodeOf: (name: keyof F) => SourceNode | undefined;
};

/** What a rule found; the code, severity and tags come from the rule unless said otherwise. */
export type Report = {
  readonly message: string;
  readonly at: Span;
  readonly severity?: Severity;
  readonly unnecessary?: boolean;
  readonly related?: readonly Related[];
  readonly fixes?: readonly Fix[];
};

type RuleHead = {
  /** The second half of the code: `backoff-needs-limit`. */
  readonly slug: string;
  readonly severity: Severity;
  /** One line for the reference: what the rule finds. */
  readonly summary: string;
  /** Why it matters, and what to do, in Markdown. */
  readonly explanation: string;
  readonly cite: Citation;
};

/** A rule over one policy. */
export type Rule<F extends Fields = Fields, X = unknown> = RuleHead & {
  /** The rule has something to say only where one of these settings is written; absent: anywhere. */
  readonly about?: readonly (keyof F & string)[];
  /** Of these texts one must stand in the document for the rule to have something to say; absent: none. */
  readonly needs?: readonly string[];
  /** A cheap look at the policy, before anything is made ready for the rule; absent: always. */
  when?(policy: Policy<F, X>): boolean;
  check(context: PolicyContext<F, X>): Iterable<Report>;
};

/** A rule over a whole manifest of some kind, for mistakes that leave no policy behind. */
export type DocumentRule = RuleHead & {
  readonly sites: readonly Pick<Site, 'group' | 'kinds' | 'needs'>[];
  readonly check: (document: {
    readonly root: SourceNode;
    readonly tree: SourceTree;
    readonly env: Environment;
  }) => Iterable<Report>;
};

/** A remark for the explanation: what no squiggle says. */
export type Note<Name extends string = string> = {
  readonly text: string;
  /** The setting it belongs to; the policy as a whole when absent. */
  readonly field?: Name;
};

export type Example = {
  readonly name: string;
  /** A whole manifest. */
  readonly yaml: string;
  readonly versions?: Readonly<Record<string, string>>;
  readonly controllers?: Readonly<Record<string, string>>;
  /** The anchor of the policy that is meant, where the manifest has several. */
  readonly anchor?: string;
  /** `['10s', '20s', '40s']`; `'1s..2s'` for a window; the first ones where there are many. */
  readonly waits: readonly string[];
  /** What `describeEnd` says: `after 6 retries`, `never`, … */
  readonly ends: string;
  readonly findings: readonly Code[];
};

/** Everything we know about one kind of retry policy. Adding one is adding a file that exports this. */
export type PolicyFamily<F extends Fields = Fields, X = unknown> = {
  /** `<system>/<policy>`. */
  readonly id: `${string}/${string}`;
  readonly system: System;
  readonly title: string;
  /** What retries, and when, in two sentences. Opens the reference page. */
  readonly summary: string;
  /** The formula in words, for hover and reference. */
  readonly formula: string;
  readonly cite: Citation;
  readonly sites: readonly Site[];
  readonly fields: F;
  /** Keys in the block that are no fields of ours; set where any other key is a mistake. */
  readonly closed?: {
    readonly alsoKnown: readonly string[];
    /** Keys that are a mistake too, which a rule of the family explains better than `policy/unknown-field`. */
    readonly judged?: readonly string[];
  };
  /** The field an unknown key stands for, where its spelling does not tell: `retryOn` → `retryPolicy`. */
  meantBy?(key: string): string | undefined;
  /** The other objects of a file that this family looks at; absent: none. */
  readonly neighbours?: Neighbours;
  /** What one of them gives to settings that are not written, before the system's own defaults. */
  inherit?(around: InheritInput): ((field: string) => Inherited | undefined) | undefined;
  /** Takes what the formula, the notes and the effects need from the surrounding manifest. */
  facts?(context: FactsInput): X;
  schedule(values: Values<F>, policy: Policy<F, X>): Schedule<keyof F & string>;
  readonly rules: readonly Rule<F, X>[];
  readonly documentRules?: readonly DocumentRule[];
  /** The schedule in one line, where the words for retries do not fit: runs of a schedule, probes. */
  sentence?(policy: Policy<F, X>, schedule: Schedule): string;
  notes?(policy: Policy<F, X>, schedule: Schedule | undefined): Iterable<Note<keyof F & string>>;
  /** What the value of one field does to the schedule; derived by leaving it out when absent. */
  effect?(policy: Policy<F, X>, field: keyof F & string): string | undefined;
  /** The value to expect for a text that is filled in at run time, from the manifest around it. */
  expect?(
    text: string,
    root: SourceNode,
    parents: readonly SourceNode[],
  ): { readonly text: string; readonly because: string } | undefined;
  /** The token bucket that all objects on a work queue share, where the policy names one that is in force. */
  bucket?(policy: Policy<F, X>): { readonly qps: number; readonly burst: number } | undefined;
  /** Absent: the system reports nothing, and the panel says so. */
  readonly live?: LiveReader;
  readonly examples: readonly Example[];
};

export type InheritInput = {
  readonly root: SourceNode;
  readonly neighbours: readonly SourceNode[];
};

/** A value that stands in another object, and who gives it: `spec.defaults.jobs of TerraformCluster prod`. */
export type Inherited = {
  readonly value: SourceNode;
  readonly by: string;
  readonly cite: Citation;
};

export type FactsInput = {
  readonly node: SourceNode | undefined;
  readonly parents: readonly SourceNode[];
  readonly root: SourceNode;
  readonly anchor: Path;
  readonly env: Environment;
  /** The other objects of the file that the family looks at. */
  readonly neighbours: readonly SourceNode[];
};

/** Declares a family; the values, facts and field names are inferred from it. */
export function defineFamily<const F extends Fields, X = undefined>(
  family: PolicyFamily<F, X>,
): PolicyFamily<F, X> {
  return family;
}

/** Declares a rule outside the family's literal, for families that keep their rules in files of their own. */
export function defineRule<F extends Fields, X>(rule: Rule<F, X>): Rule<F, X> {
  return rule;
}

export const systemOf = (family: { readonly id: string }): string => family.id.split('/')[0] ?? '';

export const codeOf = (family: { readonly id: string }, rule: { readonly slug: string }): Code =>
  `${systemOf(family)}/${rule.slug}`;

export type { Located };
