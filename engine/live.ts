import type { Environment } from './environment.ts';
import type { Stop } from './schedule.ts';
import type { SourceNode } from './source.ts';
import type { Instant, Ms, Window } from './units.ts';

/** Names one object of a cluster or of a manifest. */
export type ResourceRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
};

/** A fact with how it came to be known: read from a status, worked out, or not to be had. */
export type Known<T> =
  | { readonly how: 'reported'; readonly value: T }
  | { readonly how: 'inferred'; readonly value: T; readonly from: string }
  | { readonly how: 'unknown'; readonly why: string };

export const reported = <T>(value: T): Known<T> => ({ how: 'reported', value });
export const inferred = <T>(value: T, from: string): Known<T> => ({ how: 'inferred', value, from });
export const unknown = (why: string): Known<never> => ({ how: 'unknown', why });

/** What a fact rests on: the object, the path in it and the value found there. */
export type Evidence = {
  readonly object: ResourceRef;
  readonly path: string;
  readonly value: unknown;
};

/** Where one policy of one live object stands. */
export type LiveBackoff =
  | {
      readonly kind: 'idle';
      readonly because: 'healthy' | 'finished' | 'not-started';
      readonly reason: string;
      readonly seen: readonly Evidence[];
    }
  | {
      readonly kind: 'attempting';
      readonly retry: Known<number>;
      readonly failures: Known<number>;
      readonly reason: string;
      readonly seen: readonly Evidence[];
    }
  | {
      readonly kind: 'waiting';
      /** The retry that comes next, counted from 1. */
      readonly retry: Known<number>;
      readonly failures: Known<number>;
      readonly wait: Known<Window<Ms>>;
      readonly lastFailureAt: Known<Instant>;
      /** A window even without jitter: API times have whole seconds. */
      readonly next: Known<Window<Instant>>;
      /** Whether the wait has reached its cap. */
      readonly capped: Known<boolean>;
      /** One sentence: why it waits, what ends the wait, what resets it. */
      readonly reason: string;
      readonly seen: readonly Evidence[];
    }
  | {
      readonly kind: 'gave-up';
      readonly by: Known<Stop>;
      readonly at: Known<Instant>;
      readonly failures: Known<number>;
      /** Who decides whether another one starts in its place, where it is one attempt of an object that owns it. */
      readonly owner?: string;
      readonly reason: string;
      readonly seen: readonly Evidence[];
    }
  | {
      readonly kind: 'unseen';
      readonly why: 'absent' | 'forbidden' | 'unserved' | 'stale' | 'disconnected';
      readonly detail: string;
    };

/** One state of an object; `part` names the operation, container or node where it has several. */
export type LiveState = { readonly part?: string; readonly state: LiveBackoff };

export type ResourceType = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
};

/** The objects that a reader may look at beside its own: all of them already fetched. */
export type ClusterView = {
  readonly get: (ref: ResourceRef) => SourceNode | undefined;
  /** The objects of a type in the same namespace that name this one as an owner, or by label. */
  readonly related: (ref: ResourceRef, type: ResourceType) => Iterable<SourceNode>;
};

export const emptyView: ClusterView = { get: () => undefined, related: () => [] };

/**
 * Unpacks what an object carries packed, before a reader sees it: the object as its system would serve it.
 *
 * The engine has no decompression of its own. Who fetches live objects passes each of them through such a function,
 * before anything of it is shortened or left out;
 * `status.compressedNodes` of a Workflow becomes `status.nodes`. It gives the object back as it is where there is
 * nothing to unpack or where it cannot be unpacked here; the reader then says `unseen` with the reason.
 */
export type Unpack = (object: unknown) => unknown;

/** What a reader gets: one object as a tree, its neighbours, the environment and the time. */
export type LiveInput = {
  readonly object: SourceNode;
  readonly ref: ResourceRef;
  readonly view: ClusterView;
  readonly env: Environment;
  readonly now: Instant;
};

/** Reads live objects. Total: any JSON gives states, none makes it throw. */
export type LiveReader = {
  /** The kinds whose objects have states of this family. */
  readonly reads: readonly ResourceType[];
  /** Other kinds that must be at hand to read them. */
  readonly alsoNeeds: readonly ResourceType[];
  /** Set where a file that an object was printed to usually holds those beside it: all of them, or none. */
  readonly fromFile?: true;
  readonly read: (input: LiveInput) => readonly LiveState[];
};
