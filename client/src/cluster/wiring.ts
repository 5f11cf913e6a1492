import { instant } from '../../../engine/units.ts';
import { agreementOf, changedParts, termsOf, type Entries } from './agreement.ts';
import {
  clusterTarget,
  credentialSource,
  type ClusterTarget,
  type CredentialSource,
} from './credentials.ts';
import { find, type Kubeconfig, type KubeconfigPlace, type ReadKubeconfig } from './kubeconfig.ts';
import type { PortFailure, Terms } from './port.ts';

/** What one state of the kubeconfig says of a context. */
export type Wiring = {
  readonly target: ClusterTarget;
  readonly credentials: CredentialSource;
  /** Tells whether reading the files again has brought anything new. */
  readonly fingerprint: string;
};

export type AgreedWiring = {
  readonly terms: Terms;
  readonly current: () => Wiring | PortFailure;
  /**
   * Takes what is new in the files, such as a token or a certificate that is there now.
   *
   * False where they say something else than what was agreed to: nothing of that is used.
   */
  readonly readAgain: () => boolean;
};

/**
 * How a context is reached, as a person has agreed to it, over changes of the kubeconfig.
 *
 * Another server, proxy, CA or credential command is a failure until somebody is asked about it, which makes another
 * one of these.
 */
export function agreedWiring(
  name: string,
  entries: Entries,
  env: KubeconfigPlace['env'],
  read: () => ReadKubeconfig,
): AgreedWiring {
  const agreed = agreementOf(entries, env);
  let current = wire(entries, env);
  let good = 'kind' in current ? undefined : current;
  let isChanged = false;
  const terms = termsOf(entries, env, good?.target.caData);
  /** The CA is another one too where its file has another content; what could not be read before is new to nobody. */
  const partsThatChanged = (now: Entries, fresh: Wiring | PortFailure): readonly string[] => {
    const parts = changedParts(agreed, agreementOf(now, env));
    if (parts.length > 0 || good === undefined || 'kind' in fresh) return parts;
    return good.target.caData === fresh.target.caData ? [] : ['CA'];
  };
  const take = (fresh: Wiring | PortFailure): void => {
    if ('kind' in fresh) {
      // What has worked is not given up for a file that is missing while it is written anew.
      current = good ?? fresh;
      return;
    }
    // The same wiring keeps the credential that its command has given.
    if (good?.fingerprint !== fresh.fingerprint) good = fresh;
    current = good;
  };
  return {
    terms,
    current: () => current,
    readAgain: () => {
      const now = read();
      const found = now.ok ? entriesOf(now.config, name) : undefined;
      if (!now.ok || found === undefined) return !isChanged;
      const fresh = wire(found, env);
      const parts = partsThatChanged(found, fresh);
      isChanged = parts.length > 0;
      if (isChanged) current = changedFailure(name, parts);
      else take(fresh);
      return !isChanged;
    },
  };
}

/** The entries that a context names; nothing where the context or its cluster is missing. */
export function entriesOf(config: Kubeconfig, name: string): Entries | undefined {
  const context = find(config.contexts, name);
  const named = (key: string): string => {
    const value = context?.value[key];
    return typeof value === 'string' ? value : '';
  };
  const cluster = find(config.clusters, named('cluster'));
  return cluster === undefined ? undefined : { cluster, user: find(config.users, named('user')) };
}

const changedFailure = (name: string, parts: readonly string[]): PortFailure => ({
  kind: 'changed',
  detail: `the kubeconfig has changed for context "${name}" (${parts.join(', ')}): connecting again asks about it`,
});

function wire({ cluster, user }: Entries, env: KubeconfigPlace['env']): Wiring | PortFailure {
  const target = clusterTarget(cluster, env);
  if (!target.ok) return target.failure;
  const now = () => instant(Date.now());
  return {
    target: target.value,
    credentials: credentialSource(user, target.value, env, now),
    fingerprint: JSON.stringify([target.value, user?.value, user?.folder]),
  };
}
