import ignore from 'ignore';
import type { Configuration } from './configuration.ts';

/** Whether a configuration leaves a file out altogether. Paths count from the configuration's folder. */
export const isIgnored = ({ ignore: rules }: Configuration, path: string): boolean =>
  rules.some((rule) => rule.codes === undefined && matches(rule.path, path));

/** The finding codes that a configuration ignores for a file; `*` where it ignores the file. */
export function ignoredFor(configuration: Configuration, path: string): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const rule of configuration.ignore) {
    if (!matches(rule.path, path)) continue;
    for (const code of rule.codes ?? ['*']) codes.add(code);
  }
  return codes;
}

function matches(pattern: string, path: string): boolean {
  if (!ignore.isPathValid(path)) return false;
  return ignore().add(pattern).ignores(path);
}
