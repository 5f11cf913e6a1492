import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type ClientCapabilities,
  type CodeAction,
  type CompletionItem,
  type Diagnostic,
  type DocumentDiagnosticReport,
  type Hover,
  type InitializeResult,
  type InlayHint,
  type Position,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  type Range,
  type TextEdit,
} from 'vscode-languageserver-protocol/node';

export const serverPath = path.join(import.meta.dirname, '../../dist/server/main.cjs');

const fullCapabilities: ClientCapabilities = {
  textDocument: { diagnostic: {}, hover: {}, inlayHint: {} },
  workspace: { configuration: true, workspaceEdit: { documentChanges: true } },
};

export type LspClient = {
  readonly initialized: InitializeResult;
  readonly connection: ProtocolConnection;
  readonly open: (uri: string, text: string, languageId?: string) => Promise<void>;
  readonly change: (
    uri: string,
    version: number,
    changes: readonly { readonly range?: Range; readonly text: string }[],
  ) => Promise<void>;
  readonly close: (uri: string) => Promise<void>;
  readonly pull: (uri: string, previousResultId?: string) => Promise<DocumentDiagnosticReport>;
  readonly diagnostics: (uri: string) => Promise<readonly Diagnostic[]>;
  readonly hover: (uri: string, position: Position) => Promise<Hover | null>;
  readonly actions: (
    uri: string,
    range: Range,
    only?: readonly string[],
  ) => Promise<readonly CodeAction[]>;
  readonly completions: (uri: string, position: Position) => Promise<readonly CompletionItem[]>;
  readonly hints: (uri: string, range: Range) => Promise<readonly InlayHint[]>;
  /** All pushed diagnostics so far, in order. */
  readonly pushed: readonly PublishDiagnosticsParams[];
  readonly nextPush: (uri: string) => Promise<PublishDiagnosticsParams>;
  readonly logged: readonly string[];
  readonly setConfiguration: (value: unknown) => Promise<void>;
  readonly stop: () => Promise<number | null>;
};

/** Starts the built server over stdio, as any editor does, and speaks the protocol with it. */
export async function startClient(
  options: {
    readonly capabilities?: ClientCapabilities;
    readonly initializationOptions?: unknown;
    readonly configuration?: unknown;
    readonly folder?: string;
    readonly command?: readonly string[];
  } = {},
): Promise<LspClient> {
  const [program = '', ...args] = options.command ?? [process.execPath, serverPath, '--stdio'];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  let configuration: unknown = options.configuration ?? null;
  const pushed: PublishDiagnosticsParams[] = [];
  const waiting: ((params: PublishDiagnosticsParams) => boolean)[] = [];
  const logged: string[] = [];
  child.stderr.on('data', (data: Buffer) => logged.push(String(data)));
  connection.onNotification('window/logMessage', ({ message }: { readonly message: string }) => {
    logged.push(message);
  });
  connection.onNotification(
    'textDocument/publishDiagnostics',
    (params: PublishDiagnosticsParams) => {
      pushed.push(params);
      const index = waiting.findIndex((wants) => wants(params));
      if (index >= 0) waiting.splice(index, 1);
    },
  );
  connection.onRequest(
    'workspace/configuration',
    ({ items }: { readonly items: readonly unknown[] }) => items.map((): unknown => configuration),
  );
  connection.onRequest('client/registerCapability', () => null);
  connection.listen();
  const folders =
    options.folder === undefined ? null : [{ uri: options.folder, name: 'workspace' }];
  const initialized: InitializeResult = await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: folders,
    capabilities: options.capabilities ?? fullCapabilities,
    initializationOptions: options.initializationOptions,
  });
  await connection.sendNotification('initialized', {});
  const document = (uri: string) => ({ textDocument: { uri } });
  const pull = (uri: string, previousResultId?: string): Promise<DocumentDiagnosticReport> =>
    connection.sendRequest('textDocument/diagnostic', {
      ...document(uri),
      ...(previousResultId === undefined ? {} : { previousResultId }),
    });
  return {
    initialized,
    connection,
    open: (uri, text, languageId = 'yaml') =>
      connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId, version: 1, text },
      }),
    change: (uri, version, contentChanges) =>
      connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges,
      }),
    close: (uri) => connection.sendNotification('textDocument/didClose', document(uri)),
    pull,
    diagnostics: async (uri) => {
      const report = await pull(uri);
      return report.kind === 'full' ? report.items : [];
    },
    hover: (uri, position) =>
      connection.sendRequest('textDocument/hover', { ...document(uri), position }),
    actions: async (uri, range, only) =>
      (await connection.sendRequest<CodeAction[] | null>('textDocument/codeAction', {
        ...document(uri),
        range,
        context: { diagnostics: [], ...(only === undefined ? {} : { only }) },
      })) ?? [],
    completions: (uri, position) =>
      connection.sendRequest('textDocument/completion', { ...document(uri), position }),
    hints: (uri, range) =>
      connection.sendRequest('textDocument/inlayHint', { ...document(uri), range }),
    pushed,
    nextPush: (uri) =>
      new Promise((resolve) => {
        waiting.push((params) => {
          if (params.uri !== uri) return false;
          resolve(params);
          return true;
        });
      }),
    logged,
    setConfiguration: async (value) => {
      configuration = value;
      await connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
    },
    stop: async () => {
      await connection.sendRequest('shutdown');
      await connection.sendNotification('exit');
      const code = await exitOf(child);
      connection.dispose();
      return code;
    },
  };
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode);
    else child.once('exit', (code) => resolve(code));
  });

/** The place of a `<|>` in a text, and the text without it. */
export function atCursor(marked: string): { readonly text: string; readonly position: Position } {
  const offset = marked.indexOf('<|>');
  if (offset < 0) throw new Error('the text has no <|>');
  const before = marked.slice(0, offset);
  const line = before.split('\n').length - 1;
  const character = offset - (before.lastIndexOf('\n') + 1);
  return { text: before + marked.slice(offset + 3), position: { line, character } };
}

/** `9:9-9:14`, 1-based with an exclusive end, as a reader counts. */
export const rangeText = ({ start, end }: Range): string =>
  `${String(start.line + 1)}:${String(start.character + 1)}-${String(end.line + 1)}:${String(end.character + 1)}`;

/** A text with the edits of a code action applied. */
export function applyAction(text: string, action: CodeAction): string {
  const edits = (action.edit?.documentChanges ?? []).flatMap((change) =>
    'edits' in change ? change.edits : [],
  );
  const lines = text.split('\n');
  const offsetOf = ({ line, character }: Position): number =>
    lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
  let result = text;
  const isText = (edit: object): edit is TextEdit => 'range' in edit && 'newText' in edit;
  const ordered = edits
    .filter(isText)
    .toSorted((a, b) => offsetOf(b.range.start) - offsetOf(a.range.start));
  for (const { range, newText } of ordered) {
    result = result.slice(0, offsetOf(range.start)) + newText + result.slice(offsetOf(range.end));
  }
  return result;
}
