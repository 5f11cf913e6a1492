import type { Citation } from '../../citation.ts';
import type { System } from '../../environment.ts';

const repository = 'captf-io/cluster-api-provider-terraform';

/** Cites a file and symbol of the provider's repository. */
export const captfSource = (place: string): Citation => ({
  system: 'CAPTF',
  versions: 'v1alpha1 (v0.1)',
  source: `${repository} ${place}`,
});

/** Cluster API Provider Terraform: one Job per operation, retried by the controller. */
export const captf: System = {
  id: 'captf',
  title: 'CAPTF',
  assumes: { ...captfSource('internal/controllers/shared/decide.go'), version: '0.1.1' },
};

/** The API group of all CAPTF kinds. */
export const captfGroup = 'infrastructure.cluster.x-k8s.io';
