import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import { changeFolder, type PathChange } from './folder.ts';
import { blobOid, pointerOid } from './git-object.ts';
import { checkpointSnapshot, entriesOf, entryAt, walk } from './snapshot.ts';

const at = new Date('2026-01-02T03:04:05.678Z');
const checkpoint = { id: 'c', runId: 'r', step: 7, revision: 'a'.repeat(40), finishedAt: at } as Checkpoint;
const sha256 = (letter: string): string => letter.repeat(64);

function stored(path: string, set: Partial<CheckpointFile> = {}): CheckpointFile {
  const digest = {
    sha256: sha256('b'),
    resultSha256: sha256('b'),
    resultBytes: 10,
    gitSha1: blobOid(Buffer.from(path)),
  };
  return { id: path, checkpointId: 'c', path, role: 'other', ...digest, ...set } as CheckpointFile;
}

const files = [
  stored('model.safetensors'),
  stored('tokenizer/vocab.json'),
  stored('tokenizer/deep/er/x'),
  stored('tokenizer.json'),
  // Rebuilt with other bytes: git's id of the uploaded ones says nothing of it.
  stored('lossy.bin', { resultSha256: sha256('c') }),
  stored('unhashed.bin', { gitSha1: undefined as unknown as string }),
  stored('gradients', { resultSha256: undefined as unknown as string }),
];
const snapshot = checkpointSnapshot(checkpoint, files, 'train');

describe('the snapshot of a checkpoint', () => {
  it('is named by its revision, and says run and step', () => {
    expect(snapshot.commit).toMatchObject({
      id: 'a'.repeat(40),
      title: 'train: step 7',
      author: 'train',
      createdAt: at,
    });
  });

  it('has the files of the result in folders, each before what is in it, in the order of git', async () => {
    const found: string[] = [];
    for await (const { path } of walk(snapshot, (await entriesOf(snapshot, ''))!)) found.push(path);
    expect(found).toEqual([
      'lossy.bin',
      'model.safetensors',
      'tokenizer.json',
      'tokenizer',
      'tokenizer/deep',
      'tokenizer/deep/er',
      'tokenizer/deep/er/x',
      'tokenizer/vocab.json',
      'unhashed.bin',
    ]);
  });

  it.each([
    ['tokenizer.json', false, blobOid(Buffer.from('tokenizer.json')), 'b'],
    ['model.safetensors', true, pointerOid(sha256('b'), 10), 'b'],
    ['lossy.bin', true, pointerOid(sha256('c'), 10), 'c'],
    ['unhashed.bin', true, pointerOid(sha256('b'), 10), 'b'],
  ])('shows %s with an id of the bytes that come down', async (path, isLarge, oid, letter) => {
    expect(await entryAt(snapshot, path)).toMatchObject({ isLarge, oid, sha256: sha256(letter) });
  });

  it('has the tree that a commit of the same files has', async () => {
    const changes = files.flatMap((file): PathChange[] => {
      const { isLarge, oid } = { isLarge: true, oid: pointerOid(sha256('b'), 10) };
      return file.path === 'gradients'
        ? []
        : [{ op: 'put', path: file.path, file: { oid, isLarge, sha256: sha256('b'), sizeBytes: 10 } }];
    });
    const all = files
      .filter(({ path }) => path !== 'gradients')
      .map(({ path }) => stored(path, { gitSha1: undefined as unknown as string }));
    const { rootId } = await changeFolder(async () => [], undefined, changes);
    expect(checkpointSnapshot(checkpoint, all, 'train').commit.treeId).toBe(rootId);
  });

  it.each(['', 'none', 'tokenizer/none', 'tokenizer.json/x', 'tokenizer/', '/tokenizer', 'TOKENIZER', '..'])(
    'has no file at %j',
    async (path) => expect(await entryAt(snapshot, path)).toBeUndefined(),
  );

  it('gives entries of folders only', async () => {
    expect((await entriesOf(snapshot, 'tokenizer/deep'))?.map(({ name }) => name)).toEqual(['er']);
    expect(await entriesOf(snapshot, 'tokenizer.json')).toBeUndefined();
    expect(await entriesOf(snapshot, 'none')).toBeUndefined();
  });

  it('may have no files', async () => {
    const empty = checkpointSnapshot(checkpoint, [], 'train');
    expect(await entriesOf(empty, '')).toEqual([]);
    expect(empty.commit.treeId).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904');
  });
});
