import type { CancellationToken } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { AnalysedPolicy } from '../../engine/analysePlace.ts';
import type { Failure } from '../../engine/guard.ts';
import type { Configuration } from './analysis/configuration.ts';
import { analyseFile, type FileAnalysis, type FileDocument } from './analysis/file.ts';
import type { FileSettings, SettingsSource } from './settings.ts';

/** An open file with what is known of it at one version. */
export type OpenFile = {
  readonly uri: string;
  readonly version: number;
  readonly analysis: FileAnalysis;
  readonly settings: FileSettings;
};

export type Workspace = {
  /** The file as it is now, split but not necessarily analysed; absent when it is not open. */
  readonly file: (uri: string) => Promise<OpenFile | undefined>;
  /** The file with every document analysed, in slices; absent when closed, changed or cancelled meanwhile. */
  readonly analysedFile: (uri: string, token?: CancellationToken) => Promise<OpenFile | undefined>;
  /** The file with the policies of every document counted, in slices; absent as above. */
  readonly countedFile: (uri: string) => Promise<OpenFile | undefined>;
  /** The policies of a document; faults of ours on the way are logged. */
  readonly policiesOf: (document: FileDocument) => readonly AnalysedPolicy[];
  readonly openUris: () => readonly string[];
  readonly changed: (uri: string) => void;
  /** Forgets what is known of a file. */
  readonly close: (uri: string) => void;
  readonly onChanged: (listener: (uri: string) => void) => void;
  readonly onClosed: (listener: (uri: string) => void) => void;
  /** Forgets all settings: they are asked for again on the next use. */
  readonly settingsChanged: () => void;
  readonly onSettingsChanged: (listener: () => void) => void;
  /** What the configuration file in a folder says; absent where there is none. */
  readonly configurationIn: (folder: string) => Promise<Configuration | undefined>;
};

export type WorkspaceInput = {
  readonly document: (uri: string) => TextDocument | undefined;
  readonly uris: () => readonly string[];
  readonly settings: SettingsSource;
  /** Lets other work run between two slices. */
  readonly pause: () => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
  readonly failed: (failure: Failure) => void;
};

// A slice may hold the event loop this long; one document more than that is the most it overshoots.
const sliceMs = 12;

/** Keeps each open file's analysis, and brings it up to date from its last state when asked. */
export function createWorkspace(input: WorkspaceInput): Workspace {
  const { document, uris, settings, pause, clock, failed } = input;
  const known = new Map<string, { readonly version: number; readonly analysis: FileAnalysis }>();
  const reported = new Set<string>();
  const changeListeners: ((uri: string) => void)[] = [];
  const closeListeners: ((uri: string) => void)[] = [];
  const settingsListeners: (() => void)[] = [];

  const file = async (uri: string): Promise<OpenFile | undefined> => {
    if (document(uri) === undefined) return undefined;
    const own = await settings.of(uri);
    // The text may have changed while the settings were on their way.
    const text = document(uri);
    if (text === undefined) return undefined;
    const { version } = text;
    const before = known.get(uri);
    if (before?.version === version && before.analysis.context === own.context) {
      return { uri, version, analysis: before.analysis, settings: own };
    }
    const analysis = analyseFile(text.getText(), own.context, before?.analysis);
    known.set(uri, { version, analysis });
    return { uri, version, analysis, settings: own };
  };

  const tell = (failure: Failure): void => {
    if (reported.has(failure.error)) return;
    reported.add(failure.error);
    failed(failure);
  };

  /** Works through a file's documents, and lets other work run in between. */
  const inSlices = async (
    uri: string,
    work: (one: FileDocument) => void,
    token?: CancellationToken,
  ): Promise<OpenFile | undefined> => {
    const open = await file(uri);
    if (open === undefined) return undefined;
    let sliceEnd = clock() + sliceMs;
    for (const one of open.analysis.documents) {
      if (clock() > sliceEnd) {
        await pause();
        if (token?.isCancellationRequested === true) return undefined;
        if (document(uri)?.version !== open.version) return undefined;
        sliceEnd = clock() + sliceMs;
      }
      work(one);
    }
    return open;
  };

  return {
    file,
    analysedFile: (uri, token) =>
      inSlices(
        uri,
        (one) => {
          for (const failure of one.analyse().failures) tell(failure);
        },
        token,
      ),
    countedFile: (uri) =>
      inSlices(uri, (one) => {
        one.counts();
      }),
    policiesOf: (one) => {
      const { policies, failures } = one.policies();
      for (const failure of failures) tell(failure);
      return policies;
    },
    openUris: uris,
    changed: (uri) => {
      for (const listener of changeListeners) listener(uri);
    },
    close: (uri) => {
      known.delete(uri);
      for (const listener of closeListeners) listener(uri);
    },
    onChanged: (listener) => {
      changeListeners.push(listener);
    },
    onClosed: (listener) => {
      closeListeners.push(listener);
    },
    settingsChanged: () => {
      settings.forget();
      for (const listener of settingsListeners) listener();
    },
    onSettingsChanged: (listener) => {
      settingsListeners.push(listener);
    },
    configurationIn: settings.configurationIn,
  };
}
