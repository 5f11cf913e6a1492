import { fix, renameKey, replaceValue } from '../../edits.ts';
import type { PolicyContext, Report, Rule } from '../../family.ts';
import type { Fields } from '../../field.ts';
import type { Fix } from '../../finding.ts';
import { parseGoDuration } from '../../durations/go.ts';
import { child, nameSpan, textAt, type SourceNode } from '../../source.ts';

export type ApiVersion = 'v1beta1' | 'v1beta2';

/** Which of the two forms a manifest is written in; others are older, and none of ours. */
export function apiVersionOf(root: SourceNode): ApiVersion | undefined {
  const version = textAt(root, 'apiVersion')?.split('/')[1];
  return version === 'v1beta1' || version === 'v1beta2' ? version : undefined;
}

/** A setting under its names in v1beta1 and v1beta2; paths from the policy's block. */
export type Renamed = { readonly v1beta1: string; readonly v1beta2: string };

/** What the two rules of this kind share. */
export const otherVersion = {
  slug: 'key-of-other-version',
  severity: 'warning',
  summary: 'A key of v1beta1 in an object of v1beta2, or the other way round.',
  explanation:
    'v1beta2 renamed many settings: durations became whole seconds (`retryPeriod: 1m` → `retryPeriodSeconds: 60`), and health checks moved into `checks` and `remediation`. A key of the other version is dropped, or refused by a strict client, and the default applies.',
} as const satisfies Omit<Rule, 'cite' | 'check'>;

/** Keys that the API version of the manifest does not know, but the other one does. */
export function* keysOfOther<F extends Fields, X>(
  context: PolicyContext<F, X>,
  version: ApiVersion | undefined,
  names: readonly Renamed[],
): Generator<Report> {
  if (version === undefined || context.node === undefined) return;
  const other = version === 'v1beta1' ? 'v1beta2' : 'v1beta1';
  for (const name of names) {
    const found = at(context.node, name[other]);
    const key = found === undefined ? undefined : nameSpan(found);
    if (found === undefined || key === undefined || found.via !== undefined) continue;
    const right = name[version];
    yield {
      message: `${version} does not know \`${name[other]}\`, so it is dropped and the default applies: write \`${right}\``,
      at: key,
      unnecessary: true,
      fixes: at(context.node, right) === undefined ? renamed(found, name[other], right) : [],
    };
  }
}

const at = (node: SourceNode | undefined, path: string): SourceNode | undefined =>
  path.split('.').reduce<SourceNode | undefined>((above, key) => child(above, key), node);

/** The new key with the same value, where both stand in the same block. */
function renamed(found: SourceNode, from: string, to: string): readonly Fix[] {
  const before = from.split('.');
  const after = to.split('.');
  const key = after.at(-1) ?? to;
  if (before.slice(0, -1).join('.') !== after.slice(0, -1).join('.')) return [];
  if (found.kind !== 'scalar') return [];
  if (!key.endsWith('Seconds') && !(before.at(-1) ?? '').endsWith('Seconds')) {
    return fix(`Rename to ${key}`, true, renameKey(found, key));
  }
  const value = key.endsWith('Seconds') ? inSeconds(found.text) : `${found.text}s`;
  return value === undefined
    ? []
    : fix(`Write ${key}: ${value}`, true, renameKey(found, key), replaceValue(found, value));
}

function inSeconds(text: string): string | undefined {
  const read = parseGoDuration(text);
  return read.ok && read.value % 1000 === 0 ? String(read.value / 1000) : undefined;
}
