import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { patternBytes, referenceCrc32c } from '../../store/object-store.reference.ts';
import { decodedChunkBytes } from './decoded-entry.ts';
import { DecodedFiles } from './decoded-files.ts';

/** The disk has room for two of the file's four chunks. */
const sizeBytes = 4 * decodedChunkBytes;
const disk = mkdtempSync(join(tmpdir(), 'firn-full-disk-'));
const isMounted = mounted();
afterAll(() => {
  if (isMounted) execFileSync('umount', [disk]);
  rmSync(disk, { recursive: true });
});

function mounted(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${2 * decodedChunkBytes}`, 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it.skipIf(!isMounted)(
  'a disk that gets full while a file is written (skipped without the right to mount)',
  async () => {
    const failures: unknown[] = [];
    const cache = await DecodedFiles.open({
      directory: join(disk, 'decoded'),
      bytesMax: 10 * sizeBytes,
      crc32c: referenceCrc32c,
      freeBytes: async () => 2 ** 40,
      onFailure: (error) => failures.push(error),
    });
    const bytes = patternBytes(sizeBytes);
    const file = { id: 'a', sizeBytes, sha256: createHash('sha256').update(bytes).digest('hex') };
    async function* stream(start: number, end: number): AsyncGenerator<Uint8Array> {
      for (let at = start; at < end; at += 50_000) yield bytes.subarray(at, Math.min(end, at + 50_000));
    }
    const readers = Array.from({ length: 3 }, async () => {
      const opened = await cache.openFile(file, async () => ({ sizeBytes, stream, close: async () => undefined }));
      const pieces: Uint8Array[] = [];
      for await (const piece of opened.stream(0, sizeBytes)) pieces.push(piece);
      await opened.close();
      return Buffer.concat(pieces).equals(bytes);
    });
    expect(await Promise.all(readers)).toEqual([true, true, true]);
    await cache.close();
    expect(failures).toMatchObject([{ code: 'ENOSPC' }]);
    expect([cache.state().usedBytes, existsSync(join(disk, 'decoded'))]).toEqual([0, false]);
  },
);
