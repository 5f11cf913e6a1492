/** The languages whose documents can be manifests. */
export const languageIds: readonly string[] = [
  'yaml',
  'json',
  'jsonc',
  'helm',
  'yaml.helm',
  'dockercompose',
];

/**
 * Whether a document is worth starting the language server for: it names a kind and an API version.
 *
 * Looks at the first 64 KiB: a manifest says what it is early.
 */
export function mayBeManifest(languageId: string, text: string): boolean {
  if (!languageIds.includes(languageId)) return false;
  const head = text.slice(0, 65_536);
  return /^\s*(?:- )?["']?kind["']?\s*:/m.test(head) && /["']?apiVersion["']?\s*:/.test(head);
}
