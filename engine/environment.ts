import type { Citation } from './citation.ts';
import { remembered } from './remembered.ts';

/** A system whose policies we know: one controller, or one family of controllers. */
export type System = {
  /** `argo-workflows`; the first half of family ids and finding codes. */
  readonly id: string;
  readonly title: string;
  /** The version whose source was read, taken when nobody says which one runs. */
  readonly assumes: Citation & { readonly version: string };
};

/** What is known about where a manifest will run. */
export type Environment = {
  /** System id → version, as stated by settings or configuration. */
  readonly versions: ReadonlyMap<string, string>;
  /** System id → version, as the connected cluster shows it; what is stated wins. */
  readonly detected?: ReadonlyMap<string, string>;
  /** Feature gates that differ from their defaults: name → on or off. */
  readonly gates: ReadonlyMap<string, boolean>;
  /** `<system>/<setting>` → value: what is set on a controller outside any manifest. */
  readonly controllers: ReadonlyMap<string, string>;
};

export const emptyEnvironment: Environment = {
  versions: new Map(),
  gates: new Map(),
  controllers: new Map(),
};

/** What is stated, over what is known without it. */
export const environmentOver = (known: Environment, stated: Environment): Environment => ({
  versions: new Map([...known.versions, ...stated.versions]),
  detected: new Map([...(known.detected ?? []), ...(stated.detected ?? [])]),
  gates: new Map([...known.gates, ...stated.gates]),
  controllers: new Map([...known.controllers, ...stated.controllers]),
});

/** Where a version comes from: somebody states it, the connected cluster shows it, or nobody says. */
export type VersionOrigin = 'stated' | 'detected' | 'assumed';

export type EffectiveVersion = { readonly version: string; readonly from: VersionOrigin };

/** The version to compute with: the stated one, the cluster's, or the one whose source was read. */
export function versionOf(env: Environment, system: System): EffectiveVersion {
  const stated = env.versions.get(system.id);
  if (stated !== undefined && isVersion(stated)) return { version: stated, from: 'stated' };
  const detected = env.detected?.get(system.id);
  if (detected !== undefined && isVersion(detected)) return { version: detected, from: 'detected' };
  return { version: system.assumes.version, from: 'assumed' };
}

const origins: Readonly<Record<VersionOrigin, string>> = {
  stated: '',
  detected: " (the connected cluster's)",
  assumed: ' (assumed; set the version you run)',
};

/** The version to compute with, and where it comes from unless somebody stated it. */
export function versionText(env: Environment, system: System): string {
  const { version, from } = versionOf(env, system);
  return `${system.title} ${version}${origins[from]}`;
}

export function atLeast(env: Environment, system: System, bound: string): boolean {
  return compareVersions(versionOf(env, system).version, bound) >= 0;
}

/** Whether the system takes a field: its version does, or the feature gate that brings the field is on. */
export const knows = (
  env: Environment,
  system: System,
  since: { readonly version: string; readonly gate?: string } | undefined,
): boolean =>
  since === undefined ||
  atLeast(env, system, since.version) ||
  (since.gate !== undefined && env.gates.get(since.gate) === true);

/**
 * Whether a fix that was released on several branches is in the version at hand.
 *
 * `fixedIn('3.7.9', ['3.6.18', '3.7.9', '4.0.1'])` is true; a branch newer than all of them has it.
 */
export function fixedIn(version: string, releases: readonly string[]): boolean {
  const at = parseVersion(version);
  if (at === undefined) return true;
  const sameBranch = releases.find((release) => {
    const fix = parseVersion(release);
    return fix !== undefined && fix[0] === at[0] && fix[1] === at[1];
  });
  if (sameBranch !== undefined) return compareVersions(version, sameBranch) >= 0;
  return releases.every((release) => compareVersions(version, release) >= 0);
}

/** Negative when `a` is older than `b`; a pre-release is older than its release. */
export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === undefined || right === undefined) return 0;
  for (let index = 0; index < 3; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return (left[3] ?? 0) - (right[3] ?? 0);
}

type Version = readonly [number, number, number, number];

/** `v3.7.9` → [3, 7, 9, 0]; `1.36` → [1, 36, 0, 0]; a pre-release ends in -1. */
const parseVersion = remembered(readVersion);

function readVersion(text: string): Version | undefined {
  const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?(-[0-9A-Za-z.-]+)?(?:\+.*)?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, major, minor, patch, pre] = match;
  const isPreRelease = pre !== undefined && /^-(alpha|beta|rc|dev|pre)/i.test(pre);
  return [Number(major), Number(minor), Number(patch ?? 0), isPreRelease ? -1 : 0];
}

/** Whether a text can be read as a version at all. */
export const isVersion = (text: string): boolean => parseVersion(text) !== undefined;
