import type { PolicyFamily } from '../family.ts';

/** Every family there is, in the order of their ids. Generated: `npm run generate`. */
export const families: readonly PolicyFamily[] = [];
