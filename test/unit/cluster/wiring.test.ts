import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listContexts, openPort } from '../../../client/src/cluster/kubernetesPort.ts';
import { openSession } from '../../../client/src/cluster/session.ts';
import type { ClusterPort } from '../../../client/src/cluster/port.ts';
import { families } from '../../../engine/families/index.ts';
import { setUp } from './setUp.ts';

type Fields = Readonly<Record<string, unknown>>;

const pem = (name: string): string =>
  Buffer.from(`-----BEGIN CERTIFICATE-----\n${name}\n`).toString('base64');

/** A folder with a kubeconfig in it, and a server that takes the tokens it is told to. */
async function place(accepted: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'kube-backoff-wiring-'));
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${accepted}`;
    response.writeHead(isKnown ? 200 : 401);
    response.end(isKnown ? '{}' : '{"message":"Unauthorized"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  const file = path.join(folder, 'config');
  const write = (user: Fields, cluster: Fields = {}) => {
    const where = { server: `http://127.0.0.1:${String(own)}`, ...cluster };
    writeFileSync(
      file,
      JSON.stringify({
        'current-context': 'dev',
        contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: where }],
        users: [{ name: 'u', user }],
      }),
    );
  };
  const plugin = (name: string, token: string) => {
    const script = `#!/bin/sh\ntouch "${folder}/${name}.ran"\necho '{"status":{"token":"${token}"}}'\n`;
    writeFileSync(path.join(folder, name), script, { mode: 0o755 });
  };
  const kubeconfig = { files: [file], env: { PATH: process.env['PATH'] }, home: folder };
  const open = (): ClusterPort => {
    const opening = openPort(kubeconfig);
    if (!opening.ok) throw new Error(opening.problem);
    onTestFinished(opening.port.dispose);
    return opening.port;
  };
  const terms = (): string => {
    const opening = openPort(kubeconfig);
    if (!opening.ok) throw new Error(opening.problem);
    opening.port.dispose();
    return opening.terms.digest;
  };
  const ran = (name: string) => existsSync(path.join(folder, `${name}.ran`));
  return { folder, file, write, plugin, kubeconfig, open, terms, ran };
}

async function ask(port: ClusterPort): Promise<string> {
  const result = await port.request({ method: 'GET', path: '/version' });
  return result.ok ? 'answered' : `${result.failure.kind}: ${result.failure.detail}`;
}

const changed = (what: string) =>
  `changed: the kubeconfig has changed for context "dev" (${what}): connecting again asks about it`;

const exec = (more: Fields = {}) => ({ exec: { command: './plugin', ...more } });

describe('a kubeconfig that changes while it is in use', () => {
  it.each<[string, Fields, Fields?]>([
    ['server', exec(), { server: 'http://127.0.0.1:1' }],
    ['proxy', exec(), { 'proxy-url': 'http://127.0.0.1:1' }],
    ['CA', exec(), { 'certificate-authority-data': pem('other') }],
    ['CA', exec(), { 'certificate-authority': 'none.crt' }],
    ['certificate check', exec(), { 'insecure-skip-tls-verify': true }],
    ['credential command', exec({ command: './other' })],
    ['credential command', exec({ args: ['--other'] })],
    ['credential command', exec({ env: [{ name: 'PATH', value: '/other' }] })],
    ['credential command', { token: 'good' }],
    ['files with credentials', { ...exec(), tokenFile: 'id_rsa' }],
    [
      'sign-in server',
      {
        ...exec(),
        'auth-provider': { name: 'oidc', config: { 'idp-issuer-url': 'https://other.test' } },
      },
    ],
    ['server, credential command', exec({ command: './other' }), { server: 'http://127.0.0.1:1' }],
  ])('asks again about another %s, and uses nothing of it (%#)', async (what, user, cluster) => {
    const { write, plugin, open, terms, ran } = await place('good');
    write(exec());
    plugin('plugin', 'expired');
    plugin('other', 'good');
    const before = terms();
    const port = open();
    write(user, cluster);
    expect(await ask(port)).toBe(changed(what));
    expect(await ask(port)).toBe(changed(what));
    expect(port.readAgain?.()).toBe(false);
    expect(ran('other')).toBe(false);
    expect(terms()).not.toBe(before);
    write(exec());
    expect(port.readAgain?.()).toBe(true);
    expect(await ask(port)).toBe('unauthorised: Unauthorized');
    expect(terms()).toBe(before);
  });

  it('asks again about a CA file with another content', async () => {
    const { folder, write, open, terms } = await place('good');
    const ca = path.join(folder, 'ca.crt');
    writeFileSync(ca, '-----BEGIN CERTIFICATE-----\none\n');
    write({ token: 'good' }, { 'certificate-authority': 'ca.crt' });
    const before = terms();
    const port = open();
    expect(await ask(port)).toBe('answered');
    writeFileSync(ca, '-----BEGIN CERTIFICATE-----\nother\n');
    expect(port.readAgain?.()).toBe(false);
    expect(await ask(port)).toBe(changed('CA'));
    expect(terms()).not.toBe(before);
  });

  it('takes another token at a refusal, and at a resumption', async () => {
    const { write, open } = await place('good');
    write({ token: 'expired' });
    const port = open();
    write({ token: 'good' });
    expect(await ask(port)).toBe('answered');
    write({ token: 'later' });
    expect(await ask(port)).toBe('answered');
    expect(port.readAgain?.()).toBe(true);
    expect(await ask(port)).toBe('unauthorised: Unauthorized');
  });

  it('works after what was missing is there', async () => {
    const { folder, write, plugin, open } = await place('good');
    write(exec(), { 'certificate-authority': 'ca.crt' });
    const port = open();
    const ca = path.join(folder, 'ca.crt');
    expect(await ask(port)).toBe(
      `certificate: the file ${ca} (certificate-authority) does not exist`,
    );
    writeFileSync(ca, '-----BEGIN CERTIFICATE-----\none\n');
    expect(port.readAgain?.()).toBe(true);
    expect(await ask(port)).toBe(`credentials: "${path.join(folder, 'plugin')}" does not exist`);
    plugin('plugin', 'good');
    expect(await ask(port)).toBe('answered');
  });

  it.each([
    ['is missing', undefined],
    ['is half written', '{"contexts": ['],
    ['is empty', ''],
  ])('goes on as before while the file %s', async (_how, text) => {
    const { file, write, open } = await place('good');
    write({ token: 'good' });
    const port = open();
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
    expect(port.readAgain?.()).toBe(true);
    expect(await ask(port)).toBe('answered');
  });

  it('is opened as it was listed', async () => {
    const { write, plugin, kubeconfig, ran } = await place('good');
    write(exec());
    plugin('plugin', 'good');
    plugin('other', 'good');
    const list = listContexts(kubeconfig);
    const credentials = exec({ command: './other' });
    write(credentials);
    const opening = list.ok ? list.open('dev') : list;
    if (!opening.ok) throw new Error(opening.problem);
    onTestFinished(opening.port.dispose);
    expect(await ask(opening.port)).toBe('answered');
    expect([ran('plugin'), ran('other')]).toEqual([true, false]);
  });
});

describe('a session that resumes', () => {
  it('has the kubeconfig read again first', async () => {
    const { clock, cluster } = setUp();
    let reads = 0;
    const readAgain = () => {
      reads += 1;
      return true;
    };
    const session = openSession({ port: { ...cluster.port, readAgain }, clock, families });
    await clock.pass(1000);
    session.pause();
    expect(reads).toBe(0);
    const before = cluster.requests.length;
    session.resume();
    expect([reads, cluster.requests.length - before > 0]).toEqual([1, true]);
    session.dispose();
  });
});
