import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Ms } from '../../../engine/units.ts';

export type Outgoing = {
  readonly url: URL;
  readonly options: https.RequestOptions;
  readonly body?: string;
  /** The longest silence, of the server or in the middle of its answer. */
  readonly silence: Ms;
  readonly signal?: AbortSignal | undefined;
};

// Peers behind a load balancer that vanish are noticed by this, before its own idle timeout.
const keepAliveMs = 30_000;

/** Sends one request and resolves with the head of the answer; a kept connection that had died is opened anew. */
export async function send(outgoing: Outgoing): Promise<IncomingMessage> {
  const first = begin(outgoing);
  try {
    return await first.answer;
  } catch (error) {
    // The server had closed the kept connection just before: nothing was read of the request.
    const wasKept = first.request.reusedSocket && outgoing.options.method === 'GET';
    const isCut = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
    if (!wasKept || !isCut || outgoing.signal?.aborted === true) throw error;
    return begin(outgoing).answer;
  }
}

function begin({ url, options, body, silence, signal }: Outgoing): {
  readonly request: ClientRequest;
  readonly answer: Promise<IncomingMessage>;
} {
  const full = { ...options, ...(signal === undefined ? {} : { signal }) };
  const request = url.protocol === 'http:' ? http.request(url, full) : https.request(url, full);
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
  });
  request.on('socket', (socket) => socket.setKeepAlive(true, keepAliveMs));
  request.setTimeout(silence, () =>
    request.destroy(new Error(`no answer within ${String(Math.round(silence / 1000))}s`)),
  );
  request.end(body);
  return { request, answer };
}

/** Reads an answer's text to its end. */
export async function readBody(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of plainOf(answer)) {
    chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Calls back for each line of an answer as it comes; resolves when the answer has ended. */
export async function readLines(
  answer: IncomingMessage,
  onLine: (line: string) => void,
): Promise<void> {
  const stream = plainOf(answer);
  stream.setEncoding('utf8');
  let parts: string[] = [];
  for await (const chunk of stream) {
    const text = String(chunk);
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      parts.push(text.slice(start, end));
      const line = parts.join('');
      parts = [];
      start = end + 1;
      if (line !== '') onLine(line);
    }
    if (start < text.length) parts.push(text.slice(start));
  }
}

const plainOf = (answer: IncomingMessage): Readable => {
  if (answer.headers['content-encoding'] !== 'gzip') return answer;
  const plain = createGunzip();
  answer.on('error', (error) => plain.destroy(error));
  // A connection that is cut in the middle ends the stream without an error of its own.
  answer.on('aborted', () =>
    plain.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })),
  );
  return answer.pipe(plain);
};
