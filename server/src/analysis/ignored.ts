import ignore, { type Ignore } from 'ignore';
import type { Configuration, IgnoreRule } from './configuration.ts';

/** Whether a configuration leaves a file out altogether. Paths count from the configuration's folder. */
export const isIgnored = (configuration: Configuration, path: string): boolean =>
  matches(compiled(configuration).whole, path);

/** The finding codes that a configuration ignores for a file; `*` where it ignores the file. */
export function ignoredFor(configuration: Configuration, path: string): ReadonlySet<string> {
  const { whole, partly } = compiled(configuration);
  const codes = new Set<string>(matches(whole, path) ? ['*'] : []);
  for (const { rule, codes: own } of partly) {
    if (matches(rule, path)) for (const code of own) codes.add(code);
  }
  return codes;
}

type Compiled = {
  /** All rules for whole files as one list, in which a later `!pattern` takes a file back in. */
  readonly whole: Ignore;
  readonly partly: readonly { readonly rule: Ignore; readonly codes: readonly string[] }[];
};

const known = new WeakMap<readonly IgnoreRule[], Compiled>();

function compiled({ ignore: rules }: Configuration): Compiled {
  const before = known.get(rules);
  if (before !== undefined) return before;
  const whole = ignore().add(
    rules.filter(({ codes }) => codes === undefined).map(({ path }) => path),
  );
  const partly = rules.flatMap(({ path, codes }) =>
    codes === undefined ? [] : [{ rule: ignore().add(path), codes }],
  );
  known.set(rules, { whole, partly });
  return { whole, partly };
}

const matches = (rule: Ignore, path: string): boolean =>
  ignore.isPathValid(path) && rule.ignores(path);
