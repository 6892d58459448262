import { expect, test } from 'vitest';
import {
  freshName,
  freshPackageId,
  makeCheckpoint,
  makeEvalSet,
  makeReady,
  makeRepository,
  makeRun,
} from '../../catalog-fixtures.test-support.ts';
import type { Catalog } from '../../contract/catalog.ts';
import type { Checkpoint } from '../../contract/checkpoint-records.ts';
import type { Run } from '../../contract/run-records.ts';
import type { ScrubRound } from '../../contract/storage/integrity-records.ts';

/** The list of objects, and the effects of a damaged one. */
export function integritySuite(open: () => Catalog): void {
  /** A ready checkpoint with files of each storage; `originId` is the file that its reference refers to. */
  async function withFiles(
    run: Run,
    step: number,
    files: Readonly<Record<string, 'package' | 'raw' | { readonly originId: string }>>,
  ) {
    const { id } = await makeCheckpoint(open(), run, step);
    const prefix = `raw-${freshName()}`;
    for (const path of Object.keys(files))
      await open().files.receive(id, {
        path,
        sizeBytes: 8,
        sha256: 'd',
        rawKey: `${prefix}/${path}`,
        rawStoredBytes: 9,
      });
    const results = Object.entries(files).map(([path, storage]) => ({
      path,
      resultSha256: 'd',
      resultBytes: 8,
      ...(typeof storage === 'string' ? { storage } : { storage: 'reference' as const, ...storage }),
    }));
    await open().files.setResults(id, results);
    await open().checkpoints.transition(id, ['open'], 'queued');
    await open().checkpoints.transition(id, ['queued'], 'working');
    const key = `packages/${freshName()}`;
    const record = await open().packages.create({
      ...{
        id: freshPackageId(),
        checkpointId: id,
        key,
        sizeBytes: 10,
        storedBytes: 11,
        indexOffsetBytes: 4,
        indexLengthBytes: 5,
      },
      kind: 'base',
      chainLength: 1,
    });
    const checkpoint = await open().checkpoints.transition(id, ['working'], 'ready', { packageId: record.id });
    return {
      checkpoint,
      package: record,
      prefix,
      idOf: async (path: string) => (await open().files.find(id, path))!.id,
    };
  }

  const affected = async (key: string) =>
    (await open().damage.affected(key)).checkpoints.map(({ run, step }) => `${run}@${step}`);
  const named = (run: Run, ...checkpoints: readonly Checkpoint[]) =>
    checkpoints.map(({ step }) => `${run.name}@${step}`);

  test('every named object is paged by key, once, of all repositories or of one', async () => {
    const run = await makeRun(open());
    const other = await makeRun(open());
    const stored = await withFiles(run, 0, { r: 'raw' });
    const delta = await makeReady(open(), run, 1, stored.package);
    const delta2 = await makeReady(open(), run, 2, delta.package);
    const evalSet = await makeEvalSet(open(), (await open().repositories.get(run.repositoryId))!);
    await open().evalSets.setPart(evalSet.id, 'graph', {
      key: `evalsets/${evalSet.id}/g`,
      sha256: 'a',
      sizeBytes: 1,
      storedBytes: 1,
    });
    const elsewhere = await makeReady(open(), other, 0);
    const merged = `packages/${freshName()}`;
    await open().packages.merge({
      ...{ mergedPackageId: freshPackageId(), key: merged, sizeBytes: 20, indexOffsetBytes: 5, indexLengthBytes: 6 },
      parts: [delta, delta2].map(({ package: { id, key } }) => ({ id, key, storedBytes: 7 })),
    });
    const keysOf = async (repositoryId?: string): Promise<string[]> => {
      const all: string[] = [];
      for (let after = ''; ;) {
        const page = await open().objects.keys({ limit: 2, after }, repositoryId);
        if (page.length === 0) return all;
        all.push(...page);
        after = page.at(-1)!;
      }
    };
    const own = [stored.package.key, `${stored.prefix}/r`, `evalsets/${evalSet.id}/g`, merged].sort();
    expect(await keysOf(run.repositoryId)).toEqual(own);
    const all = await keysOf();
    expect(all).toEqual([...new Set(all)].sort());
    expect(all).toEqual(expect.arrayContaining([...own, elsewhere.package.key]));
    expect((await open().objects.named([...own, delta.package.key, 'nothing'])).sort()).toEqual(own);
    expect(await open().objects.named([])).toEqual([]);
  });

  test('a damaged object is noted once, with the moment of the first finding, until it is cleared', async () => {
    const { damage } = open();
    const key = freshName();
    const before = await damage.count();
    expect(await damage.note({ key, what: 'missing', detail: 'no such file' })).toBe(true);
    const [first] = (await damage.list({ limit: 1000 })).filter((each) => each.key === key);
    expect(first).toEqual({ key, what: 'missing', detail: 'no such file', foundAt: expect.any(Date) });
    expect(await damage.note({ key, what: 'corrupt', detail: 'chunk 3' })).toBe(false);
    expect((await damage.list({ limit: 1000 })).find((each) => each.key === key)).toEqual({
      ...first,
      what: 'corrupt',
      detail: 'chunk 3',
    });
    expect(await damage.among([key, 'whole'])).toEqual([key]);
    expect(await damage.among([])).toEqual([]);
    expect(await damage.count()).toBe(before + 1);
    expect([await damage.clear(key), await damage.clear(key)]).toEqual([true, false]);
    expect(await damage.count()).toBe(before);
  });

  test('a package spoils its checkpoint, every delta down the chain, and references to its files', async () => {
    const run = await makeRun(open());
    const base = await withFiles(run, 0, { m: 'package', r: 'raw' });
    const fork = await makeRun(open(), {
      repositoryId: run.repositoryId,
      name: `z-${run.name}`,
      parentCheckpointId: base.checkpoint.id,
    });
    const first = await makeReady(open(), run, 1, base.package);
    const second = await makeReady(open(), fork, 2, first.package);
    const referring = await withFiles(fork, 3, { copy: { originId: await base.idOf('m') }, own: 'raw' });
    const whole = await withFiles(run, 4, { copy: { originId: await base.idOf('r') } });
    expect((await affected(base.package.key)).sort()).toEqual(
      [
        ...named(run, base.checkpoint, first.checkpoint),
        ...named(fork, second.checkpoint, referring.checkpoint),
      ].sort(),
    );
    expect(await affected(first.package.key)).toEqual(
      expect.arrayContaining([...named(run, first.checkpoint), ...named(fork, second.checkpoint)]),
    );
    expect(await affected(first.package.key)).toHaveLength(2);
    await open().checkpoints.hide(first.checkpoint.id);
    expect(await affected(first.package.key)).toEqual(named(fork, second.checkpoint));

    await open().damage.note({ key: base.package.key, what: 'corrupt', detail: '' });
    expect(await open().damage.pathsOf(base.checkpoint.id)).toEqual(['m']);
    expect(await open().damage.pathsOf(referring.checkpoint.id)).toEqual(['copy']);
    expect(await open().damage.pathsOf(whole.checkpoint.id)).toEqual([]);
    await open().damage.clear(base.package.key);
    expect(await open().damage.pathsOf(base.checkpoint.id)).toEqual([]);
  });

  test('a damaged raw object affects references only if it serves as storage', async () => {
    const run = await makeRun(open());
    const base = await withFiles(run, 0, { m: 'package', r: 'raw' });
    const toRaw = await withFiles(run, 1, { copy: { originId: await base.idOf('r') } });
    await withFiles(run, 2, { copy: { originId: await base.idOf('m') } });
    expect(await affected(`${base.prefix}/r`)).toEqual(named(run, base.checkpoint, toRaw.checkpoint));
    expect(await affected(`${base.prefix}/m`)).toEqual(named(run, base.checkpoint));
  });

  test('an eval set names its parts', async () => {
    const repository = await makeRepository(open());
    const evalSet = await makeEvalSet(open(), repository);
    const key = `evalsets/${evalSet.id}/b`;
    await open().evalSets.setPart(evalSet.id, 'batches', { key, sha256: 'a', sizeBytes: 1, storedBytes: 1 });
    expect(await open().damage.affected(key)).toEqual({
      checkpoints: [],
      evalSets: [`${repository.namespace}/${repository.name}/${evalSet.name}`],
      repositories: [],
    });
  });

  test('a repository names the files and chunks of its commits', async () => {
    const { id: repositoryId, namespace, name } = await makeRepository(open());
    const [rawKey, key] = [`blobs/${repositoryId}/b`, `xorbs/${repositoryId}/x`];
    const hash = 'a'.repeat(64);
    await open().hub.blobs.add({ repositoryId, sha256: hash, sizeBytes: 1, rawKey, rawStoredBytes: 1 });
    await open().hub.xorbs.add({ repositoryId, hash, key, sizeBytes: 1, storedBytes: 1, chunks: [] });
    for (const each of [rawKey, key])
      expect((await open().damage.affected(each)).repositories).toEqual([`${namespace}/${name}`]);
  });

  test('a round is remembered, and there is one', async () => {
    const { objects } = open();
    const begun: ScrubRound = { begunAt: new Date('2026-01-02T03:04:05Z'), afterKey: '', objects: 0, bytes: 0 };
    await objects.setScrubRound({ ...begun, endedAt: new Date() });
    const under: ScrubRound = { ...begun, afterKey: 'k', objects: 3, bytes: 2 ** 40 };
    await objects.setScrubRound(under);
    expect(await objects.scrubRound()).toEqual(under);
  });

  test('a chore that is kept is not begun by another', async () => {
    const name = freshName();
    expect(await open().chores.begin(name, 0)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await open().chores.keep(name);
    expect(await open().chores.begin(name, 1000)).toBe(false);
    await open().chores.keep('nobody began it');
  });
}
