import { describe, expect, it } from 'vitest';
import type { HubBlob } from '../../catalog/contract/hub/blob-records.ts';
import type { HubContext } from '../hub-context.ts';
import { completeParts, partBytesOf } from './receive-parts.ts';

const mebibyte = 1024 * 1024;

describe('completing a file whose parts are gone', () => {
  const file = { sha256: 'a'.repeat(64), sizeBytes: 100 * mebibyte };
  const complete = (blobs: readonly Partial<HubBlob>[]): Promise<void> => {
    const hub = { parts: { list: async () => [] }, blobs: { find: async () => blobs } };
    return completeParts({ catalog: { hub } } as unknown as HubContext, 'r', file);
  };

  it('is no error if the file is there, because it was completed before', async () => {
    await complete([{ rawKey: 'blobs/r/1' }]);
    await complete([{ fileId: 'f' }]);
  });

  it('asks for the parts if the bytes of the file went with a deleted checkpoint', async () => {
    for (const blobs of [[], [{}]]) await expect(complete(blobs)).rejects.toMatchObject({ code: 'upload-incomplete' });
  });
});

it.each([
  [1, 64],
  [64 * 1000, 64],
  [64 * 1000 + 1, 65],
])('a file of %i MiB has parts of %i MiB', (fileMiB, partMiB) => {
  expect(partBytesOf(fileMiB * mebibyte)).toBe(partMiB * mebibyte);
});
