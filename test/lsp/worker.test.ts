import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const script = path.join(import.meta.dirname, '../../dist/web/server.js');

/**
 * A web worker's surroundings in a thread of Node: `self` with `postMessage` and message events, and nothing of
 * Node's for the script, which therefore fails if it needs any.
 */
const surroundings = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { readFileSync } = require('node:fs');
  const vm = require('node:vm');
  const listeners = [];
  const self = {
    postMessage: (data) => parentPort.postMessage(data),
    addEventListener: (type, listener) => { if (type === 'message') listeners.push(listener); },
    removeEventListener: () => {},
    set onmessage(listener) { listeners.push(listener); },
    set onerror(listener) {},
  };
  parentPort.on('message', (data) => { for (const one of listeners) one({ data }); });
  const context = vm.createContext({
    self, setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask, performance, console,
    TextEncoder, TextDecoder, URL, crypto: globalThis.crypto, btoa, Intl, MessageChannel,
  });
  vm.runInContext(readFileSync(workerData, 'utf8'), context);
`;

type Message = { readonly id?: number; readonly method?: string; readonly result?: unknown };

let worker: Worker;
const waiting = new Map<number, (result: unknown) => void>();
let lastId = 0;

const send = (message: object): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's, which has no origin
  worker.postMessage({ jsonrpc: '2.0', ...message });
};

const request = (method: string, params: unknown): Promise<unknown> =>
  new Promise((resolve) => {
    lastId += 1;
    waiting.set(lastId, resolve);
    send({ id: lastId, method, params });
  });

const notify = (method: string, params: unknown): void => {
  send({ method, params });
};

beforeAll(() => {
  worker = new Worker(surroundings, { eval: true, workerData: script });
  worker.on('message', (message: Message) => {
    if (message.method === undefined) waiting.get(message.id ?? 0)?.(message.result);
    else if (message.id !== undefined) {
      const result = message.method === 'workspace/configuration' ? [null] : null;
      send({ id: message.id, result });
    }
  });
});
afterAll(async () => {
  await worker.terminate();
});

describe('the server in a web worker', () => {
  it('answers with findings and hovers, and needs nothing of Node', async () => {
    const initialized = await request('initialize', {
      processId: null,
      rootUri: null,
      workspaceFolders: null,
      capabilities: { workspace: { configuration: true }, textDocument: { diagnostic: {} } },
    });
    expect(initialized).toMatchObject({ serverInfo: { name: 'kube-backoff' } });
    notify('initialized', {});
    const uri = 'vscode-vfs://github/team/repo/workflow.yaml';
    const text = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
spec:
  templates:
    - name: main
      container: {}
      retryStrategy:
        limit: 2
        retryOn: Always
`;
    notify('textDocument/didOpen', {
      textDocument: { uri, languageId: 'yaml', version: 1, text },
    });
    expect(await request('textDocument/diagnostic', { textDocument: { uri } })).toMatchObject({
      kind: 'full',
      items: [{ code: 'policy/unknown-field', range: { start: { line: 8, character: 8 } } }],
    });
    const hover = await request('textDocument/hover', {
      textDocument: { uri },
      position: { line: 7, character: 9 },
    });
    expect(hover).toMatchObject({
      contents: { value: expect.stringContaining('2 retries (3 attempts)') as unknown },
    });
  });
});
