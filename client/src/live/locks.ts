import { accessReview, isAllowed, type Action } from '../cluster/actions.ts';
import type { Connection } from './hub.ts';

/** Which contexts may be changed, and what a person may do there. */
export type Locks = {
  readonly isLocked: (context: string) => boolean;
  readonly set: (context: string, isLocked: boolean) => void;
  /** Why an action cannot be done; nothing where it can. */
  readonly blocked: (connection: Connection, action: Action) => string | undefined;
  /** Asks the API server what the person may do, as far as it was not asked within a minute; true where something new came of it. */
  readonly review: (connection: Connection, actions: readonly Action[]) => Promise<boolean>;
};

// A role that somebody was given meanwhile shows after this.
const holdsFor = 60_000;

type Review = { readonly at: number; readonly may: boolean | string };

/** Every context starts read-only, in every window. */
export function createLocks(now: () => number = Date.now): Locks {
  const unlocked = new Set<string>();
  // They go with the connection: the next one may be another person's.
  const all = new WeakMap<Connection, Map<string, Review>>();
  const reviewsOf = (connection: Connection): Map<string, Review> => {
    const own = all.get(connection) ?? new Map<string, Review>();
    all.set(connection, own);
    return own;
  };
  return {
    isLocked: (context) => !unlocked.has(context),
    set: (context, isLocked) => {
      if (isLocked) unlocked.delete(context);
      else unlocked.add(context);
    },
    blocked: (connection, action) => {
      if (!unlocked.has(connection.name)) return 'This context is read-only: unlock actions first.';
      const review = reviewsOf(connection).get(keyOf(action))?.may;
      if (review === true) return undefined;
      if (typeof review === 'string') return `Not known whether you may do this: ${review}.`;
      const { verb, group, resource, subresource, namespace, name } = action.needs;
      const what = `${resource}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
      return review === undefined
        ? 'Asking the cluster whether you may do this …'
        : `You may not ${verb} ${what} ${name}${namespace === undefined ? '' : ` in ${namespace}`}.`;
    },
    review: async (connection, actions) => {
      const reviews = reviewsOf(connection);
      let isNew = false;
      for (const action of actions) {
        const key = keyOf(action);
        const known = reviews.get(key);
        if (typeof known?.may === 'boolean' && now() - known.at < holdsFor) continue;
        const result = await connection.port.request(accessReview(action));
        const may = result.ok ? isAllowed(result.answer.body) : result.failure.detail;
        reviews.set(key, { at: now(), may });
        isNew ||= may !== known?.may;
      }
      return isNew;
    },
  };
}

/** Everything that a review asks about: roles can be for one object alone. */
const keyOf = ({ needs }: Action): string =>
  JSON.stringify([
    needs.verb,
    needs.group,
    needs.resource,
    needs.subresource,
    needs.namespace,
    needs.name,
  ]);
