import type { Citation } from '../../citation.ts';
import type { System } from '../../environment.ts';

/** Argo Workflows, the workflow-controller; read at v4.1.2. */
export const system: System = {
  id: 'argo-workflows',
  title: 'Argo Workflows',
  assumes: {
    version: '4.1.2',
    system: 'argo-workflows',
    versions: 'v4.1.2',
    source: 'workflow/controller/operator.go processNodeRetries',
  },
};

/** A place in the controller's source, at the version that was read unless said otherwise. */
export const cite = (source: string, versions = 'v4.1.2'): Citation => ({
  system: 'argo-workflows',
  versions,
  source,
});

/** Where the controller decides between waiting, retrying and ending a node. */
export const processNodeRetries = cite('workflow/controller/operator.go processNodeRetries');

/** Where the variables of retries are kept to templates that run a pod. */
export const suspendTemplates = cite('util/variables/keys/retries.go');
