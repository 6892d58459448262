import { beforeEach, expect, test } from 'vitest';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import { expectCode } from '../../catalog/catalog-fixtures.test-support.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { FileRole } from '../../checkpoint/role.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import { loadSource } from './load-source.ts';
import { f32, i64, safetensors } from '../harness/tiny-model.test-support.ts';

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

function row(path: string, role: FileRole, bytes: Uint8Array): CheckpointFile {
  store.objects.set(path, bytes);
  return {
    id: path,
    checkpointId: 'c',
    path,
    role,
    received: true,
    sizeBytes: bytes.length,
    sha256: `digest of ${path}`,
    rawKey: path,
  };
}

const weights = safetensors({ w: f32([2, 2], [1, 2, 3, 4]) });

test('files in the order of their paths, sensitivity apart', async () => {
  const loaded = await loadSource(store, [
    row('z.safetensors', 'model', weights),
    row('sensitivity.safetensors', 'sensitivity', safetensors({ w: f32([2, 2], [5, 6, 7, 8]), n: i64([1], [1]) })),
    row('Z.json', 'other', Buffer.from('{}')),
    row('a/b.safetensors', 'optimizer', weights),
  ]);
  expect(loaded.files.map(({ path, type, role, sizeBytes }) => [path, type, role, sizeBytes])).toEqual([
    ['Z.json', 'blob', 'other', 2],
    ['a/b.safetensors', 'safetensors', 'optimizer', weights.length],
    ['z.safetensors', 'safetensors', 'model', weights.length],
  ]);
  expect(loaded.files[2]!.layout.tensors.map(({ name }) => name)).toEqual(['w']);
  expect(loaded.files[0]!.sha256).toBe('digest of Z.json');
  expect([...loaded.gradients.keys()]).toEqual(['w']);
  await loaded.close();
  expect(store.openReaders).toBe(0);
});

test('a file that is only called .safetensors is a blob, unless its role makes it one', async () => {
  const pickle = Buffer.from('\x80\x04pickle');
  const loaded = await loadSource(store, [
    row('x.safetensors', 'other', pickle),
    row('empty.safetensors', 'other', Buffer.alloc(0)),
  ]);
  expect(loaded.files.map(({ type }) => type)).toEqual(['blob', 'blob']);
  await loaded.close();
  const error = await loadSource(store, [row('a.json', 'other', pickle), row('x.safetensors', 'model', pickle)]).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(FirnError);
  expect(store.openReaders).toBe(0);
});

test.each(['corrupt-object', 'internal'] as const)(
  'a read that fails with %s says nothing about the content: it is the error',
  async (code) => {
    const rows = [row('a.json', 'other', Buffer.from('{}')), row('x.safetensors', 'other', weights)];
    const open = store.open.bind(store);
    store.open = async (key) => ({
      ...(await open(key)),
      ...(key === 'x.safetensors' && { read: () => Promise.reject(new FirnError(code, 'no')) }),
    });
    await expectCode(loadSource(store, rows), code);
    expect(store.openReaders).toBe(0);
  },
);

test('a file whose object is gone closes what was opened', async () => {
  const rows = [row('a.json', 'other', Buffer.from('{}')), row('b.json', 'other', Buffer.from('{}'))];
  store.objects.delete('b.json');
  await expectCode(loadSource(store, rows), 'not-found');
  const { rawKey: _, ...released } = rows[1]!;
  await expectCode(loadSource(store, [rows[0]!, released]), 'internal');
  expect(store.openReaders).toBe(0);
});
