import type { Environment } from '../../../environment.ts';

/**
 * What the controller takes for a passing fault in the message of a run.
 *
 * Source: argo-workflows v4.1.2 util/errors/errors.go isTransientNetworkErr, isTransientEtcdErr, isTransientSqbErr.
 */
const passing: readonly string[] = [
  'Connection closed by foreign host',
  'net/http: TLS handshake timeout',
  'i/o timeout',
  'connection timed out',
  'connection reset by peer',
  'http2: client connection lost',
  'http2: server sent GOAWAY and closed the connection',
  'connect: connection refused',
  'invalid connection',
  'request did not complete within requested timeout',
  'etcdserver: leader changed',
  'etcdserver: request timed out',
  'etcdserver: too many requests',
  'client rate limiter Wait returned an error',
  'upper: no more rows in',
];

/**
 * Whether OnTransientError retries a run with this message.
 *
 * Open where no built-in text is in it and the controller's own pattern is not known, or is one that only Go reads.
 */
export function isTransient(message: string, env: Environment): boolean | 'open' {
  if (passing.some((text) => message.includes(text))) return true;
  const pattern = env.controllers.get('argo-workflows/TRANSIENT_ERROR_PATTERN');
  if (pattern === undefined) return 'open';
  if (pattern === '') return false;
  try {
    return new RegExp(pattern, 'u').test(message);
  } catch {
    return 'open';
  }
}
