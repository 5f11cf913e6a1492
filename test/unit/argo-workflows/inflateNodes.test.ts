import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inflateNodes } from '../../../client/src/cluster/inflateNodes.ts';

const nodes = { a: { id: 'a', type: 'Retry', phase: 'Running' } };
const packed = (bytes: Buffer) => ({
  kind: 'Workflow',
  status: { phase: 'Running', compressedNodes: bytes.toString('base64') },
});

describe('inflateNodes', () => {
  it.each([
    ['gzip', gzipSync(JSON.stringify(nodes))],
    ['brotli', brotliCompressSync(JSON.stringify(nodes))],
  ])('unpacks %s', (_, bytes) => {
    expect(inflateNodes(packed(bytes))).toEqual({
      kind: 'Workflow',
      status: { phase: 'Running', nodes },
    });
  });

  it('gives back what it cannot unpack', () => {
    const objects: readonly unknown[] = [
      packed(gzipSync(JSON.stringify(nodes)).subarray(0, 12)),
      packed(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0])),
      packed(gzipSync('[1]')),
      packed(Buffer.from('no archive')),
      { kind: 'Workflow', status: { nodes, compressedNodes: 'x' } },
      { kind: 'Workflow', status: { compressedNodes: '' } },
      { kind: 'Job', status: { compressedNodes: 'x' } },
      { kind: 'Workflow', status: null },
      null,
      [],
      'text',
    ];
    for (const object of objects) expect(inflateNodes(object)).toBe(object);
  });
});
