import { ms, seconds, type Instant, type Ms } from '../../../engine/units.ts';
import { parseJson, textIn, at } from './json.ts';
import type { PortFailure } from './port.ts';
import { redacted } from './redact.ts';

/** What was sent and must not come back in a text. */
type Secrets = readonly string[];

/** Makes one of our failures of an answer that is none to use. */
export function failureOfStatus(
  status: number,
  body: string,
  retryAfterHeader: string | undefined,
  /** The time of the answer, by the server's clock where it told it. */
  now: Instant,
  known: Secrets = [],
): PortFailure {
  const parsed = parseJson(body);
  return statusFailure(
    status,
    parsed === undefined ? undefined : parsed.value,
    parsed === undefined ? body : '',
    retryAfter(retryAfterHeader, now),
    known,
  );
}

/** Makes one of our failures of a `Status` object, as watches send it. */
export function failureOfStatusObject(object: unknown, known: Secrets = []): PortFailure {
  const code = at(object, 'code');
  const retry = at(object, 'details', 'retryAfterSeconds');
  const wait = typeof retry === 'number' && retry > 0 ? seconds(retry) : undefined;
  return statusFailure(typeof code === 'number' ? code : 500, object, '', wait, known);
}

function statusFailure(
  status: number,
  object: unknown,
  text: string,
  wait: Ms | undefined,
  known: Secrets,
): PortFailure {
  const message = textIn(object, 'message');
  // Half a secret is not found any more: first it is taken out, then the text is cut.
  const said =
    message === undefined
      ? redacted(text.trim().split('\n')[0] ?? '', known).slice(0, 300)
      : redacted(message, known);
  const detail = said === '' ? `the server answered ${String(status)}` : said;
  const after = wait === undefined ? {} : { retryAfter: wait };
  switch (status) {
    case 400:
    case 422:
      return { kind: 'invalid', detail };
    case 401:
      return { kind: 'unauthorised', detail };
    case 403:
      return { kind: 'forbidden', detail };
    case 404:
    case 405:
      return { kind: 'not-found', detail };
    case 409:
      return { kind: 'conflict', detail };
    case 410:
      return { kind: 'gone', detail };
    case 429:
      return { kind: 'throttled', detail, ...after };
    default:
      return { kind: 'server', detail, status, ...after };
  }
}

/** `Retry-After` is a number of seconds, or a date. */
function retryAfter(header: string | undefined, now: Instant): Ms | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return seconds(Number(header));
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : ms(Math.max(0, until - now));
}

const certificateCodes = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);

/** Makes one of our failures of an error that a connection ended with. */
export function failureOfError(error: unknown, host: string, known: Secrets = []): PortFailure {
  const { code, message } = describe(error);
  if (code === 'ABORT_ERR') return { kind: 'cancelled', detail: 'cancelled' };
  if (certificateCodes.has(code)) {
    return {
      kind: 'certificate',
      detail: `${host}: certificate not trusted by the kubeconfig CA (no fallback to insecure)`,
    };
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const when = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet';
    return { kind: 'certificate', detail: `${host}: the server's certificate ${when}` };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return { kind: 'certificate', detail: `${host}: ${redacted(message, known)}` };
  }
  if (code.startsWith('ERR_OSSL') || code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return { kind: 'certificate', detail: `${host}: ${redacted(message, known)}` };
  }
  return { kind: 'unreachable', detail: `${host}: ${words(code) ?? redacted(message, known)}` };
}

function words(code: string): string | undefined {
  switch (code) {
    case 'ECONNREFUSED':
      return 'the connection was refused';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the connection was cut';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the name is not known';
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'it cannot be reached';
    default:
      return undefined;
  }
}

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  // Several addresses of one host: the first error stands for all.
  if (error instanceof AggregateError && error.errors.length > 0) {
    const [first]: readonly unknown[] = error.errors;
    return describe(first);
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { code: error.name === 'AbortError' ? 'ABORT_ERR' : code, message: error.message };
}
