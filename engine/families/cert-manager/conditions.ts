import { child, itemsOf, textAt, type SourceNode } from '../../source.ts';

/** The condition of a type in an object's status. */
export const conditionOf = (object: SourceNode, type: string): SourceNode | undefined =>
  itemsOf(child(child(object, 'status'), 'conditions')).find(
    (condition) => textAt(condition, 'type') === type,
  );

export const isTrue = (condition: SourceNode | undefined): boolean =>
  textAt(condition, 'status') === 'True';
