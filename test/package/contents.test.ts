import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { listFiles, PackageManager } from '@vscode/vsce';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

describe('the extension package', () => {
  it('holds the bundles, and neither sources nor source maps', async () => {
    const files = await listFiles({ cwd: root, packageManager: PackageManager.None });
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'dist/client/extension.cjs',
        'dist/server/main.cjs',
        'dist/web/extension.js',
        'dist/web/server.js',
        'package.json',
        'schemas/kube-backoff.schema.json',
      ]),
    );
    const allowed =
      /^(?:package\.json|package\.nls.*\.json|[A-Z]+(?:\.md)?|(?:dist\/(?:client|server|web|webview)|media|schemas|syntaxes)\/.+)$/;
    expect(files.filter((file) => !allowed.test(file))).toEqual([]);
    expect(files.filter((file) => /\.(?:map|ts|mjs|vsix)$/.test(file))).toEqual([]);
  });

  it('is small', () => {
    const { size } = statSync(path.join(root, 'dist/kube-backoff.vsix'));
    expect(size).toBeLessThan(4 * 1024 * 1024);
  });
});

describe('the npm package', () => {
  it('holds the command and the server, and needs no other package', () => {
    const text = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    const [packed] = JSON.parse(text) as [{ files: readonly { path: string; mode: number }[] }];
    const command = packed.files.find((file) => file.path === 'dist/cli/kube-backoff.mjs');
    expect(command?.mode).toBe(0o755);
    const odd = packed.files
      .map((file) => file.path)
      .filter(
        (file) =>
          !/^(?:package\.json|LICENSE|README\.md|dist\/(?:cli|server)\/[\w-]+\.[cm]js)$/.test(file),
      );
    expect(odd).toEqual([]);
  });
});
