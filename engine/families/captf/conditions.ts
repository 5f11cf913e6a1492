import type { Evidence, ResourceRef } from '../../live.ts';
import { itemsOf, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { parseInstant, type Instant } from '../../units.ts';

export type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since?: Instant;
};

/** A condition of an object's status, if it has it. */
export function conditionOf(object: SourceNode, type: string): Condition | undefined {
  for (const node of itemsOf(nodeAt(object, ['status', 'conditions']))) {
    if (textAt(node, 'type') !== type) continue;
    const since = parseInstant(textAt(node, 'lastTransitionTime'));
    return {
      type,
      status: textAt(node, 'status') ?? '',
      reason: textAt(node, 'reason') ?? '',
      message: textAt(node, 'message') ?? '',
      ...(since === undefined ? {} : { since }),
    };
  }
  return undefined;
}

export const conditionEvidence = (object: ResourceRef, condition: Condition): Evidence => ({
  object,
  path: `status.conditions[type=${condition.type}]`,
  value: `${condition.status}/${condition.reason}`,
});
