import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { HubCommit, TreeEntry } from '../../catalog/contract/hub/revision-records.ts';
import { changeFolder, type PathChange } from './folder.ts';
import { blobOid } from './git-object.ts';
import { lastCommits } from './last-commits.ts';
import { walk } from './snapshot.ts';

const repositoryId = 'r';
const noLimits = { commits: Infinity, entries: Infinity };

/** A repository in memory: a commit for each list of changes. */
class History {
  readonly commits: HubCommit[] = [];
  readonly trees = new Map<string, readonly TreeEntry[]>();
  readonly load = async (id: string): Promise<readonly TreeEntry[]> => this.trees.get(id) ?? [];

  readonly catalog = {
    hub: {
      revisions: {
        trees: async (_: string, ids: readonly string[]) =>
          ids.map((id) => ({ id, entries: this.trees.get(id) ?? [] })),
        history: async (_: string, id: string, limit: number) => {
          const at = this.commits.findIndex((commit) => commit.id === id);
          return this.commits.slice(Math.max(0, at + 1 - limit), at + 1).reverse();
        },
      },
    },
  } as unknown as Pick<Catalog, 'hub'>;

  async commit(changes: readonly PathChange[]): Promise<void> {
    const head = this.commits.at(-1);
    const { rootId, trees } = await changeFolder(this.load, head?.treeId, changes);
    for (const { id, entries } of trees) this.trees.set(id, entries);
    const number = this.commits.length;
    const text = { repositoryId, treeId: rootId, title: `commit ${number}`, message: '', author: 'me' };
    this.commits.push({ ...text, id: String(number), createdAt: new Date(0), ...(head && { parentId: head.id }) });
  }

  /** All paths of a commit with git's ids, folders among them. */
  async idsAt(number: number): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const treeId = this.commits[number]?.treeId;
    if (treeId === undefined) return found;
    for await (const { path, oid } of walk(this, await this.load(treeId))) found.set(path, oid);
    return found;
  }

  lastOf(paths: readonly string[], limits = noLimits): Promise<ReadonlyMap<string, Pick<HubCommit, 'id'>>> {
    return lastCommits(this.catalog, repositoryId, { commit: this.commits.at(-1)! }, { paths, limits });
  }
}

const put = (path: string, content: string): PathChange => ({
  op: 'put',
  path,
  file: { oid: blobOid(Buffer.from(content)), sizeBytes: content.length, sha256: content, isLarge: false },
});

describe('the last commit of a path', () => {
  it('is the newest one that changed it, of files and folders, whatever happened in between', async () => {
    const change = fc.tuple(fc.constantFrom('a', 'b', 'd/a', 'd/b', 'd/e/a', 'b/x'), fc.constantFrom('1', '2', '3'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 1 }),
        async (commits) => {
          const history = new History();
          for (const changes of commits) await history.commit(changes.map(([path, content]) => put(path, content)));
          const states = await Promise.all(history.commits.map((_, number) => history.idsAt(number)));
          const last = await history.lastOf([...states.at(-1)!.keys()]);
          for (const [path, oid] of states.at(-1)!) {
            const newest = states.findLastIndex((_, i) => states[i - 1]?.get(path) !== oid);
            expect([path, last.get(path)?.id]).toEqual([path, String(newest)]);
          }
        },
      ),
    );
  });

  it('is found behind more commits than one query reads, and left out beyond the limits', async () => {
    const history = new History();
    await history.commit([put('old', '1'), put('d/old', '1')]);
    for (let i = 0; i < 250; i++) await history.commit([put('d/new', String(i))]);
    const paths = ['old', 'd', 'd/old', 'd/new'];
    const ids = async (limits: typeof noLimits): Promise<(string | undefined)[]> => {
      const last = await history.lastOf(paths, limits);
      return paths.map((path) => last.get(path)?.id);
    };
    expect(await ids(noLimits)).toEqual(['0', '250', '0', '250']);
    expect(await ids({ ...noLimits, commits: 250 })).toEqual([undefined, '250', undefined, '250']);
    expect(await ids({ ...noLimits, commits: 251 })).toEqual(['0', '250', '0', '250']);
    expect(await ids({ ...noLimits, entries: 20 })).toEqual([undefined, '250', undefined, '250']);
  });
});
