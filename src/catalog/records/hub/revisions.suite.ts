import { expect, test } from 'vitest';
import {
  expectCode,
  freshName,
  makeCheckpoint,
  makeEvalSet,
  makeRepository,
  makeRun,
} from '../../catalog-fixtures.test-support.ts';
import type { Catalog } from '../../contract/catalog.ts';
import type { HubCommit, Tree, TreeEntry } from '../../contract/hub/revision-records.ts';
import { sha256Of } from './sha256-of.test-support.ts';

/** Commits, trees and refs, and the names and the end of repositories. */
export function hubRevisionsSuite(open: () => Catalog): void {
  const revisions = () => open().hub.revisions;
  const gitId = (text: string): string => sha256Of(text).slice(0, 40);
  const file = (name: string, content: string): TreeEntry => ({
    kind: 'file',
    name,
    oid: gitId(content),
    sizeBytes: content.length,
    sha256: sha256Of(content),
    isLarge: false,
  });
  const tree = (...entries: TreeEntry[]): Tree => ({ id: gitId(JSON.stringify(entries)), entries });
  const commitOf = (repositoryId: string, { id: treeId }: Tree, parentId?: string): HubCommit => ({
    repositoryId,
    id: gitId(freshName()),
    treeId,
    ...(parentId !== undefined && { parentId }),
    title: 'a title',
    message: 'with\nlines and ü',
    author: 'me',
    createdAt: new Date('2026-01-02T03:04:05Z'),
    requestSha256: sha256Of('request'),
  });
  /** A line of commits, each with a file of its own in a folder and one file that all have. */
  const makeLine = async (repositoryId: string, count: number, parentId?: string) => {
    const commits: HubCommit[] = [];
    for (let i = 0; i < count; i++) {
      const inside = tree(file('x', freshName()));
      const root = tree({ kind: 'folder', name: 'f', oid: inside.id }, file('same', 'same'));
      await revisions().putTrees(repositoryId, [inside, root]);
      const commit = commitOf(repositoryId, root, commits.at(-1)?.id ?? parentId);
      await revisions().putCommit(commit);
      commits.push(commit);
    }
    return commits;
  };
  const branch = (name: string, { id: commitId }: HubCommit) => ({ kind: 'branch', name, commitId }) as const;

  test('the next step is above all that the run had, deleted or not, and above its tags', async () => {
    const run = await makeRun(open());
    const next = (): Promise<number> => open().checkpoints.nextStep(run.id);
    const [commit] = await makeLine(run.repositoryId, 1);
    const tag = (name: string): Promise<void> =>
      revisions().setRef(run.repositoryId, { kind: 'tag', name, commitId: commit!.id });
    expect(await next()).toBe(0);
    const { id } = await makeCheckpoint(open(), run, 7);
    expect(await next()).toBe(8);
    await open().checkpoints.hide(id);
    expect(await next()).toBe(8);
    for (const name of ['other/step-90', 'step-90', `${run.name}/step-x`, `${run.name}/step-9${'0'.repeat(15)}`])
      await tag(name);
    expect(await next()).toBe(8);
    await tag(`${run.name}/step-12`);
    expect(await next()).toBe(13);
    await makeCheckpoint(open(), run, 2);
    expect(await next()).toBe(13);
    expect(await open().checkpoints.nextStep((await makeRun(open())).id)).toBe(0);
  });

  test('trees and commits come back as they were, from their own repository only', async () => {
    const [a, b] = [await makeRepository(open()), await makeRepository(open())];
    const root = tree(file('漢字 "x"', 'content'), { kind: 'folder', name: '__proto__', oid: gitId('f') });
    await revisions().putTrees(a.id, [root]);
    await revisions().putTrees(a.id, [root]);
    await revisions().putTrees(a.id, []);
    expect(await revisions().trees(a.id, [root.id, gitId('none')])).toEqual([root]);
    expect(await revisions().trees(a.id, [])).toEqual([]);
    expect(await revisions().trees(b.id, [root.id])).toEqual([]);
    const commit = commitOf(a.id, root);
    await revisions().putCommit(commit);
    await revisions().putCommit({ ...commit, title: 'another title' });
    expect(await revisions().commit(a.id, commit.id)).toEqual(commit);
    expect(await revisions().commit(b.id, commit.id)).toBeUndefined();
    expect(await revisions().history(b.id, commit.id, 10)).toEqual([]);
    await expect(revisions().putCommit(commitOf(b.id, root))).rejects.toThrow();
    await expect(revisions().setRef(b.id, branch('main', commit))).rejects.toThrow();
  });

  test('a history goes from the newest to the oldest, up to a limit', async () => {
    const { id } = await makeRepository(open());
    const line = await makeLine(id, 5);
    const ids = async (limit: number) => (await revisions().history(id, line[4]!.id, limit)).map((each) => each.id);
    const newestFirst = line.map((each) => each.id).reverse();
    expect(await ids(100)).toEqual(newestFirst);
    expect(await ids(2)).toEqual(newestFirst.slice(0, 2));
    expect((await revisions().history(id, line[1]!.id, 100)).length).toBe(2);
  });

  test('refs are made, moved, listed by kind and name byte by byte, and deleted', async () => {
    const { id } = await makeRepository(open());
    const [first, second] = await makeLine(id, 2);
    for (const name of ['b', 'B', 'a/b', 'a']) await revisions().setRef(id, branch(name, first!));
    await revisions().setRef(id, { kind: 'tag', name: 'a', commitId: first!.id });
    await revisions().setRef(id, branch('a', second!));
    expect((await revisions().refs(id)).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'branch B',
      'branch a',
      'branch a/b',
      'branch b',
      'tag a',
    ]);
    expect(await revisions().ref(id, 'branch', 'a')).toEqual(branch('a', second!));
    expect(await revisions().ref(id, 'tag', 'a')).toMatchObject({ commitId: first!.id });
    expect(await revisions().ref(id, 'tag', 'b')).toBeUndefined();
    expect(await revisions().deleteRef(id, 'branch', 'a')).toBe(true);
    expect(await revisions().deleteRef(id, 'branch', 'a')).toBe(false);
    expect(await revisions().ref(id, 'tag', 'a')).toBeDefined();
  });

  test('what no ref leads to goes, and the digests of what stays are told', async () => {
    const { id } = await makeRepository(open());
    const other = await makeRepository(open());
    const [untouched] = await makeLine(other.id, 1);
    const kept = await makeLine(id, 3);
    const side = await makeLine(id, 2, kept[0]!.id);
    const [lone] = await makeLine(id, 1);
    await revisions().setRef(id, branch('main', kept[2]!));
    await revisions().setRef(id, { kind: 'tag', name: 't', commitId: side[1]!.id });
    const contents = async (commits: readonly HubCommit[]) => {
      const digests = new Set<string>();
      for (const { treeId } of commits)
        for (const entry of (await revisions().trees(id, [treeId]))[0]!.entries)
          if (entry.kind === 'file') digests.add(entry.sha256);
          else
            for (const inside of (await revisions().trees(id, [entry.oid]))[0]!.entries)
              if (inside.kind === 'file') digests.add(inside.sha256);
      return [...digests].sort();
    };
    const expected = await contents([...kept, ...side]);
    expect((await revisions().dropUnreachable(id)).sort()).toEqual(expected);
    expect(await revisions().commit(id, lone!.id)).toBeUndefined();
    expect(await revisions().trees(id, [lone!.treeId])).toEqual([]);
    expect(await contents([...kept, ...side])).toEqual(expected);
    expect((await revisions().history(id, side[1]!.id, 10)).length).toBe(3);

    await revisions().deleteRef(id, 'tag', 't');
    expect((await revisions().dropUnreachable(id)).sort()).toEqual(await contents(kept));
    expect(await revisions().commit(id, side[1]!.id)).toBeUndefined();
    await revisions().deleteRef(id, 'branch', 'main');
    expect(await revisions().dropUnreachable(id)).toEqual([]);
    expect(await revisions().commit(id, kept[2]!.id)).toBeUndefined();
    expect(await revisions().commit(other.id, untouched!.id)).toBeDefined();
    expect(await revisions().dropUnreachable(id)).toEqual([]);
  });

  test('changes of refs wait for each other', async () => {
    const { id } = await makeRepository(open());
    const [start] = await makeLine(id, 1);
    await revisions().setRef(id, branch('main', start!));
    const writers = Array.from({ length: 6 }, () =>
      open().transaction(async (tx) => {
        await tx.hub.revisions.lock(id);
        const { commitId } = (await tx.hub.revisions.ref(id, 'branch', 'main'))!;
        const [{ treeId }] = (await tx.hub.revisions.history(id, commitId, 1)) as [HubCommit];
        const next = { ...commitOf(id, { id: treeId, entries: [] }), parentId: commitId };
        await tx.hub.revisions.putCommit(next);
        await tx.hub.revisions.setRef(id, branch('main', next));
      }),
    );
    await Promise.all(writers);
    const { commitId } = (await revisions().ref(id, 'branch', 'main'))!;
    expect((await revisions().history(id, commitId, 100)).length).toBe(7);
  });

  test('the secret of upload addresses is long, and always the same', async () => {
    const secret = await revisions().secret();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await revisions().secret()).toBe(secret);
  });

  test('a repository moves with all it has, to a name that is free', async () => {
    const { repositories } = open();
    const [namespace, elsewhere] = [freshName(), freshName()];
    const created = await repositories.create({ namespace, name: 'a', type: 'model' });
    const taken = await repositories.create({ namespace, name: 'b', type: 'dataset' });
    const [commit] = await makeLine(created.id, 1);
    await expectCode(repositories.move(created.id, { namespace, name: 'b' }), 'conflict');
    expect(await repositories.move(created.id, { namespace, name: 'a' })).toEqual(created);
    const moved = await repositories.move(created.id, { namespace: elsewhere, name: 'b' });
    expect(moved).toEqual({ ...created, namespace: elsewhere, name: 'b' });
    expect(await repositories.find(namespace, 'a')).toBeUndefined();
    expect(await repositories.find(elsewhere, 'b')).toEqual(moved);
    expect(await repositories.find(namespace, 'b')).toEqual(taken);
    expect(await revisions().commit(created.id, commit!.id)).toBeDefined();
    await repositories.create({ namespace, name: 'a', type: 'model' });
    await expectCode(repositories.move('none', { namespace, name: 'c' }), 'not-found');
  });

  test('a repository moves only where the quota has room for what it stores, also when others move there', async () => {
    const { repositories, usage, bodyReservations, hub } = open();
    const [namespace, elsewhere] = [freshName(), freshName()];
    const made = async (name: string, storedBytes: number) => {
      const { id } = await repositories.create({ namespace, name, type: 'model' });
      const rawKey = `blobs/${id}/${freshName()}`;
      await hub.blobs.add({
        repositoryId: id,
        sha256: sha256Of(name),
        sizeBytes: 9,
        rawKey,
        rawStoredBytes: storedBytes,
      });
      return id;
    };
    const ids = [await made('a', 600), await made('b', 600), await made('c', 400)] as const;
    await usage.setQuota(elsewhere, { storedBytesMax: 1000 });
    const arriving = { id: freshName(), repositoryId: ids[2], sizeBytes: 1, ttlMs: 60_000 };
    await bodyReservations.take(arriving, { runBytesMax: Infinity, bytesMax: Infinity });
    const outcomes = await Promise.allSettled(
      ids.slice(0, 2).map((id) => repositories.move(id, { namespace: elsewhere, name: id.slice(0, 8) })),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'quota-exceeded' });
    await expectCode(repositories.move(ids[2], { namespace: elsewhere, name: 'c' }), 'quota-exceeded');
    expect(await repositories.get(ids[2])).toMatchObject({ namespace, name: 'c' });
    await bodyReservations.release(arriving.id);
    await repositories.move(ids[2], { namespace: elsewhere, name: 'c' });
    // Renaming inside a full namespace takes no room.
    await usage.setQuota(elsewhere, { storedBytesMax: 1 });
    await repositories.move(ids[2], { namespace: elsewhere, name: 'd' });
    await repositories.move(ids[2], { namespace, name: 'd' });
  });

  test('of two moves to one name one succeeds', async () => {
    const { repositories } = open();
    const namespace = freshName();
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.push((await repositories.create({ namespace, name, type: 'model' })).id);
    const outcomes = await Promise.allSettled(ids.map((id) => repositories.move(id, { namespace, name: 'same' })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' });
  });

  test('a deleted repository is gone with its files, and its name is free', async () => {
    const { repositories, hub, objects, garbage } = open();
    const namespace = freshName();
    const { id } = await repositories.create({ namespace, name: 'a', type: 'model', visibility: 'public' });
    const [commit] = await makeLine(id, 2);
    await revisions().setRef(id, branch('main', commit!));
    const [rawKey, key] = [`blobs/${id}/1`, `xorbs/${id}/1`];
    const sha256 = sha256Of('x');
    await hub.blobs.add({ repositoryId: id, sha256, sizeBytes: 1, rawKey, rawStoredBytes: 41 });
    await hub.blobs.commit(id, [sha256]);
    await hub.xorbs.add({ repositoryId: id, hash: sha256, key, sizeBytes: 1, storedBytes: 42, chunks: [] });
    const run = await makeRun(open(), { repositoryId: id });
    const evalSet = await makeEvalSet(open(), (await repositories.get(id))!);
    await expectCode(repositories.delete(id), 'conflict');
    await open().runs.hide(run.id);
    await expectCode(repositories.delete(id), 'conflict');
    expect(await objects.named([rawKey, key])).toHaveLength(2);
    expect(await repositories.find(namespace, 'a')).toBeDefined();
    await open().evalSets.delete(evalSet.id);
    await repositories.delete(id);

    for (const found of [await repositories.get(id), await repositories.find(namespace, 'a')])
      expect(found).toBeUndefined();
    expect((await repositories.list({ limit: 10, after: `${namespace}/` })).filter((each) => each.id === id)).toEqual(
      [],
    );
    expect(await objects.named([rawKey, key])).toEqual([]);
    const waiting = await garbage.pendingDeletions(new Date(Date.now() + 60_000), { limit: 1000 });
    expect(waiting.filter((each) => each.repositoryId === id)).toMatchObject([
      { key: rawKey, storedBytes: 41, reason: 'deleted' },
      { key, storedBytes: 42, reason: 'deleted' },
    ]);
    await expectCode(repositories.delete(id), 'not-found');
    await expectCode(repositories.setVisibility(id, 'public'), 'not-found');
    await expectCode(repositories.move(id, { namespace, name: 'b' }), 'not-found');
    // Whoever found the repository before, and commits now, is told so.
    await expectCode(revisions().lock(id), 'not-found');
    const again = await repositories.create({ namespace, name: 'a', type: 'model' });
    expect(again.id).not.toBe(id);
    expect(await revisions().refs(again.id)).toEqual([]);
  });
}
