// @ts-check
import { existsSync } from 'node:fs';
import { findCommand, run } from './run.mjs';

/**
 * A Debian package, and how to see without dpkg that its content is there (other systems name their packages
 * otherwise, and have the same header or command).
 *
 * @typedef {object} Package
 * @property {string} name
 * @property {() => boolean} isPresent
 */

/** @type {readonly Package[]} */
export const buildPackages = [
  { name: 'libkrb5-dev', isPresent: () => existsSync('/usr/include/gssapi/gssapi.h') },
  { name: 'libsecret-1-dev', isPresent: () => existsSync('/usr/include/libsecret-1') },
  { name: 'python3', isPresent: () => findCommand('python3') !== undefined },
  { name: 'make', isPresent: () => findCommand('make') !== undefined },
  { name: 'g++', isPresent: () => findCommand('g++') !== undefined },
];

/** @type {readonly Package[]} */
export const browserPackages = [
  { name: 'chromium', isPresent: () => findCommand('chromium') !== undefined },
  // Without any font the editor shows no text.
  { name: 'fonts-dejavu-core', isPresent: () => existsSync('/usr/share/fonts/truetype') },
];

/**
 * Installs the packages that are missing, where this process may; otherwise throws and names them.
 *
 * @param {readonly Package[]} packages
 * @param {(line: string) => void} log
 */
export async function ensurePackages(packages, log) {
  if (process.platform !== 'linux') return;
  const missing = packages.filter((one) => !one.isPresent()).map((one) => one.name);
  if (missing.length === 0) return;
  const names = missing.join(' ');
  if (findCommand('apt-get') === undefined) {
    throw new Error(
      `Install what Debian calls ${names} with this system's package manager, then try again.`,
    );
  }
  if (process.getuid?.() !== 0) {
    throw new Error(
      `Packages are missing. Install them, then try again:\n  sudo apt-get install ${names}`,
    );
  }
  log(`Installing Debian packages: ${names}.`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const patience = ['-o', 'DPkg::Lock::Timeout=600'];
  await run('apt-get', ['update', ...patience], { env });
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...patience, ...missing], {
    env,
  });
}
