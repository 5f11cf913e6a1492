import { analyseTree, type Wanted } from '../../../engine/analyse.ts';
import type { AnalysedPolicy } from '../../../engine/analysePlace.ts';
import type { Environment } from '../../../engine/environment.ts';
import type { Finding } from '../../../engine/finding.ts';
import { guard, type Failure, type Guarded } from '../../../engine/guard.ts';
import type { Registry } from '../../../engine/registry.ts';
import type { Seen } from '../../../engine/neighbours.ts';
import { lineIndex, type LineIndex } from './lines.ts';
import { commonPrefix, commonSuffix } from './common.ts';
import { Neighbourhood, type Remembered, type Shown } from './neighbourhood.ts';
import { hasContent, isBoundary, markerLength, splitDocuments, type Segment } from './split.ts';
import { parseYamlDocument } from './yamlDocument.ts';

/** What everything is computed with. Equal objects mean equal results: results are kept by identity. */
export type AnalysisContext = { readonly registry: Registry; readonly env: Environment };

/** What is to be said of one document; all offsets count from the document's own start. */
export type DocumentAnalysis = {
  readonly findings: readonly Finding[];
  /** How many policies of each family it holds; absent where that was not worth a parse. */
  readonly counts?: ReadonlyMap<string, number>;
  readonly failures: readonly Failure[];
};

/** The policies of one document, with their offsets as above. */
export type DocumentPolicies = {
  readonly policies: readonly AnalysedPolicy[];
  readonly failures: readonly Failure[];
};

/** One document of a file, with its place in it. Results are computed on first use and kept. */
export type FileDocument = {
  readonly text: string;
  readonly start: number;
  readonly startLine: number;
  /** Its number in the YAML stream; absent for what holds only comments or template control lines. */
  readonly index?: number;
  readonly lines: LineIndex;
  isAnalysed(): boolean;
  analyse(): DocumentAnalysis;
  /** How many policies of each family the document holds. */
  counts(): ReadonlyMap<string, number>;
  /** Computed when a reader first looks at one of them: most are never looked at. */
  policies(): DocumentPolicies;
};

export type FileAnalysis = {
  readonly text: string;
  readonly context: AnalysisContext;
  readonly documents: readonly FileDocument[];
  /** What the documents know of each other. */
  readonly neighbourhood: Neighbourhood;
};

const unspoken: DocumentAnalysis = { findings: [], failures: [] };
const none: ReadonlyMap<string, number> = new Map();
const nothing = { ...unspoken, counts: none };
const noPolicies: DocumentPolicies = { policies: [], failures: [] };

/** What stays of a document when its neighbours change: everything but its place. */
type Kept = {
  readonly length: number;
  readonly lines: LineIndex;
  readonly hasContent: boolean;
  readonly remembered: Remembered;
  readonly cell: {
    result?: DocumentAnalysis;
    policies?: DocumentPolicies;
    /** What the other documents of the file showed when these were made. */
    shown?: Shown;
  };
};

/** Analyses a text from scratch, or from an earlier state of it: unchanged documents keep their results. */
export function analyseFile(
  text: string,
  context: AnalysisContext,
  previous?: FileAnalysis,
): FileAnalysis {
  const before = previous?.context === context ? previous : undefined;
  const usable = before?.documents ?? [];
  const old = before?.text ?? '';
  const front = sameFront(text, old, usable);
  const frontEnd = endOf(usable[front - 1]);
  const back = sameBack(text, old, usable, front, frontEnd);
  const shift = text.length - old.length;
  const backStart = back < usable.length ? (usable[back]?.start ?? 0) + shift : text.length;
  const middle =
    backStart > frontEnd || text === '' ? splitDocuments(text, frontEnd, backStart) : [];
  const sources: readonly Source[] = [
    ...usable.slice(0, front).map((document) => reuse(document, document.start)),
    ...middle.map((segment) => fresh(segment)),
    ...usable.slice(back).map((document) => reuse(document, document.start + shift)),
  ];
  const neighbourhood = new Neighbourhood(() => documents, context.registry, before?.neighbourhood);
  const documents = place(text, sources, context, neighbourhood);
  return { text, context, documents, neighbourhood };
}

type Source = { readonly start: number; readonly kept: Kept };

const reuse = (document: FileDocument, start: number): Source =>
  document instanceof PlacedDocument
    ? { start, kept: document.kept }
    : fresh({ start, text: document.text });

const fresh = ({ start, text }: Segment): Source => ({
  start,
  kept: {
    length: text.length,
    lines: lineIndex(text),
    hasContent: hasContent(text),
    remembered: {},
    cell: {},
  },
});

function place(
  text: string,
  sources: readonly Source[],
  context: AnalysisContext,
  neighbourhood: Neighbourhood,
): readonly PlacedDocument[] {
  const documents: PlacedDocument[] = [];
  let startLine = 0;
  let index = 0;
  for (const [position, source] of sources.entries()) {
    const { start, kept: state } = source;
    // A slice of the newest text: older versions of the file are not kept alive by their parts.
    const own = text.slice(start, start + state.length);
    const counts = state.hasContent || (position > 0 && own.startsWith('---'));
    documents.push(
      new PlacedDocument(own, start, startLine, counts ? index : undefined, state, {
        context,
        neighbourhood,
      }),
    );
    startLine += state.lines.breaks;
    if (counts) index += 1;
  }
  return documents;
}

/**
 * One document at its place. A file of a thousand documents makes a thousand of them at every keystroke, so they
 * share their methods.
 */
class PlacedDocument implements FileDocument {
  readonly text: string;
  readonly start: number;
  readonly startLine: number;
  readonly index?: number;
  readonly kept: Kept;
  readonly #file: { readonly context: AnalysisContext; readonly neighbourhood: Neighbourhood };

  constructor(
    text: string,
    start: number,
    startLine: number,
    index: number | undefined,
    state: Kept,
    file: { readonly context: AnalysisContext; readonly neighbourhood: Neighbourhood },
  ) {
    this.text = text;
    this.start = start;
    this.startLine = startLine;
    if (index !== undefined) this.index = index;
    this.kept = state;
    this.#file = file;
  }

  get lines(): LineIndex {
    return this.kept.lines;
  }

  get remembered(): Remembered {
    return this.kept.remembered;
  }

  isAnalysed(): boolean {
    return this.#cell().result !== undefined;
  }

  analyse(): DocumentAnalysis {
    const cell = this.#cell();
    return (cell.result ??= analyseDocument(this.text, this.#around()));
  }

  counts(): ReadonlyMap<string, number> {
    const cell = this.#cell();
    if (cell.result?.counts === undefined) {
      cell.result = analyseDocument(this.text, this.#around(), 'counts');
    }
    return cell.result.counts ?? none;
  }

  policies(): DocumentPolicies {
    const cell = this.#cell();
    return (cell.policies ??= policiesIn(this.text, this.#around(), cell.result));
  }

  /** What was computed, without what rests on neighbours that have changed since. */
  #cell(): Kept['cell'] {
    const { cell } = this.kept;
    const shown = this.#file.neighbourhood.shownTo(this);
    if (shown !== undefined && cell.shown !== shown) {
      delete cell.result;
      delete cell.policies;
      cell.shown = shown;
    }
    return cell;
  }

  #around(): Around {
    const { context, neighbourhood } = this.#file;
    return { ...context, outside: neighbourhood.outside(this, this.kept.cell.shown) };
  }
}

/** How many documents at the front are the same in the new text, boundaries included. */
function sameFront(text: string, old: string, documents: readonly FileDocument[]): number {
  const same = commonPrefix(text, old);
  let count = 0;
  for (const document of documents) {
    const end = endOf(document);
    if (document.text === '' || end > same) break;
    // The marker that ends the document is itself the same, unless it stands at the change.
    if (end + markerLength > same && !isBoundary(text, end)) break;
    count += 1;
  }
  return count;
}

/** The index of the first document of those at the back that only moved. */
function sameBack(
  text: string,
  old: string,
  documents: readonly FileDocument[],
  front: number,
  frontEnd: number,
): number {
  const shift = text.length - old.length;
  const sameFrom = old.length - commonSuffix(text, old);
  let first = documents.length;
  while (first > front) {
    const document = documents[first - 1];
    if (document === undefined || document.text === '' || document.start < sameFrom) break;
    const start = document.start + shift;
    if (start < frontEnd) break;
    // What stands before the marker is the same too, unless it is the change.
    if (document.start - 1 < sameFrom && start > 0 && !isBoundary(text, start)) break;
    first -= 1;
  }
  return first;
}

const endOf = (document: FileDocument | undefined): number =>
  document === undefined ? 0 : document.start + document.text.length;

/** What a document is read with. */
type Around = AnalysisContext & { readonly outside: Seen };

function analyseDocument(text: string, around: Around, also?: 'counts'): DocumentAnalysis {
  if (also !== 'counts' && !around.registry.maySpeak(text)) return unspoken;
  const result = readDocument(text, around, 'findings');
  if (result === undefined) return nothing;
  if (result.ok) return result.value;
  return { ...nothing, findings: [unreadDocument(text)], failures: [result.failure] };
}

function policiesIn(
  text: string,
  around: Around,
  known: DocumentAnalysis | undefined,
): DocumentPolicies {
  if (known?.counts?.size === 0) return noPolicies;
  const result = readDocument(text, around, 'policies');
  if (result === undefined) return noPolicies;
  return result.ok ? result.value : { policies: [], failures: [result.failure] };
}

/** Parses and reads one document; nothing where no policy can be in it. */
function readDocument(
  text: string,
  { registry, env, outside }: Around,
  wanted: Wanted,
): Guarded<DocumentAnalysis & DocumentPolicies> | undefined {
  if (!registry.mayHold(text)) return undefined;
  // A copy of its own, so that results do not keep the whole file's text in memory.
  const own = detached(text);
  return guard('reading a document', () => {
    const parsed = parseYamlDocument(own);
    if (parsed === undefined) return { ...nothing, ...noPolicies };
    const problems: readonly Finding[] = parsed.problems.map(({ slug, ...problem }) => ({
      ...problem,
      code: `policy/${slug}`,
      unnecessary: false,
    }));
    if (problems.some(({ code }) => undecidable.has(code))) {
      return { ...nothing, ...noPolicies, findings: problems };
    }
    const analysis = analyseTree(parsed.tree, registry, env, wanted, outside);
    const findings = [...problems, ...trustworthy(analysis.findings, problems)].toSorted(byPlace);
    return { ...analysis, findings };
  });
}

/** After these the tree says nothing: one cause is told, and no followers. */
const undecidable: ReadonlySet<string> = new Set([
  'policy/merge-conflict',
  'policy/tab-indentation',
]);

/**
 * Behind a syntax error the tree is a guess, and what seems to be missing may stand there: only what is said of
 * values before it is told.
 */
function trustworthy(
  findings: readonly Finding[],
  problems: readonly Finding[],
): readonly Finding[] {
  const broken = problems.find(({ code }) => code === 'policy/syntax');
  if (broken === undefined) return findings;
  return findings.filter(({ code, at }) => code.startsWith('policy/') && at.end <= broken.at.start);
}

const byPlace = (a: Finding, b: Finding): number =>
  a.at.start - b.at.start || a.at.end - b.at.end || a.code.localeCompare(b.code);

/** Joining two texts and cutting one makes engines copy the characters: the copy holds on to itself alone. */
const detached = (text: string): string => ` ${text}`.slice(1);

const unreadDocument = (text: string): Finding => ({
  code: 'policy/failed-analysis',
  severity: 'error',
  message:
    'Kube Backoff failed on this document: nothing in it was checked. The log has the details; please report it',
  at: { start: 0, end: Math.max(1, text.search(/\r?\n|$/)) },
  unnecessary: false,
  related: [],
  fixes: [],
});
