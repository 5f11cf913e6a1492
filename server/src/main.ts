import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { version } from '../../engine/project.ts';
import { startServer } from './server.ts';

// Parsing makes garbage in bursts, and V8 keeps what it once took for them: a third less memory for a sixth more
// time on opening a large file.
setFlagsFromString('--optimize-for-size');

/** The server on Node: over stdio for any editor, over IPC for the extension. */
const connection = createConnection(ProposedFeatures.all);

startServer(connection, {
  version,
  pause: () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    }),
  readFile: async (uri) => {
    if (!uri.startsWith('file:')) return undefined;
    try {
      return await readFile(fileURLToPath(uri), 'utf8');
    } catch {
      // Most folders have no configuration file: its absence is the normal case.
      return undefined;
    }
  },
});

connection.listen();
