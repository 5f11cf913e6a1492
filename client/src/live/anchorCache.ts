import type { AnchoredResource } from '../languageClient.ts';

export type AnchorCache = {
  readonly of: (uri: string, version: number) => Promise<readonly AnchoredResource[]>;
  readonly forget: (uri: string) => void;
};

/**
 * Keeps what the server says of each version of a manifest.
 *
 * No answer is not kept: the server may have started a moment ago, or not have been told of the manifest yet, and the
 * next one who asks gets the answer then.
 */
export function anchorCache(
  ask: (uri: string) => Promise<readonly AnchoredResource[] | undefined>,
): AnchorCache {
  type Entry = { readonly version: number; readonly of: Promise<readonly AnchoredResource[]> };
  const entries = new Map<string, Entry>();
  return {
    of: (uri, version) => {
      const known = entries.get(uri);
      if (known?.version === version) return known.of;
      const entry: Entry = {
        version,
        of: ask(uri)
          .catch(() => undefined)
          .then((found) => {
            if (found === undefined && entries.get(uri) === entry) entries.delete(uri);
            return found ?? [];
          }),
      };
      entries.set(uri, entry);
      return entry.of;
    },
    forget: (uri) => {
      entries.delete(uri);
    },
  };
}
