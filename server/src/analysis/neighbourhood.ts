import { resourcesIn } from '../../../engine/analyse.ts';
import { guard } from '../../../engine/guard.ts';
import { nobody, readShown, shownText, type Seen } from '../../../engine/neighbours.ts';
import type { Registry } from '../../../engine/registry.ts';
import type { SourceNode } from '../../../engine/source.ts';
import { parseYamlDocument } from './yamlDocument.ts';

/** What all documents of a file show each other; the same object as long as it is the same. */
export type Shown = {
  readonly key: string;
  /** One for each document that shows anything, in their order. */
  readonly documents: readonly ((family: string) => readonly SourceNode[])[];
};

/** What is remembered of one document: it holds as long as its text is the same. */
export type Remembered = { looks?: boolean; shows?: string };

type Neighbour = { readonly text: string; readonly remembered: Remembered };

const nothing: Shown = { key: '', documents: [] };

/**
 * What the documents of one file may know of each other.
 *
 * Hardly any document asks, and then only those that show something are parsed, each once. A document that looks
 * at others is analysed again when what they show has changed, and at no other edit of theirs.
 */
export class Neighbourhood {
  readonly #documents: () => readonly Neighbour[];
  readonly #registry: Registry;
  readonly #before: Shown | undefined;
  readonly #placeOf = new Map<Remembered, number>();
  #shown: Shown | undefined;

  constructor(
    documents: () => readonly Neighbour[],
    registry: Registry,
    before: Neighbourhood | undefined,
  ) {
    this.#documents = documents;
    this.#registry = registry;
    this.#before = before?.known;
  }

  /** The newest that was asked for, of this state of the file or an earlier one. */
  get known(): Shown | undefined {
    return this.#shown ?? this.#before;
  }

  /** What a document is to be analysed with; nothing for those that look at no other. */
  shownTo({ text, remembered }: Neighbour): Shown | undefined {
    remembered.looks ??= this.#registry.looksAround(text);
    return remembered.looks ? (this.#shown ??= this.#collect()) : undefined;
  }

  /** The objects that the other documents show to this one. */
  outside({ remembered }: Neighbour, shown: Shown | undefined): Seen {
    if (shown === undefined || shown.documents.length === 0) return nobody;
    const own = this.#placeOf.get(remembered);
    const others = shown.documents.filter((_, place) => place !== own);
    return ({ id }) => others.flatMap((objects) => objects(id));
  }

  #collect(): Shown {
    const texts: string[] = [];
    for (const { text, remembered } of this.#documents()) {
      const shows = (remembered.shows ??= this.#showsIn(text));
      if (shows === '') continue;
      this.#placeOf.set(remembered, texts.length);
      texts.push(shows);
    }
    const key = texts.join('\n');
    if (key === nothing.key) return nothing;
    return this.#before?.key === key ? this.#before : { key, documents: texts.map(readShown) };
  }

  #showsIn(text: string): string {
    if (!this.#registry.isLookedAt(text)) return '';
    // A fault of ours is told where the document itself is analysed.
    const result = guard('reading what a document shows', () => {
      const parsed = parseYamlDocument(text);
      // Behind an error the tree is a guess, and nothing is told of others by a guess.
      if (parsed === undefined || parsed.problems.length > 0) return '';
      return shownText([...resourcesIn(parsed.tree.root)], this.#registry.families);
    });
    return result.ok ? result.value : '';
  }
}
