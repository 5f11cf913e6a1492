import type { Instant, Ms } from '../../../engine/units.ts';

/** What a kubeconfig says of one context, read without contacting anything. */
export type ContextInfo = {
  readonly name: string;
  readonly cluster: string;
  /** The API server's address, without credentials. */
  readonly server: string;
  readonly user: string;
  readonly namespace?: string;
  /** The command that would run for credentials, as it would be typed; shown before the first contact. */
  readonly credentialCommand?: string;
  /** The kubeconfig files that the context was merged from. */
  readonly files: readonly string[];
};

/** A kubeconfig file, with a text that stands for its content as it was read. */
export type KubeconfigFile = { readonly file: string; readonly digest: string };

/** How it is made sure that a server is the right one. */
export type Trust =
  | { readonly kind: 'kubeconfig' }
  | { readonly kind: 'file'; readonly file: string }
  /** The authorities that this machine trusts. */
  | { readonly kind: 'machine' }
  | { readonly kind: 'unchecked' }
  /** No TLS at all. */
  | { readonly kind: 'plain' };

/** What a person agrees to with a context, beside its server and its credential command. */
export type Terms = {
  readonly trust: Trust;
  /** Without credentials. */
  readonly proxy?: string;
  /** Where tokens of OpenID Connect are renewed. */
  readonly signsInAt?: string;
  /** What the credential command finds in its environment beside ours; secrets are left out. */
  readonly credentialEnv: readonly { readonly name: string; readonly value?: string }[];
  /** Another one where anything of it is another, the server, the command and what is not shown too. */
  readonly digest: string;
};

/** The contexts there are, read without contacting anything. */
export type ContextList =
  | {
      readonly ok: true;
      /** The files that were read. */
      readonly files: readonly KubeconfigFile[];
      readonly contexts: readonly ContextInfo[];
      readonly current?: string;
      /** Set where `current` names no context: nothing is chosen instead of it. */
      readonly problem?: string;
      /**
       * Opens the way to one of them by what was read for this list and nothing newer; to the current one where none
       * is named.
       */
      readonly open: (name?: string) => PortOpening;
    }
  | { readonly ok: false; readonly problem: string };

/** A way to an API server, or why the kubeconfig gives none. */
export type PortOpening =
  | { readonly ok: true; readonly port: ClusterPort; readonly terms: Terms }
  | { readonly ok: false; readonly problem: string };

/** Why a request brought no answer to use. Each outside error becomes one of these at the port, and nowhere else. */
export type PortFailure =
  | { readonly kind: 'unauthorised'; readonly detail: string }
  | { readonly kind: 'forbidden'; readonly detail: string }
  /** The API server does not serve this, or the object is not there. */
  | { readonly kind: 'not-found'; readonly detail: string }
  /** The resourceVersion or the page token is too old: list again. */
  | { readonly kind: 'gone'; readonly detail: string }
  | { readonly kind: 'throttled'; readonly detail: string; readonly retryAfter?: Ms }
  | { readonly kind: 'conflict'; readonly detail: string }
  | { readonly kind: 'invalid'; readonly detail: string }
  | {
      readonly kind: 'server';
      readonly detail: string;
      readonly status: number;
      readonly retryAfter?: Ms;
    }
  /** No answer: refused, reset, timed out, name not found. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  | { readonly kind: 'certificate'; readonly detail: string }
  /** The credential command is missing or failed; its output is redacted. */
  | { readonly kind: 'credentials'; readonly detail: string }
  /** The kubeconfig is another than the one that a person agreed to. */
  | { readonly kind: 'changed'; readonly detail: string }
  | { readonly kind: 'cancelled'; readonly detail: string };

export type PortAnswer = {
  readonly body: unknown;
  /** The server's own time, from its `Date` header. */
  readonly date?: Instant;
  /** How long the body's text was. */
  readonly bytes?: number;
};

export type PortResult =
  | { readonly ok: true; readonly answer: PortAnswer }
  | { readonly ok: false; readonly failure: PortFailure };

export type PortRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** `/apis/batch/v1/jobs`; already escaped. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** For patches: `application/merge-patch+json` and its like. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
};

export type WatchEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
};

/**
 * The way to one API server, as one context of a kubeconfig.
 *
 * Small on purpose: everything above it (paging, watching, sessions) is ours and is tested without a cluster.
 * Nothing is contacted before the first call. Tokens and keys never leave it.
 */
export type ClusterPort = {
  readonly context: ContextInfo;
  readonly request: (request: PortRequest) => Promise<PortResult>;
  /**
   * Streams a watch until the server ends it, it breaks or it is cancelled.
   *
   * Resolves with nothing on an orderly end, with the failure otherwise. Never rejects.
   */
  readonly watch: (
    path: string,
    query: Readonly<Record<string, string>>,
    onEvent: (event: WatchEvent) => void,
    signal: AbortSignal,
    /** Called once, when the server has accepted the watch. */
    onOpen?: () => void,
  ) => Promise<PortFailure | undefined>;
  /**
   * Reads again what says how the server is reached; from the next request on, what is new in it holds.
   *
   * False where it says something else than a person has agreed to: every request fails until they are asked.
   */
  readonly readAgain?: () => boolean;
  readonly dispose: () => void;
};
