import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { meteredTracer, type EndedSpan } from '../../telemetry/metered-tracer.ts';
import { noTracer } from '../../telemetry/tracer.ts';
import { openFilesystemStore } from '../filesystem/filesystem-store.ts';
import { meteredStore, type StoreCall } from './metered-store.ts';
import type { ObjectReader, ObjectStore } from '../object-store.ts';
import { tracedStore } from './traced-store.ts';

const sizeBytes = 3 * 1024 * 1024;
const content = new Uint8Array(sizeBytes).map((_, i) => i % 251);
let directory: string;
let bare: ObjectStore;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-metered-'));
  // Any function of the bytes serves as checksum here.
  bare = await openFilesystemStore({ folder: directory, crc32c: (bytes, seed = 0) => (bytes.length + seed) >>> 0 });
});
afterAll(async () => {
  await bare.close();
  await rm(directory, { recursive: true, force: true });
});

async function* body(): AsyncGenerator<Uint8Array> {
  yield content;
}

/** Reads an object in every way, and expects the same bytes from each. */
async function readAll(reader: ObjectReader): Promise<void> {
  expect(Buffer.from(await reader.read(5, 100)).equals(content.subarray(5, 105))).toBe(true);
  const pieces: Uint8Array[] = [];
  for await (const piece of reader.stream(0, sizeBytes)) pieces.push(Uint8Array.from(piece));
  expect(Buffer.concat(pieces).equals(content)).toBe(true);
  for await (const piece of reader.stream()) {
    expect(piece.length).toBeGreaterThan(0);
    break;
  }
  await reader.close();
}

describe('a metered store', () => {
  test('tells every call once, with its bytes; time between two pieces is not its own', async () => {
    const calls: StoreCall[] = [];
    const store = meteredStore(bare, (call) => calls.push(call));
    await store.put('a/1', body(), { sizeMaxBytes: sizeBytes });
    await readAll(await store.open('a/1'));
    for await (const { key } of store.list('a/')) expect(key).toBe('a/1');
    const reader = await store.open('a/1');
    for await (const _ of reader.stream(0, sizeBytes)) await new Promise((resolve) => setTimeout(resolve, 400));
    await reader.close();
    await store.delete('a/1');
    const of = (operation: string): StoreCall[] => calls.filter((call) => call.operation === operation);
    expect(of('put').map(({ bytes }) => bytes)).toEqual([sizeBytes]);
    expect(of('read').map(({ bytes }) => bytes)).toEqual([100, sizeBytes, expect.any(Number), sizeBytes]);
    expect(of('read')[3]!.seconds).toBeLessThan(0.9);
    expect(of('read')[2]!.bytes).toBeLessThan(sizeBytes);
    expect([of('open').length, of('list').length, of('delete').length]).toEqual([2, 1, 1]);
    expect(calls.every(({ failed }) => !failed)).toBe(true);
  });

  test('tells what failed, and lets it fail', async () => {
    const calls: StoreCall[] = [];
    const store = meteredStore(bare, (call) => calls.push(call));
    await expect(store.open('absent/1')).rejects.toMatchObject({ code: 'not-found' });
    await expect(store.put('b/1', body(), { sizeMaxBytes: 10 })).rejects.toMatchObject({ code: 'payload-too-large' });
    expect(calls).toMatchObject([
      { operation: 'open', failed: true },
      { operation: 'put', failed: true, bytes: 0 },
    ]);
  });
});

describe('a traced store', () => {
  test('has one span for all that is read of an open object, ended by its close', async () => {
    const ended: EndedSpan[] = [];
    const store = tracedStore(
      bare,
      meteredTracer(noTracer, (span) => ended.push(span)),
    );
    await store.put('c/1', body(), { sizeMaxBytes: sizeBytes });
    const reader = await store.open('c/1');
    expect(ended.map(({ name }) => name)).toEqual(['store.put']);
    await readAll(reader);
    await expect.poll(() => ended.length).toBe(2);
    expect(ended[1]).toMatchObject({ name: 'store.get', attributes: { 'firn.object.key': 'c/1', 'firn.reads': 3 } });
    expect(ended[1]!.attributes['firn.bytes']).toBeGreaterThan(sizeBytes + 100);
    await expect(store.open('absent/1')).rejects.toMatchObject({ code: 'not-found' });
    expect(ended.at(-1)).toMatchObject({ name: 'store.get', failure: { error: { code: 'not-found' } } });
  });
});
