import * as zlib from 'node:zlib';
import type { Unpack } from '../../../engine/live.ts';

// A packed status is below 1.5 MB, what etcd takes; unpacked it stays below this by far.
const largest = 256 * 1024 * 1024;

/**
 * Unpacks `status.compressedNodes` of an Argo Workflow into `status.nodes`.
 *
 * Base64 of gzip, and from 4.1 on also of zstd (where this Node has it) or brotli, told apart by the first bytes.
 * Source: argo-workflows v4.1.2 util/file/fileutil.go DecompressContent, workflow/packer/packer.go.
 */
export const inflateNodes: Unpack = (object) => {
  if (!isRecord(object) || object['kind'] !== 'Workflow') return object;
  const { status } = object;
  if (!isRecord(status)) return object;
  const { compressedNodes: packed, nodes: known, ...rest } = status;
  const isKnown = isRecord(known) && Object.keys(known).length > 0;
  if (typeof packed !== 'string' || packed === '' || isKnown) return object;
  const nodes = unpacked(packed);
  return isRecord(nodes) ? { ...object, status: { ...rest, nodes } } : object;
};

function unpacked(text: string): unknown {
  const bytes = Buffer.from(text, 'base64');
  try {
    return JSON.parse(decompress(bytes)?.toString('utf8') ?? 'null');
  } catch {
    // Cut off, of another format or too large: the reader then says that the nodes cannot be seen.
    return undefined;
  }
}

function decompress(bytes: Buffer): Buffer | undefined {
  const options = { maxOutputLength: largest };
  if (startsWith(bytes, [0x1f, 0x8b])) return zlib.gunzipSync(bytes, options);
  if (!startsWith(bytes, [0x28, 0xb5, 0x2f, 0xfd]))
    return zlib.brotliDecompressSync(bytes, options);
  const zstd: unknown = Reflect.get(zlib, 'zstdDecompressSync');
  return isDecompressor(zstd) ? zstd(bytes, options) : undefined;
}

type Decompressor = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

/** Node 22.15 and later. */
const isDecompressor = (value: unknown): value is Decompressor => typeof value === 'function';

const startsWith = (bytes: Buffer, magic: readonly number[]): boolean =>
  magic.every((byte, index) => bytes[index] === byte);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
