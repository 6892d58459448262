import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadCore } from '../../native/load-core.ts';
import { bodyOf } from '../../store/body-of.ts';
import { openFilesystemStore } from '../../store/filesystem/filesystem-store.ts';
import { RawSafetensorsFile } from './raw-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-raw-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

const safetensors = (header: string, dataBytes: number): Buffer => {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, Buffer.from(header), Buffer.alloc(dataBytes)]);
};
const tensor = (to: number): string => `{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,${to}]}}`;

it.each([
  ['text', Buffer.from('hello'), 'invalid-request'],
  ['a header that is no JSON', safetensors('nothing!', 4), 'invalid-request'],
  ['a tensor of another size than its shape', safetensors(tensor(3), 3), 'invalid-request'],
  ['data that end too early', safetensors(tensor(4), 3), 'invalid-request'],
  ['bytes behind the last tensor', safetensors(tensor(4), 5), 'invalid-request'],
])('a stored file called .safetensors that is none has no views: %s', async (_, bytes, code) => {
  const core = loadCore({ threads: 1 });
  const store = await openFilesystemStore({ folder, crc32c: core.crc32cSync });
  await store.put('raw/x', bodyOf(bytes), { sizeMaxBytes: 1000 });
  const reader = await store.open('raw/x');
  await expect(RawSafetensorsFile.open(reader, core)).rejects.toMatchObject({ code });
  await reader.close();
});
