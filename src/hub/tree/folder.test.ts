import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TreeEntry } from '../../catalog/contract/hub/revision-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { changeFolder, folderEntriesMax, type PathChange } from './folder.ts';
import { blobOid, inGitOrder, treeOid } from './git-object.ts';

/** Content of files by path: what a repository is to a person. */
type Model = Map<string, string>;

/** Trees as the catalog keeps them. */
class Trees {
  readonly known = new Map<string, readonly TreeEntry[]>();
  reads = 0;

  readonly load = async (id: string): Promise<readonly TreeEntry[]> => {
    this.reads += 1;
    const entries = this.known.get(id);
    if (entries === undefined) throw new Error(`Nobody stored the tree ${id}.`);
    return entries;
  };

  async change(rootId: string | undefined, changes: readonly PathChange[]): Promise<string> {
    const { rootId: id, trees } = await changeFolder(this.load, rootId, changes);
    for (const tree of trees) {
      expect(treeOid(tree.entries)).toBe(tree.id);
      expect(inGitOrder(tree.entries)).toEqual(tree.entries);
      this.known.set(tree.id, tree.entries);
    }
    if (id === treeOid([])) this.known.set(id, []);
    return id;
  }

  async list(id: string, folder = ''): Promise<Model> {
    const found: Model = new Map();
    for (const entry of await this.load(id)) {
      if (entry.kind === 'file') found.set(folder + entry.name, entry.sha256);
      else {
        const inside = await this.list(entry.oid, `${folder}${entry.name}/`);
        expect(inside.size, 'an empty folder').toBeGreaterThan(0);
        inside.forEach((value, path) => found.set(path, value));
      }
    }
    return found;
  }
}

const put = (path: string, content: string): PathChange => ({
  op: 'put',
  path,
  file: { oid: blobOid(Buffer.from(content)), sizeBytes: content.length, sha256: content, isLarge: false },
});

/** The same on the model. False if something to delete is absent. */
function applyTo(model: Model, change: PathChange): boolean {
  const { op, path } = change;
  const inside = [...model.keys()].filter((each) => each.startsWith(`${path}/`));
  if (op === 'delete') return model.delete(path);
  if (op === 'delete-folder') {
    inside.forEach((each) => model.delete(each));
    return inside.length > 0;
  }
  inside.forEach((each) => model.delete(each));
  const parts = path.split('/');
  parts.slice(1).forEach((_, at) => model.delete(parts.slice(0, at + 1).join('/')));
  model.set(path, change.file.sha256);
  return true;
}

const somePath = fc
  .array(fc.constantFrom('a', 'b', 'a.b', 'A', '__proto__'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'));
const someChange: fc.Arbitrary<PathChange> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(somePath, fc.constantFrom('1', '2', '3')).map(([path, text]) => put(path, text)) },
  { weight: 1, arbitrary: somePath.map((path) => ({ op: 'delete' as const, path })) },
  { weight: 1, arbitrary: somePath.map((path) => ({ op: 'delete-folder' as const, path })) },
);

describe('changing a folder', () => {
  it('refuses to delete a folder that an earlier change of the commit emptied', async () => {
    const changes: PathChange[] = [put('a/b', '1'), { op: 'delete', path: 'a/b' }, { op: 'delete-folder', path: 'a' }];
    await expect(new Trees().change(undefined, changes)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('gives what the same changes give on plain paths, over any commits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(someChange, { maxLength: 8 }), { maxLength: 6 }), async (commits) => {
        const trees = new Trees();
        let [model, rootId]: [Model, string | undefined] = [new Map(), undefined];
        for (const changes of commits) {
          const next: Model = new Map(model);
          // Of a deletion that finds nothing, the whole commit fails.
          const failed = changes.some((change) => !applyTo(next, change));
          if (failed) {
            await expect(trees.change(rootId, changes)).rejects.toMatchObject({ code: 'not-found' });
            continue;
          }
          [model, rootId] = [next, await trees.change(rootId, changes)];
          expect(await trees.list(rootId)).toEqual(model);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same id whatever the order and the history: equal files, equal tree', async () => {
    const paths = ['x', 'a/b/c', 'a/d', 'a.txt', 'z/z/z'];
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(paths, { minLength: paths.length }), fc.boolean(), async (order, detour) => {
        const trees = new Trees();
        let id = await trees.change(undefined, detour ? [put('gone/deep/x', '0')] : []);
        for (const path of order) id = await trees.change(id, [put(path, path)]);
        if (detour) id = await trees.change(id, [{ op: 'delete', path: 'gone/deep/x' }]);
        const other = new Trees();
        expect(id).toBe(
          await other.change(
            undefined,
            paths.map((path) => put(path, path)),
          ),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('reads only the folders on the paths of the changes, and returns only trees that are new', async () => {
    const trees = new Trees();
    const rootId = await trees.change(
      undefined,
      ['a/b/1', 'a/c/2', 'd/e/3'].map((path) => put(path, path)),
    );
    trees.reads = 0;
    const { trees: fresh } = await changeFolder(trees.load, rootId, [put('a/b/1', 'new')]);
    expect([trees.reads, fresh.length]).toEqual([3, 3]);
    const unchanged = await changeFolder(trees.load, rootId, [put('a/b/1', 'a/b/1')]);
    expect(unchanged).toEqual({ rootId, trees: [] });
    expect(await changeFolder(trees.load, rootId, [])).toEqual({ rootId, trees: [] });
  });

  it.each<[string, PathChange]>([
    ['a file that is absent', { op: 'delete', path: 'nowhere' }],
    ['a file in a folder that is absent', { op: 'delete', path: 'no/where' }],
    ['a file below a file', { op: 'delete', path: 'file/x' }],
    ['a folder by the verb for files', { op: 'delete', path: 'folder' }],
    ['a file by the verb for folders', { op: 'delete-folder', path: 'file' }],
    ['the root', { op: 'delete-folder', path: '' }],
  ])('does not delete %s', async (_, change) => {
    const trees = new Trees();
    const rootId = await trees.change(undefined, [put('file', '1'), put('folder/x', '2')]);
    await expect(changeFolder(trees.load, rootId, [change])).rejects.toBeInstanceOf(FirnError);
  });

  it('refuses more entries in one folder than a row holds', async () => {
    const many = Array.from({ length: folderEntriesMax }, (_, i) => put(`f${i}`, 'x'));
    const trees = new Trees();
    await trees.change(undefined, many);
    await expect(trees.change(undefined, [...many, put('one-more', 'x')])).rejects.toMatchObject({
      code: 'payload-too-large',
    });
    const folders = Array.from({ length: folderEntriesMax + 1 }, (_, i) => put(`f${i}/x`, 'x'));
    await expect(trees.change(undefined, folders)).rejects.toMatchObject({ code: 'payload-too-large' });
  });
});
