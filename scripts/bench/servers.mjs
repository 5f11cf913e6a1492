// @ts-check
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../setup.mjs';
import { ensureWorkbench } from '../workbench/install.mjs';
import { sizes, stream } from './corpus.mjs';
import { startPeer } from './lspPeer.mjs';

/** @typedef {{ cells: readonly string[], holds?: boolean }} Line */
/** @typedef {{ init: number, open: number, key: number, cpu: number, hover: number, memory: number }} Figures */

const keystrokes = 20;
const uri = 'file:///bench/stream.yaml';

/** A schema for what the stream's workflows hold, so that the peer has one to check against. */
const schema = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      properties: {
        entrypoint: { type: 'string' },
        templates: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              retryStrategy: {
                type: 'object',
                description: 'Retries of the template',
                properties: {
                  limit: { type: ['integer', 'string'], description: 'Retries' },
                  retryPolicy: { enum: ['Always', 'OnFailure', 'OnError', 'OnTransientError'] },
                  expression: { type: 'string' },
                  backoff: {
                    type: 'object',
                    properties: {
                      duration: { type: 'string', description: 'The first wait' },
                      factor: { type: ['integer', 'string'] },
                      maxDuration: { type: 'string' },
                      cap: { type: 'string' },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

/** @returns {Promise<readonly Line[]>} */
export async function benchServers() {
  const node = await nodeForBoth();
  const folder = await mkdtemp(path.join(tmpdir(), 'kube-backoff-bench-'));
  const schemaFile = path.join(folder, 'schema.json');
  await writeFile(schemaFile, JSON.stringify(schema));
  /** @type {Line[]} */
  const lines = [{ cells: ['', 'kube-backoff', 'yaml-language-server', 'ratio', 'limit'] }];
  try {
    // Once for nothing, so that neither is measured with its files still on the disk.
    await measureOurs(node, stream(1));
    await measureTheirs(node, stream(1), pathToFileURL(schemaFile).href);
    for (const { name, documents } of sizes) {
      const text = stream(documents);
      const ours = await measureOurs(node, text);
      const theirs = await measureTheirs(node, text, pathToFileURL(schemaFile).href);
      lines.push(...compare(name, ours, theirs));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return lines;
}

/** The peer needs Node 22.13 or newer; both run under the same one. */
async function nodeForBoth() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return process.execPath;
  return (await ensureWorkbench()).node;
}

/**
 * @param {string} name
 * @param {Figures} ours
 * @param {Figures} theirs
 * @returns {readonly Line[]}
 */
function compare(name, ours, theirs) {
  /** @param {number} value */
  const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
  /** @param {number} a @param {number} b */
  const ratio = (a, b) => (b === 0 ? '' : (a / b).toFixed(3));
  const largest = name === '1.3 MB';
  return [
    {
      cells: [
        `${name}: start to initialize answered`,
        ms(ours.init),
        ms(theirs.init),
        ratio(ours.init, theirs.init),
        'ratio 0.5',
      ],
      holds: ours.init <= theirs.init * 0.5,
    },
    {
      cells: [
        `${name}: open to diagnostics`,
        ms(ours.open),
        ms(theirs.open),
        ratio(ours.open, theirs.open),
        '',
      ],
    },
    {
      cells: [
        `${name}: keystroke to diagnostics`,
        ms(ours.key),
        ms(theirs.key),
        ratio(ours.key, theirs.key),
        '20 ms',
      ],
      holds: ours.key < 20,
    },
    {
      cells: [
        `${name}: processor time of a keystroke`,
        ms(ours.cpu),
        ms(theirs.cpu),
        ratio(ours.cpu, theirs.cpu),
        largest ? 'ratio 0.02' : '',
      ],
      ...(largest ? { holds: ours.cpu <= theirs.cpu / 50 } : {}),
    },
    {
      cells: [
        `${name}: hover, median`,
        ms(ours.hover),
        ms(theirs.hover),
        ratio(ours.hover, theirs.hover),
        '2 ms',
      ],
      holds: ours.hover < 2,
    },
    {
      cells: [
        `${name}: resident memory`,
        `${ours.memory.toFixed(0)} MB`,
        `${theirs.memory.toFixed(0)} MB`,
        ratio(ours.memory, theirs.memory),
        largest ? 'ratio 0.25' : '',
      ],
      ...(largest ? { holds: ours.memory <= theirs.memory / 4 } : {}),
    },
  ];
}

/** @param {string} node @param {string} text @returns {Promise<Figures>} */
async function measureOurs(node, text) {
  const server = path.join(repository, 'dist/server/main.cjs');
  const started = performance.now();
  const peer = startPeer(node, [server, '--stdio'], () => [null]);
  const pull = async () => {
    const report = await peer.request('textDocument/diagnostic', { textDocument: { uri } });
    // A server that refuses the request would look fast.
    if (typeof report !== 'object' || report === null || !('items' in report)) {
      throw new Error('The server did not answer with diagnostics.');
    }
  };
  try {
    await peer.request('initialize', initializeParams({ diagnostic: {} }));
    const init = performance.now() - started;
    peer.notify('initialized', {});
    return await measure(peer, text, init, pull, pull);
  } finally {
    peer.stop();
  }
}

/** @param {string} node @param {string} text @param {string} schemaUri @returns {Promise<Figures>} */
async function measureTheirs(node, text, schemaUri) {
  const server = path.join(
    repository,
    'node_modules/yaml-language-server/bin/yaml-language-server',
  );
  const yaml = {
    validate: true,
    hover: true,
    completion: true,
    schemas: { [schemaUri]: 'stream.yaml' },
    schemaStore: { enable: false },
  };
  const started = performance.now();
  const peer = startPeer(node, [server, '--stdio'], (method, params) =>
    method === 'workspace/configuration'
      ? params.items.map((/** @type {{ section?: string }} */ { section }) =>
          section === 'yaml' ? yaml : null,
        )
      : null,
  );
  const published = () =>
    peer.next('textDocument/publishDiagnostics', (params) => params.uri === uri);
  try {
    await peer.request('initialize', initializeParams({}));
    const init = performance.now() - started;
    peer.notify('initialized', {});
    peer.notify('workspace/didChangeConfiguration', { settings: { yaml } });
    return await measure(peer, text, init, published, published);
  } finally {
    peer.stop();
  }
}

/** @param {object} more */
const initializeParams = (more) => ({
  processId: process.pid,
  rootUri: null,
  workspaceFolders: null,
  capabilities: {
    workspace: { configuration: true },
    textDocument: { publishDiagnostics: {}, hover: { contentFormat: ['markdown'] }, ...more },
  },
});

/**
 * Opens the text, types in its middle, hovers; waits for diagnostics each time.
 *
 * @param {import('./lspPeer.mjs').Peer} peer
 * @param {string} text
 * @param {number} init
 * @param {() => Promise<unknown>} opened
 * @param {() => Promise<unknown>} changed
 * @returns {Promise<Figures>}
 */
async function measure(peer, text, init, opened, changed) {
  const position = placeInMiddle(text);
  let started = performance.now();
  peer.notify('textDocument/didOpen', {
    textDocument: { uri, languageId: 'yaml', version: 1, text },
  });
  await opened();
  const open = performance.now() - started;
  /** @type {number[]} */
  const keys = [];
  await type(peer, position, 2, changed);
  const cpuBefore = await peer.cpuMs();
  for (let stroke = 0; stroke < keystrokes; stroke += 1) {
    started = performance.now();
    await type(peer, position, stroke + 3, changed);
    keys.push(performance.now() - started);
  }
  const cpu = ((await peer.cpuMs()) - cpuBefore) / keystrokes;
  /** @type {number[]} */
  const hovers = [];
  for (let turn = 0; turn < 40; turn += 1) {
    started = performance.now();
    await peer.request('textDocument/hover', {
      textDocument: { uri },
      position: { line: position.line, character: position.character - 4 },
    });
    hovers.push(performance.now() - started);
  }
  return { init, open, key: median(keys), cpu, hover: median(hovers), memory: await peer.rssMb() };
}

/**
 * Types a blank behind a `duration` and takes it back at the next turn.
 *
 * @param {import('./lspPeer.mjs').Peer} peer
 * @param {{ line: number, character: number }} at
 * @param {number} version
 * @param {() => Promise<unknown>} changed
 */
async function type(peer, at, version, changed) {
  const end = version % 2 === 0 ? at : { line: at.line, character: at.character + 1 };
  const contentChanges = [{ range: { start: at, end }, text: version % 2 === 0 ? ' ' : '' }];
  peer.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges });
  await changed();
}

/** The end of the line of a `duration:` near the middle. @param {string} text */
function placeInMiddle(text) {
  const lines = text.split('\n');
  const from = Math.floor(lines.length / 2);
  const found = lines.findIndex((line, index) => index >= from && /^\s+duration: /.test(line));
  const line = found >= 0 ? found : lines.findIndex((one) => /^\s+duration: /.test(one));
  return { line, character: (lines[line] ?? '').length };
}

/** @param {readonly number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
