import type * as NodeFs from 'node:fs';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ReferenceReader, ReferenceWriter } from './reference-file.ts';

/** The error of the next write, and the most bytes of one write: simulates a disk that fills up. */
const disk = vi.hoisted(() => ({ failure: undefined as string | undefined, bytesAtOnce: Infinity }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof NodeFs>();
  const writeSync = (file: number, bytes: Uint8Array, offset: number, length: number): number => {
    if (disk.failure !== undefined) throw Object.assign(new Error(`${disk.failure}: write`), { code: disk.failure });
    return fs.writeSync(file, bytes, offset, Math.min(length, disk.bytesAtOnce));
  };
  return { ...fs, writeSync };
});

let folder: string;
let path: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firn-reference-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  path = join(folder, `reference-${files++}`);
  Object.assign(disk, { failure: undefined, bytesAtOnce: Infinity });
});

test('elements are read back in order, whatever the size of single writes', () => {
  disk.bytesAtOnce = 3;
  const writer = new ReferenceWriter(path, 1024);
  writer.add(Float32Array.of(1, 2));
  writer.add([3, 0.5, -4]);
  writer.close();
  expect([writer.whole, readFileSync(path).length]).toEqual([true, 20]);
  const reader = new ReferenceReader(path);
  expect([[...reader.next(3)], [...reader.next(2)]]).toEqual([
    [1, 2, 3],
    [0.5, -4],
  ]);
  expect(() => reader.next(1)).toThrow(expect.objectContaining({ code: 'eval-label-mismatch' }) as Error);
  reader.close();
});

test.each([
  ['ENOSPC', 'storage-full'],
  ['EDQUOT', 'storage-full'],
  ['EIO', 'EIO'],
])('a disk that answers %s ends the evaluation as %s, and the half that was written goes', (failure, code) => {
  const writer = new ReferenceWriter(path, 1024);
  writer.add([1, 2]);
  disk.failure = failure;
  expect(() => writer.add([3])).toThrow(expect.objectContaining({ code }) as Error);
  expect(existsSync(path)).toBe(false);
  // Later elements are discarded.
  writer.add([4]);
  writer.close();
  expect(existsSync(path)).toBe(false);
});

test.each<[string, (writer: ReferenceWriter) => void]>([
  ['was written', (writer) => [1, 2, 3].forEach((value) => writer.add([value]))],
  ['is to come', (writer) => writer.expect(3)],
])('more than is allowed is given up as soon as it %s, which is no error', (_, fill) => {
  const writer = new ReferenceWriter(path, 8);
  fill(writer);
  writer.add([9]);
  writer.close();
  expect([writer.whole, existsSync(path)]).toEqual([false, false]);
});
