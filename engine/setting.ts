import type { Citation } from './citation.ts';
import type { Path, SourceNode, Span } from './source.ts';

/** Where a setting stands in the manifest. Spans are absent for live objects. */
export type Located = {
  readonly path: Path;
  readonly key?: Span;
  readonly span?: Span;
  readonly via?: Span;
};

export type SettingProblem = {
  readonly code: ProblemCode;
  /** What will happen, then what to change. */
  readonly message: string;
  /** The text to write instead of the whole value, quotes aside. */
  readonly suggestion?: string;
  /** Whether the suggestion must be written as a quoted string or as a bare value. */
  readonly style?: 'quoted' | 'plain';
  /** Set where the suggestion is a guess, such as a unit for a bare number: never applied unasked. */
  readonly isGuess?: true;
};

export type ProblemCode =
  'wrong-type' | 'bad-duration' | 'bad-number' | 'out-of-range' | 'not-allowed' | 'missing-field';

/** Where a value came from, and the value where there is one. */
export type Setting<T> =
  | { readonly from: 'document'; readonly value: T; readonly text: string; readonly at: Located }
  | {
      readonly from: 'default';
      readonly value: T;
      readonly text: string;
      readonly cite: Citation;
      /** Who gives it, where it is another object and not the system: `spec.defaults.jobs of TerraformCluster prod`. */
      readonly by?: string;
      /** Set where the key is written without a value. */
      readonly at?: Located;
      /** Set where the key is written, and the version at hand does not know it. */
      readonly tooNew?: Located;
    }
  | {
      readonly from: 'unset';
      readonly means: string;
      readonly at?: Located;
      readonly tooNew?: Located;
    }
  | {
      readonly from: 'runtime';
      readonly text: string;
      readonly at: Located;
      /** The value to expect, where the template or the manifest names one. */
      readonly likely?: { readonly value: T; readonly because: string };
    }
  | {
      readonly from: 'unreadable';
      readonly text?: string;
      readonly problem: SettingProblem;
      readonly at?: Located;
    };

/** The value to compute with: written, default or expected; nothing where it is unset or unknown. */
export function valueOf<T>(setting: Setting<T> | undefined): T | undefined {
  switch (setting?.from) {
    case 'document':
    case 'default':
      return setting.value;
    case 'runtime':
      return setting.likely?.value;
    default:
      return undefined;
  }
}

/** Whether a setting is written that the version at hand does not know: it is read as if it were not. */
export const isTooNew = (setting: Setting<unknown> | undefined): boolean =>
  (setting?.from === 'default' || setting?.from === 'unset') && setting.tooNew !== undefined;

/** Whether the author wrote this setting, readable or not. */
export const isWritten = (setting: Setting<unknown>): boolean =>
  setting.from === 'document' || setting.from === 'runtime' || setting.from === 'unreadable';

export const locate = (node: SourceNode): Located => ({
  path: node.path,
  ...(node.key === undefined ? {} : { key: node.key }),
  ...(node.span === undefined ? {} : { span: node.span }),
  ...(node.via === undefined ? {} : { via: node.via }),
});
