import { open } from 'node:fs/promises';
import { formatMebibytes } from './words.ts';

/** The text of a file, or why there is none. A byte order mark is taken off, and told for writing it back. */
export type ReadText =
  | { readonly ok: true; readonly text: string; readonly hasMark: boolean }
  | { readonly ok: false; readonly message: string };

// No manifest of worth comes near; beyond it an analysis would only fill the memory.
const largest = 32 * 1024 * 1024;

export async function readText(absolute: string): Promise<ReadText> {
  try {
    const handle = await open(absolute, 'r');
    try {
      const { size } = await handle.stat();
      return size > largest ? tooLarge(size) : decode(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { ok: false, message: describeError(error) };
  }
}

export async function readStandardInput(stream: AsyncIterable<Uint8Array>): Promise<ReadText> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > largest) return tooLarge(size);
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks));
}

const tooLarge = (size: number): ReadText => ({
  ok: false,
  message: `The file is not read: it has ${formatMebibytes(size)}, and ${formatMebibytes(largest)} is the most`,
});

function decode(bytes: Uint8Array): ReadText {
  const isWide =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isWide) return { ok: false, message: 'The file is in UTF-16: save it as UTF-8' };
  if (bytes.includes(0)) {
    return { ok: false, message: 'The file is not text: it holds zero bytes' };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const hasMark = text.startsWith('\uFEFF');
    return { ok: true, text: hasMark ? text.slice(1) : text, hasMark };
  } catch {
    return { ok: false, message: `The file is not UTF-8${firstBadLine(bytes)}: save it as UTF-8` };
  }
}

/** The line that is no UTF-8, so that it can be found. */
function firstBadLine(bytes: Uint8Array): string {
  const loose = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const strict = new TextEncoder().encode(loose);
  const at = strict.findIndex((byte, index) => byte !== bytes[index]);
  if (at === -1) return '';
  const line = strict.subarray(0, at).filter((byte) => byte === 10).length + 1;
  return ` (line ${String(line)})`;
}

/** An error of the system in words, without its call stack. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'Permission is denied';
    case 'EISDIR':
      return 'This is a folder';
    case 'ENOENT':
      return 'There is no such file or folder';
    case 'ELOOP':
      return 'This link leads to itself';
    case 'EMFILE':
    case 'ENFILE':
      return 'Too many files are open';
    default:
      return error.message;
  }
}
