import type { ClientCapabilities, Connection, ServerCapabilities } from 'vscode-languageserver';
import type { Workspace } from './workspace.ts';

/** What a client said about itself when it connected. */
export type Client = {
  readonly capabilities: ClientCapabilities;
  readonly options: ClientOptions;
};

/** What our own extension adds to the protocol's capabilities; other clients leave it out. */
export type ClientOptions = {
  /** The hover can show HTML's `details`. */
  readonly html: boolean;
  /** The hover can show pictures in `data:` addresses. */
  readonly images: boolean;
  /** The client answers `kubeBackoff/readFile` for files that the server cannot read itself. */
  readonly readsFiles: boolean;
};

/** One feature of the protocol: what it announces and what it registers stand together. */
export type Feature = {
  readonly capabilities: (client: Client) => Partial<ServerCapabilities>;
  readonly register: (connection: Connection, workspace: Workspace, client: Client) => void;
};
