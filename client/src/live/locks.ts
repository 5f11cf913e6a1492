import { accessReview, isAllowed, type Action } from '../cluster/actions.ts';
import type { Connection } from './hub.ts';

/** Which contexts may be changed, and what a person may do there. */
export type Locks = {
  readonly isLocked: (context: string) => boolean;
  readonly set: (context: string, isLocked: boolean) => void;
  /** Why an action cannot be done; nothing where it can. */
  readonly blocked: (connection: Connection, action: Action) => string | undefined;
  /** Asks the API server what the person may do; true where something new came of it. */
  readonly review: (connection: Connection, actions: readonly Action[]) => Promise<boolean>;
};

/** Every context starts read-only, in every window. */
export function createLocks(): Locks {
  const unlocked = new Set<string>();
  const reviews = new Map<string, boolean | string>();
  const keyOf = ({ name }: Connection, { needs }: Action): string =>
    JSON.stringify([
      name,
      needs.verb,
      needs.group,
      needs.resource,
      needs.subresource,
      needs.namespace,
    ]);
  return {
    isLocked: (context) => !unlocked.has(context),
    set: (context, isLocked) => {
      if (isLocked) unlocked.delete(context);
      else unlocked.add(context);
    },
    blocked: (connection, action) => {
      if (!unlocked.has(connection.name)) return 'This context is read-only: unlock actions first.';
      const review = reviews.get(keyOf(connection, action));
      if (review === true) return undefined;
      if (typeof review === 'string') return `Not known whether you may do this: ${review}.`;
      const { verb, group, resource, subresource, namespace } = action.needs;
      const what = `${resource}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
      return review === undefined
        ? 'Asking the cluster whether you may do this …'
        : `You may not ${verb} ${what}${namespace === undefined ? '' : ` in ${namespace}`}.`;
    },
    review: async (connection, actions) => {
      let isNew = false;
      for (const action of actions) {
        const key = keyOf(connection, action);
        if (typeof reviews.get(key) === 'boolean') continue;
        const result = await connection.port.request(accessReview(action));
        reviews.set(key, result.ok ? isAllowed(result.answer.body) : result.failure.detail);
        isNew = true;
      }
      return isNew;
    },
  };
}
