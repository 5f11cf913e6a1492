import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listContexts, openPort } from '../../../client/src/cluster/kubernetesPort.ts';
import { proxyFromEnvironment } from '../../../client/src/cluster/proxyFromEnvironment.ts';
import { redacted } from '../../../client/src/cluster/redact.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'kube-backoff-kubeconfig-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  }
  return folder;
}

const config = (name: string, user = '{ token: dummy }', more = '') => `
apiVersion: v1
kind: Config
current-context: ${name}
contexts:
  - { name: ${name}, context: { cluster: ${name}, user: ${name}, namespace: shop } }
clusters:
  - { name: ${name}, cluster: { server: "https://127.0.0.1:1/", ${more} } }
users:
  - { name: ${name}, user: ${user} }
`;

const placeOf = (folder: string, names: readonly string[]) => ({
  home: folder,
  env: {
    PATH: process.env['PATH'],
    KUBECONFIG: names.map((name) => path.join(folder, name)).join(path.delimiter),
  },
});

async function ask(folder: string, names: readonly string[]) {
  const opening = openPort(placeOf(folder, names));
  if (!opening.ok) return opening.problem;
  const result = await opening.port.request({ method: 'GET', path: '/version' });
  opening.port.dispose();
  return result.ok ? 'answered' : `${result.failure.kind}: ${result.failure.detail}`;
}

describe('the kubeconfig', () => {
  it('merges several files: the first that names something wins, a missing file is left out', () => {
    const folder = folderWith({
      'one.yaml': config('dev'),
      'two.yaml':
        config('dev', '{ username: other }') + config('prod').replace(/^[^]*?contexts/, ''),
      'three.yaml': config('prod'),
      'empty.yaml': '',
    });
    const list = listContexts(
      placeOf(folder, ['none.yaml', 'one.yaml', 'empty.yaml', 'three.yaml']),
    );
    expect(list.ok && list.contexts.map(({ name }) => name)).toEqual(['dev', 'prod']);
    expect(list.ok && list.current).toBe('dev');
    expect(list.ok && list.contexts[0]).toEqual({
      name: 'dev',
      cluster: 'dev',
      user: 'dev',
      namespace: 'shop',
      server: 'https://127.0.0.1:1',
      files: [path.join(folder, 'one.yaml')],
    });
  });

  it('names the contexts there are instead of taking another', () => {
    const folder = folderWith({
      a: config('dev').replace('current-context: dev', 'current-context: prod'),
    });
    expect(openPort(placeOf(folder, ['a']))).toEqual({
      ok: false,
      problem: 'current-context "prod" not found; choose one of: dev',
    });
    expect(openPort(placeOf(folder, ['a']), 'test')).toEqual({
      ok: false,
      problem: 'context "test" not found; choose one of: dev',
    });
    expect(openPort(placeOf(folder, ['a']), 'dev').ok).toBe(true);
  });

  it.each([
    ['no file', {}, 'there is no kubeconfig: '],
    ['broken YAML', { a: 'contexts: [' }, 'a cannot be read: '],
    ['a list', { a: '- a' }, 'a is no kubeconfig'],
    ['an alias to nothing', { a: 'token: *hunter2' }, 'a cannot be read: it is no YAML'],
    [
      'an anchor that is told twice',
      { a: '{ token: &a hunter2, token: hunter2' },
      'a cannot be read: it is no YAML, at line 1',
    ],
    [
      'a context without its cluster',
      { a: config('dev').replace('cluster: dev', 'cluster: gone') },
      'names cluster "gone"',
    ],
  ])('says what is wrong with %s', (_name, files, words) => {
    const opening = openPort(placeOf(folderWith(files), ['a']));
    expect(opening.ok ? '' : opening.problem).toContain(words);
    expect(opening.ok ? '' : opening.problem).not.toContain('hunter2');
  });

  it('shows the credential command without running it', () => {
    const folder = folderWith({
      a: config('dev', '{ exec: { command: ./bin/plugin, args: [get, "a token"] } }'),
    });
    const list = listContexts(placeOf(folder, ['a']));
    expect(list.ok && list.contexts[0]?.credentialCommand).toBe(
      `${path.join(folder, 'bin/plugin')} get 'a token'`,
    );
  });

  it('names a credential command that is not there, and the PATH', async () => {
    const folder = folderWith({
      a: config('dev', '{ exec: { command: my-auth-plugin, args: [token] } }'),
    });
    expect(await ask(folder, ['a'])).toBe(
      `credentials: "my-auth-plugin" not found on PATH (${process.env['PATH'] ?? ''})`,
    );
  });

  it('tells what a credential command said, without secrets in it', async () => {
    const script =
      '#!/bin/sh\necho "login failed: token=abcdef123456 eyJhbGciOi.eyJzdWIiOi.c2ln" >&2\nexit 3\n';
    const folder = folderWith({
      plugin: script,
      a: config('dev', '{ exec: { command: ./plugin } }'),
    });
    const told = await ask(folder, ['a']);
    expect(told).toContain('ended with 3: login failed: token=[redacted] [redacted]');
    expect(told).not.toMatch(/abcdef|eyJ/);
  });

  it('asks a credential command once for many requests, and again when its credential has ended', async () => {
    const script = (expiry: string) =>
      `#!/bin/sh\necho run >> "$(dirname "$0")/runs"\necho '{"status":{"token":"t","expirationTimestamp":"${expiry}"}}'\n`;
    const runs = async (expiry: string) => {
      const folder = folderWith({
        plugin: script(expiry),
        a: config('dev', '{ exec: { command: ./plugin } }'),
        runs: '',
      });
      const opening = openPort(placeOf(folder, ['a']));
      if (!opening.ok) throw new Error(opening.problem);
      const request = () => opening.port.request({ method: 'GET', path: '/version' });
      await Promise.all([request(), request(), request()]);
      await request();
      opening.port.dispose();
      const { readFileSync } = await import('node:fs');
      return readFileSync(path.join(folder, 'runs'), 'utf8').split('\n').length - 1;
    };
    expect(await runs('2999-01-01T00:00:00Z')).toBe(1);
    expect(await runs('2001-01-01T00:00:00Z')).toBe(2);
  });

  it('trusts nothing but the CA of the kubeconfig', async () => {
    const folder = folderWith({
      a: config('dev', '{ token: t }', 'certificate-authority-data: Q0VSVA=='),
    });
    expect(await ask(folder, ['a'])).toContain(
      'certificate: 127.0.0.1: certificate not trusted by the kubeconfig CA (no fallback to insecure)',
    );
  });

  it('says which file of it cannot be read', async () => {
    const folder = folderWith({
      a: config('dev', '{ token: t }', 'certificate-authority: folder'),
      'folder/x': '',
    });
    expect(await ask(folder, ['a'])).toBe(
      `certificate: the file ${path.join(folder, 'folder')} (certificate-authority) cannot be read`,
    );
  });

  it.each([
    ['https://me:hunter2@k8s.test', 'https://k8s.test'],
    ['https://me:hunter2@k8s.test:no', 'https://[redacted]@k8s.test:no'],
    ['me:hunter2@k8s.test', 'k8s.test'],
  ])('shows no credentials of %s', (server, shown) => {
    const folder = folderWith({ a: config('dev').replace('https://127.0.0.1:1/', server) });
    const list = listContexts(placeOf(folder, ['a']));
    expect(list.ok && list.contexts[0]?.server).toBe(shown);
  });

  it('names the host that cannot be reached', async () => {
    expect(await ask(folderWith({ a: config('dev') }), ['a'])).toBe(
      'unreachable: 127.0.0.1: the connection was refused',
    );
  });
});

describe('the proxy of the environment', () => {
  const proxy = 'http://proxy.test:3128';
  it.each([
    ['https://k8s.test:6443', { HTTPS_PROXY: proxy }, proxy],
    ['https://k8s.test', { https_proxy: 'proxy.test:3128' }, proxy],
    ['https://k8s.test', { HTTP_PROXY: proxy }, undefined],
    ['http://k8s.test', { HTTP_PROXY: proxy }, proxy],
    ['https://127.0.0.1:6443', { HTTPS_PROXY: proxy }, undefined],
    ['https://localhost:6443', { HTTPS_PROXY: proxy }, undefined],
    ['https://[::1]:6443', { HTTPS_PROXY: proxy }, undefined],
    ['https://k8s.test', { HTTPS_PROXY: proxy, NO_PROXY: '*' }, undefined],
    ['https://k8s.test', { HTTPS_PROXY: proxy, NO_PROXY: 'other, k8s.test' }, undefined],
    ['https://api.k8s.test', { HTTPS_PROXY: proxy, NO_PROXY: 'k8s.test' }, undefined],
    ['https://k8s.test', { HTTPS_PROXY: proxy, NO_PROXY: '.k8s.test' }, proxy],
    ['https://api.k8s.test', { HTTPS_PROXY: proxy, NO_PROXY: '*.k8s.test' }, undefined],
    ['https://notk8s.test', { HTTPS_PROXY: proxy, NO_PROXY: 'k8s.test' }, proxy],
    ['https://10.1.2.3:6443', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/8' }, undefined],
    ['https://11.1.2.3:6443', { HTTPS_PROXY: proxy, no_proxy: '10.0.0.0/8' }, proxy],
    ['https://k8s.test:6443', { HTTPS_PROXY: proxy, NO_PROXY: 'k8s.test:6443' }, undefined],
    ['https://k8s.test:6443', { HTTPS_PROXY: proxy, NO_PROXY: 'k8s.test:443' }, proxy],
    ['https://[fd00::1]:6443', { HTTPS_PROXY: proxy, NO_PROXY: 'fd00::/8' }, undefined],
  ])('for %s with %j is %s', (server, env, expected) => {
    expect(proxyFromEnvironment(server, env)).toBe(expected);
  });
});

describe('foreign text', () => {
  it.each([
    ['Bearer abcdefghijkl', 'Bearer [redacted]'],
    ['password: hunter2!', 'password: [redacted]'],
    ['https://user:pass@proxy.test', 'https://[redacted]@proxy.test'],
    ['https://user:p@ss@proxy.test', 'https://[redacted]@proxy.test'],
    ['login --password hunter2 --for prod', 'login --password [redacted] --for prod'],
    ['a plain sentence, with words', 'a plain sentence, with words'],
    [`key ${'A'.repeat(60)}==`, 'key [redacted]'],
  ])('%s', (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });
});
