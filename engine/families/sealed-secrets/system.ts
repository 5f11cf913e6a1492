import type { Citation } from '../../citation.ts';
import type { System } from '../../environment.ts';

/** A place in the source of Sealed Secrets, at the version that was read. */
export const cite = (source: string): Citation => ({
  system: 'sealed-secrets',
  versions: '0.36.6',
  source,
});

/** The Sealed Secrets controller; read at v0.36.6. */
export const system: System = {
  id: 'sealed-secrets',
  title: 'Sealed Secrets',
  assumes: { ...cite('pkg/controller/controller.go'), version: '0.36.6' },
};
