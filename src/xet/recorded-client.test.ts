import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeChunkRange, placeOfChunks } from './decode-chunk-range.ts';
import { encodeXorb } from './encode-xorb.test-support.ts';
import { planFile } from './plan-file.ts';
import { readShard } from './read-shard.ts';
import { checkXorbHash, readXorb, type XorbTable } from './read-xorb.ts';
import { recordedUploads } from './recorded-files.test-support.ts';
import { createXetHasher, type XetHash } from './xet-hash.ts';

const fixtures = join(import.meta.dirname, 'fixtures');
const uploads = recordedUploads();
const hasher = await createXetHasher();

interface RecordedRequest {
  upload: string;
  method: string;
  path: string;
  bodyBytes: number;
  bodySha256: string;
}
const requests = JSON.parse(readFileSync(join(fixtures, 'requests.json'), 'utf8')) as RecordedRequest[];
const xorbRequests = requests.filter(({ path }) => path.includes('/v1/xorbs/'));

/** A recorded xorb; the large one is made anew from the file, which the client sends unpacked. */
function xorbBytes({ upload, path, bodySha256 }: RecordedRequest): Uint8Array {
  const file = join(fixtures, `${upload}-${hashOf(path)}.xorb`);
  if (existsSync(file)) return new Uint8Array(readFileSync(file));
  const raw = uploads.find(({ name }) => name === upload)!.files[0]!.bytes;
  let at = 0;
  const { xorbs } = readShard(readFileSync(join(fixtures, `${upload}-0.shard`)));
  const sizes = Array.from({ length: xorbs[0]!.chunkCount }, (_, index) => xorbs[0]!.chunkAt(index).rawBytes);
  const bytes = encodeXorb(sizes.map((size) => ({ raw: raw.subarray(at, (at += size)), scheme: 'none' })));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(bodySha256);
  return bytes;
}

function hashOf(path: string): XetHash {
  return path.split('/').at(-1)!;
}

async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function readRecordedXorbs(): Promise<Map<XetHash, { table: XorbTable; bytes: Uint8Array }>> {
  const xorbs = new Map<XetHash, { table: XorbTable; bytes: Uint8Array }>();
  for (const request of xorbRequests) {
    const bytes = xorbBytes(request);
    xorbs.set(hashOf(request.path), { table: await readXorb(inPieces(bytes, 10_007), hasher), bytes });
  }
  return xorbs;
}

const xorbs = await readRecordedXorbs();

test('each recorded xorb has the hash under which the client sent it', () => {
  expect(xorbs.size).toBe(uploads.length);
  for (const [hash, { table, bytes }] of xorbs) {
    checkXorbHash(table.chunks, hash, hasher);
    expect(table.packedBytes).toBe(bytes.length);
  }
});

test('the recordings hold all three ways of packing', () => {
  const schemes = [...xorbs.values()].flatMap(({ table, bytes }) =>
    table.chunks.map((chunk) => bytes[chunk.offset + 4]),
  );
  expect(new Set(schemes)).toEqual(new Set([0, 1, 2]));
});

describe.each(uploads)('upload $name', ({ name, files }) => {
  const shard = readShard(readFileSync(join(fixtures, `${name}-0.shard`)));

  test.each(files)('$path is rebuilt byte for byte from the terms of the shard', async ({ bytes }) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = shard.files.find((one) => one.sha256 === sha256)!;
    const plan = await planFile({ file, chunksOf: (xorb) => xorbs.get(xorb)?.table.chunks, hasher });
    expect(plan.sizeBytes).toBe(bytes.length);
    const parts = plan.ranges.flatMap((range) => {
      const { table, bytes: stored } = xorbs.get(range.xorb)!;
      const { offset, lengthBytes } = placeOfChunks(table.chunks, range);
      const place = stored.subarray(offset, offset + lengthBytes);
      return [...decodeChunkRange({ chunks: table.chunks, range, bytes: place, hasher })];
    });
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  });

  test('what the shard says about xorbs is what the xorbs hold', () => {
    expect(shard.files).toHaveLength(files.length);
    for (const { hash, chunkCount, rawBytes, chunkAt } of shard.xorbs) {
      const { table } = xorbs.get(hash)!;
      expect(rawBytes).toBe(table.rawBytes);
      const chunks = Array.from({ length: chunkCount }, (_, index) => chunkAt(index));
      expect(chunks).toEqual(table.chunks.map(({ hash, rawBytes }) => ({ hash, rawBytes })));
    }
  });
});

test('a later upload refers to the xorb of an earlier one, which the client keeps in mind', () => {
  const textXorb = hashOf(xorbRequests.find(({ upload }) => upload === 'text')!.path);
  const { files } = readShard(readFileSync(join(fixtures, 'shared-0.shard')));
  expect(files.every((file) => file.terms.some((term) => term.xorb === textXorb))).toBe(true);
});

test('the client asks for a v1 route only where v2 is not there', () => {
  const shardRoutes = (upload: string) =>
    requests.filter((request) => request.upload === upload && request.path.endsWith('/shards')).map(({ path }) => path);
  expect(shardRoutes('text')).toEqual(['/cas/v2/shards']);
  expect(shardRoutes('random')).toEqual(['/cas/v2/shards', '/cas/v1/shards']);
});
