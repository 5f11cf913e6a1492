import { BlockList, isIP } from 'node:net';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment asks for, by the rules of Go's HTTP client, which kubectl follows.
 *
 * `HTTPS_PROXY` or `HTTP_PROXY` by the server's scheme, in capitals or not, unless `NO_PROXY` names the server;
 * the machine itself is never reached through a proxy.
 */
export function proxyFromEnvironment(server: string, variables: Variables): string | undefined {
  const url = parseUrl(server);
  if (url === undefined) return undefined;
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = read(variables, name);
  if (proxy === undefined || isExcluded(url, read(variables, 'NO_PROXY') ?? '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

const read = (variables: Variables, name: string): string | undefined => {
  const value = variables[name] ?? variables[name.toLowerCase()];
  return value === undefined || value.trim() === '' ? undefined : value.trim();
};

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function isExcluded(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || isLoopback(host)) return true;
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && matches(entry, host, port));
}

const isLoopback = (host: string): boolean =>
  (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInRange(entry, host);
  const withPort = /^(.*):(\d+)$/.exec(entry);
  const isPlainV6 = isIP(entry) === 6;
  const [name, wantedPort] =
    withPort === null || isPlainV6 ? [entry, undefined] : [withPort[1] ?? '', withPort[2]];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const bare = name.replace(/^\*/, '').replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return bare === host;
  // `.example.test` means its subdomains only, `example.test` itself as well.
  if (bare.startsWith('.')) return host.endsWith(bare);
  return host === bare || host.endsWith(`.${bare}`);
}

function isInRange(entry: string, host: string): boolean {
  const version = isIP(host);
  const [address = '', bits = ''] = entry.split('/');
  const length = Number(bits);
  if (version === 0 || isIP(address) !== version || !/^\d+$/.test(bits)) return false;
  if (length > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const range = new BlockList();
  range.addSubnet(address, length, family);
  return range.check(host, family);
}
