import {
  BrowserMessageReader,
  BrowserMessageWriter,
  createConnection,
} from 'vscode-languageserver/browser';
import { version } from '../../engine/project.ts';
import { startServer } from './server.ts';

declare const self: DedicatedWorkerGlobalScope;

/** The server in a web worker, for editors in a browser. */
const connection = createConnection(new BrowserMessageReader(self), new BrowserMessageWriter(self));

startServer(connection, {
  version,
  pause: () =>
    new Promise((resolve) => {
      setTimeout(resolve, 0);
    }),
  // A worker has no file system: the client reads for it.
  readFile: async (uri) => {
    const text: unknown = await connection.sendRequest('kubeBackoff/readFile', { uri });
    return typeof text === 'string' ? text : undefined;
  },
});

connection.listen();
