import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import { makeCheckpoint, makeReady, makeRepository, makeRun } from '../../catalog-fixtures.test-support.ts';

/** From names to records in one statement. */
export function locationsSuite(open: () => Catalog): void {
  const tree = async () => {
    const catalog = open();
    const repository = await makeRepository(catalog);
    const run = await makeRun(catalog, {
      repositoryId: repository.id,
      layerTypes: { w: 'linear' },
      thresholds: { loss: 0.01 },
    });
    const checkpoint = await makeCheckpoint(catalog, run, 7);
    const [file] = await catalog.files.announce(checkpoint.id, [
      { path: 'a/b.safetensors', role: 'model', sizeBytes: 3 },
    ]);
    const names = {
      namespace: repository.namespace,
      name: repository.name,
      run: run.name,
      step: 7,
      path: 'a/b.safetensors',
    };
    return { catalog, repository, run, checkpoint, file, names };
  };

  test('names lead to the same records as each `find`', async () => {
    const { catalog, repository, run, checkpoint, file, names } = await tree();
    // Other names beside it.
    await makeCheckpoint(catalog, run, 8);
    await catalog.files.announce(checkpoint.id, [{ path: 'a/c', role: 'other' }]);
    expect(await catalog.locations.find(names)).toEqual({ repository, run, checkpoint, file });
    expect(await catalog.runs.find(repository.id, run.name)).toEqual(run);
    expect(await catalog.checkpoints.find(run.id, 7)).toEqual(checkpoint);
    expect(await catalog.files.find(checkpoint.id, 'a/b.safetensors')).toEqual(file);
  });

  test('they lead as far as they name something', async () => {
    const { catalog, repository, run, checkpoint, names } = await tree();
    const { path: _path, ...toCheckpoint } = names;
    const { step: _step, ...toRun } = toCheckpoint;
    expect(await catalog.locations.find(toCheckpoint)).toEqual({ repository, run, checkpoint });
    expect(await catalog.locations.find(toRun)).toEqual({ repository, run });
    expect(await catalog.locations.find({ ...names, path: 'a' })).toEqual({ repository, run, checkpoint });
    expect(await catalog.locations.find({ ...names, step: 9 })).toEqual({ repository, run });
    expect(await catalog.locations.find({ ...names, run: 'another' })).toEqual({ repository });
    expect(await catalog.locations.find({ ...names, name: 'another' })).toEqual({});
    expect(await catalog.locations.find({ ...names, namespace: 'another' })).toEqual({});
  });

  test('`latest` is the newest ready checkpoint, in the order of the run, with its own file', async () => {
    const { catalog, repository, run, names } = await tree();
    const latest = { ...names, step: 'latest' as const };
    expect(await catalog.locations.find(latest)).toEqual({ repository, run });
    const { checkpoint: first } = await makeReady(catalog, run, 20);
    const { checkpoint: second } = await makeReady(catalog, run, 10);
    await makeCheckpoint(catalog, run, 30);
    expect((await catalog.locations.find(latest)).checkpoint).toEqual(second);
    await catalog.checkpoints.hide(second.id);
    expect((await catalog.locations.find(latest)).checkpoint).toEqual(first);
    const [own] = await catalog.files.list(first.id);
    expect((await catalog.locations.find({ ...latest, path: own?.path ?? 'none' })).file).toEqual(own);
    await catalog.checkpoints.hide(first.id);
    expect(await catalog.locations.find(latest)).toEqual({ repository, run });
  });

  test('a run of the same name in another repository is another run', async () => {
    const { catalog, names } = await tree();
    const other = await makeRepository(catalog);
    const run = await makeRun(catalog, { repositoryId: other.id, name: names.run });
    expect(await catalog.locations.find({ ...names, namespace: other.namespace, name: other.name })).toEqual({
      repository: other,
      run,
    });
  });

  test('deleted records are not found, and their replacements are', async () => {
    const { catalog, repository, run, names } = await tree();
    const { checkpoint } = await makeReady(catalog, run, 9);
    expect(await catalog.locations.find({ ...names, step: 9 })).toEqual({ repository, run, checkpoint });
    await catalog.checkpoints.hide(checkpoint.id);
    expect(await catalog.locations.find({ ...names, step: 9 })).toEqual({ repository, run });
    const again = await makeCheckpoint(catalog, run, 9);
    expect(await catalog.locations.find({ ...names, step: 9 })).toEqual({ repository, run, checkpoint: again });
    const empty = await makeRun(catalog, { repositoryId: repository.id });
    await catalog.runs.hide(empty.id);
    expect(await catalog.locations.find({ ...names, run: empty.name })).toEqual({ repository });
  });

  describe('a branch', () => {
    const commitOf = (repositoryId: string, digit: string) => ({
      repositoryId,
      id: digit.repeat(40),
      treeId: 'f'.repeat(40),
      title: 't',
      message: '',
      author: 'a',
      createdAt: new Date(1_700_000_000_000),
    });

    test('has its commit, its run and the newest ready checkpoint of that', async () => {
      const { catalog, repository, run } = await tree();
      const names = { repositoryId: repository.id, branch: 'b', run: run.name, orOldest: false };
      expect(await catalog.locations.branch(names)).toEqual({ run, isOfCommit: false });
      await makeReady(catalog, run, 20);
      const { checkpoint: newest } = await makeReady(catalog, run, 10);
      expect(await catalog.locations.branch(names)).toEqual({ run, newest, isOfCommit: false });
      const commit = commitOf(repository.id, '1');
      await catalog.hub.revisions.putTrees(repository.id, [{ id: commit.treeId, entries: [] }]);
      await catalog.hub.revisions.putCommit(commit);
      await catalog.hub.revisions.putCommit(commitOf(repository.id, '2'));
      await catalog.hub.revisions.setRef(repository.id, { kind: 'tag', name: 'b', commitId: '2'.repeat(40) });
      expect(await catalog.locations.branch(names)).toEqual({ run, newest, isOfCommit: false });
      await catalog.hub.revisions.setRef(repository.id, { kind: 'branch', name: 'b', commitId: commit.id });
      const record = { checkpointId: newest.id, repositoryId: repository.id, commitId: commit.id, branch: 'b' };
      await catalog.hub.checkpoints.add({ ...record, folder: '' });
      expect(await catalog.locations.branch(names)).toEqual({ commit, run, newest, isOfCommit: true });
    });

    test('has the oldest run only where that is asked, and where none is named so', async () => {
      const { catalog, repository, run } = await tree();
      const other = await makeRun(catalog, { repositoryId: repository.id });
      const names = { repositoryId: repository.id, branch: 'main', run: 'default' };
      expect(await catalog.locations.branch({ ...names, orOldest: false })).toEqual({ isOfCommit: false });
      expect(await catalog.locations.branch({ ...names, orOldest: true })).toEqual({ run, isOfCommit: false });
      const named = { ...names, run: other.name, orOldest: true };
      expect(await catalog.locations.branch(named)).toEqual({ run: other, isOfCommit: false });
      await catalog.runs.hide(other.id);
      expect(await catalog.locations.branch(named)).toEqual({ run, isOfCommit: false });
    });

    test('of another repository is another branch', async () => {
      const { catalog, run } = await tree();
      const { id: repositoryId } = await makeRepository(catalog);
      const names = { repositoryId, branch: 'b', run: run.name, orOldest: true };
      expect(await catalog.locations.branch(names)).toEqual({ isOfCommit: false });
    });
  });
}
