import type { AnalysedPolicy } from '../../../engine/analysePlace.ts';
import { settingText } from '../../../engine/explain.ts';
import { valueOf } from '../../../engine/setting.ts';
import { formatPath } from '../../../engine/source.ts';
import type { AnchoredPolicy } from '../languageClient.ts';

/** One setting that the file has otherwise than the live object. */
export type Difference = {
  readonly setting: string;
  readonly file: string;
  readonly live: string;
};

/** Where the policy of a file and the one of the live object differ; values are compared, not how they are written. */
export function differences(
  policy: AnchoredPolicy,
  live: readonly AnalysedPolicy[],
): readonly Difference[] {
  const other = live.find(
    ({ family, policy: own }) =>
      family.id === policy.family && formatPath(own.anchor) === policy.anchor,
  );
  if (other === undefined) return [];
  return policy.settings.flatMap(({ name, text, value }) => {
    const setting = other.policy.settings[name];
    // What a controller writes into the status is no part of what a file asks for.
    const isStatus = other.family.fields[name]?.steps.keys.includes('status') ?? false;
    if (setting === undefined || isStatus) return [];
    const there = valueOf(setting);
    const written = there === undefined ? undefined : plain(there);
    // What is filled in at run time has no value to compare yet.
    if (value === written || (value === undefined && setting.from !== 'document')) return [];
    if (/\{\{|\$\{/.test(text)) return [];
    return [{ setting: name, file: text, live: settingText(setting) }];
  });
}

const plain = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));

/** `limit is 5 here, 10 in the cluster`. */
export const differenceText = ({ setting, file, live }: Difference): string =>
  `${setting} is ${file} here, ${live} in the cluster`;
