import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect as connectTo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPort } from '../../client/src/cluster/kubernetesPort.ts';
import { launchControlPlane } from '../../scripts/controlPlane/launch.mjs';
import type { Plane } from './plane.ts';

let plane: Plane;

beforeAll(async () => {
  plane = await launchControlPlane({ controllerManager: false, log: console.log });
}, 900_000);

afterAll(() => plane.stop());

type Config = {
  clusters: { cluster: Record<string, unknown> }[];
  users: { user: Record<string, unknown> }[];
};

/** Asks for the version with a kubeconfig that differs from the admin's. */
async function ask(
  name: string,
  change: (config: Config) => void,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const config = JSON.parse(readFileSync(plane.kubeconfigs.admin, 'utf8')) as Config;
  change(config);
  const file = path.join(plane.folder, `${name}.kubeconfig`);
  writeFileSync(file, JSON.stringify(config));
  const opening = openPort({ files: [file], env, home: plane.folder });
  if (!opening.ok) return opening.problem;
  onTestFinished(opening.port.dispose);
  const result = await opening.port.request({ method: 'GET', path: '/api/v1/namespaces' });
  return result.ok ? 'answered' : `${result.failure.kind}: ${result.failure.detail}`;
}

const cluster = (fields: Record<string, unknown>) => (config: Config) => {
  Object.assign(config.clusters[0]?.cluster ?? {}, fields);
};

describe('the connection', () => {
  it('goes through the proxy that the kubeconfig names', async () => {
    const through: string[] = [];
    const proxy = createServer();
    proxy.on('connect', ({ url = '' }, near) => {
      through.push(url);
      const far = connectTo(Number(url.split(':')[1]), '127.0.0.1', () => {
        near.write('HTTP/1.1 200 OK\r\n\r\n');
        near.pipe(far).pipe(near);
      });
      far.on('error', () => near.destroy());
      near.on('error', () => far.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close());
    const address = proxy.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const url = `http://127.0.0.1:${String(port)}`;
    expect(await ask('proxy', cluster({ 'proxy-url': url }))).toBe('answered');
    expect(through).toEqual([new URL(plane.server).host]);
    // The machine itself is never reached through the proxy of the environment.
    expect(await ask('environment', () => undefined, { HTTPS_PROXY: url })).toBe('answered');
    expect(through).toHaveLength(1);
  });

  it('checks the name that the kubeconfig asks for', async () => {
    expect(await ask('name', cluster({ 'tls-server-name': 'kubernetes' }))).toBe('answered');
    expect(await ask('wrong-name', cluster({ 'tls-server-name': 'elsewhere.test' }))).toMatch(
      /^certificate: 127\.0\.0\.1: .*elsewhere\.test/,
    );
  });

  it('trusts the CA of the kubeconfig and no other', async () => {
    const key = path.join(plane.folder, 'other.key');
    const ca = path.join(plane.folder, 'other.crt');
    const subject = ['-subj', '/CN=other', '-days', '2', '-nodes', '-newkey', 'rsa:2048'];
    execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', ca], {
      stdio: 'ignore',
    });
    expect(await ask('ca', cluster({ 'certificate-authority': ca }))).toBe(
      'certificate: 127.0.0.1: certificate not trusted by the kubeconfig CA (no fallback to insecure)',
    );
    const data = readFileSync(path.join(plane.folder, 'ca.crt')).toString('base64');
    const inline = { 'certificate-authority': undefined, 'certificate-authority-data': data };
    expect(await ask('inline', cluster(inline))).toBe('answered');
    const unchecked = { 'certificate-authority': undefined, 'insecure-skip-tls-verify': true };
    expect(await ask('insecure', cluster(unchecked))).toBe('answered');
  });

  it('signs in with a command, and with a token from a file', async () => {
    const plugin = path.join(plane.folder, 'plugin');
    const credential = JSON.stringify({ status: { token: plane.tokens.admin } });
    writeFileSync(plugin, `#!/bin/sh\nprintf '%s' '${credential}'\n`, { mode: 0o755 });
    const user = (value: Record<string, unknown>) => (config: Config) => {
      for (const one of config.users) one.user = value;
    };
    expect(await ask('exec', user({ exec: { command: './plugin' } }))).toBe('answered');
    writeFileSync(path.join(plane.folder, 'token'), `${plane.tokens.admin}\n`);
    expect(await ask('token-file', user({ tokenFile: 'token' }))).toBe('answered');
    expect(await ask('impersonation', user({ token: plane.tokens.admin, as: 'nobody' }))).toMatch(
      /^forbidden: .*User "nobody"/,
    );
    expect(await ask('nobody', user({}))).toMatch(/^(forbidden|unauthorised): /);
    expect(await ask('gcp', user({ 'auth-provider': { name: 'gcp' } }))).toMatch(/^credentials: /);
  });
});
