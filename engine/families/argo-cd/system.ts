import type { Citation } from '../../citation.ts';
import type { System } from '../../environment.ts';

/** A place in Argo CD's source, at the version that was read unless said otherwise. */
export const cite = (source: string, versions = '3.5.1'): Citation => ({
  system: 'argo-cd',
  versions,
  source,
});

/** Argo CD, the application controller; read at v3.5.1. */
export const system: System = {
  id: 'argo-cd',
  title: 'Argo CD',
  assumes: { ...cite('controller/appcontroller.go'), version: '3.5.1' },
};
