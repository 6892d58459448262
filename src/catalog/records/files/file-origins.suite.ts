import { expect, test } from 'vitest';
import { expectCode, freshName, makeCheckpoint, makeRun } from '../../catalog-fixtures.test-support.ts';
import type { Catalog } from '../../contract/catalog.ts';
import type { Checkpoint } from '../../contract/checkpoint-records.ts';
import type { FileResultRecord } from '../../contract/file-records.ts';
import type { PackageRecord } from '../../contract/storage/package-records.ts';
import type { Run } from '../../contract/run-records.ts';

interface StoredFile {
  readonly digest: string;
  readonly storage: FileResultRecord['storage'];
  readonly originId?: string;
}

/** A ready checkpoint with one file for each path; each raw object is named after its path. */
async function stored(
  catalog: Catalog,
  run: Run,
  {
    step = 0,
    files,
    ancestor,
  }: {
    readonly step?: number;
    readonly files: Readonly<Record<string, StoredFile>>;
    readonly ancestor?: PackageRecord;
  },
) {
  const { id } = await makeCheckpoint(catalog, run, step);
  const prefix = freshName();
  for (const [path, { digest }] of Object.entries(files))
    await catalog.files.receive(id, {
      path,
      sizeBytes: 8,
      sha256: digest,
      rawKey: `${prefix}/${path}`,
      rawStoredBytes: 9,
    });
  await catalog.files.setResults(
    id,
    Object.entries(files).map(([path, { digest, ...where }]) => ({
      path,
      ...where,
      resultSha256: digest,
      resultBytes: 8,
    })),
  );
  await catalog.files.releaseRaw(
    id,
    Object.keys(files).filter((path) => files[path]!.storage !== 'raw'),
  );
  const ready = await markReady(catalog, id, ancestor);
  return { ...ready, prefix, file: async (path: string) => (await catalog.files.find(id, path))! };
}

async function markReady(
  catalog: Catalog,
  id: string,
  ancestor?: PackageRecord,
): Promise<{ checkpoint: Checkpoint; package: PackageRecord }> {
  await catalog.checkpoints.transition(id, ['open'], 'queued');
  await catalog.checkpoints.transition(id, ['queued'], 'working');
  const record = await catalog.packages.create({
    id: freshName(),
    checkpointId: id,
    key: `packages/${freshName()}`,
    sizeBytes: 10,
    storedBytes: 11,
    indexOffsetBytes: 4,
    indexLengthBytes: 5,
    kind: ancestor === undefined ? 'base' : 'delta',
    chainLength: 1 + (ancestor?.chainLength ?? 0),
    ...(ancestor && { ancestorId: ancestor.id }),
  });
  return {
    package: record,
    checkpoint: await catalog.checkpoints.transition(id, ['working'], 'ready', { packageId: record.id }),
  };
}

export function fileOriginsSuite(open: () => Catalog): void {
  test('identical bytes are found in ready checkpoints of their own repository, never in a reference', async () => {
    const run = await makeRun(open());
    const digest = freshName();
    const packed = await stored(open(), run, { step: 0, files: { a: { digest, storage: 'package' } } });
    const long = await stored(open(), run, {
      step: 1,
      files: { a: { digest, storage: 'package' } },
      ancestor: packed.package,
    });
    const holder = await packed.file('a');
    const referring = await stored(open(), await makeRun(open(), { repositoryId: run.repositoryId }), {
      files: { b: { digest, storage: 'reference', originId: holder.id } },
    });
    expect(await referring.file('b')).toMatchObject({ storage: 'reference', originId: holder.id });
    const holding = async () =>
      (await open().files.holding(run.repositoryId, [digest, freshName()])).map(({ id }) => id);
    expect(await holding()).toEqual([holder.id]);
    expect(await open().files.holding((await makeRun(open())).repositoryId, [digest])).toEqual([]);
    expect(await open().files.holding(run.repositoryId, [])).toEqual([]);
    const raw = await stored(open(), run, { step: 2, files: { r: { digest, storage: 'raw' } } });
    expect(await holding()).toEqual([(await raw.file('r')).id]);
    await open().checkpoints.hide(raw.checkpoint.id);
    await open().checkpoints.hide(packed.checkpoint.id);
    expect(await holding()).toEqual([(await long.file('a')).id]);
    expect(await open().files.get(holder.id)).toMatchObject({ path: 'a', checkpointId: packed.checkpoint.id });
    expect(await open().files.get('none')).toBeUndefined();
  });

  test('a reference to bytes that are gone, to another reference, or into another repository is refused', async () => {
    const run = await makeRun(open());
    const digest = freshName();
    const first = await stored(open(), run, {
      step: 0,
      files: { a: { digest, storage: 'package' }, r: { digest, storage: 'raw' } },
    });
    const holder = await first.file('a');
    const second = await stored(open(), run, {
      step: 1,
      files: { b: { digest, storage: 'reference', originId: holder.id } },
    });
    const other = await makeRun(open());
    const refused = async (target: Run, originId: string | undefined): Promise<void> => {
      const { id } = await makeCheckpoint(open(), target, 9);
      await open().files.receive(id, {
        path: 'c',
        sizeBytes: 8,
        sha256: digest,
        rawKey: freshName(),
        rawStoredBytes: 9,
      });
      const result = {
        path: 'c',
        storage: 'reference',
        resultSha256: digest,
        resultBytes: 8,
        ...(originId !== undefined && { originId }),
      } as const;
      await expectCode(open().files.setResults(id, [result]), 'conflict');
      await open().checkpoints.discard(id);
    };
    await refused(run, undefined);
    await refused(run, 'none');
    await refused(run, (await second.file('b')).id);
    await refused(other, holder.id);
    const raw = await first.file('r');
    await open().checkpoints.hide(first.checkpoint.id);
    await refused(run, raw.id);
  });

  test('a checkpoint may refer to a file of its own, and goes with it', async () => {
    const run = await makeRun(open());
    const { id } = await makeCheckpoint(open(), run);
    for (const path of ['a', 'b'])
      await open().files.receive(id, { path, sizeBytes: 8, sha256: 'd', rawKey: `${id}/${path}`, rawStoredBytes: 9 });
    const origin = (await open().files.find(id, 'b'))!;
    await open().files.setResults(id, [
      { path: 'a', storage: 'reference', originId: origin.id, resultSha256: 'd', resultBytes: 8 },
      { path: 'b', storage: 'raw', resultSha256: 'd', resultBytes: 8 },
    ]);
    expect(await open().files.releaseRaw(id, ['a'])).toEqual([`${id}/a`]);
    await markReady(open(), id);
    expect(await open().checkpoints.hasDependents(id)).toBe(false);
    expect(await open().checkpoints.hide(id)).toEqual([`${id}/b`]);
    expect(await open().checkpoints.reclaimable(1000)).toContain(id);
    await open().checkpoints.purge(id);
    expect(await open().files.list(id)).toEqual([]);
  });

  test('a hidden checkpoint stays until the last reference to it is hidden', async () => {
    const run = await makeRun(open());
    const [digest, other] = [freshName(), freshName()];
    const first = await stored(open(), run, {
      step: 0,
      files: { r: { digest, storage: 'raw' }, s: { digest: other, storage: 'raw' } },
    });
    const origin = await first.file('r');
    const reference = { digest, storage: 'reference', originId: origin.id } as const;
    const second = await stored(open(), run, { step: 1, files: { r: reference } });
    const branch = await makeRun(open(), { repositoryId: run.repositoryId });
    const third = await stored(open(), branch, { files: { r: reference } });
    expect(await open().checkpoints.hasDependents(first.checkpoint.id)).toBe(true);
    // Only objects that no reference needs are released.
    expect(await open().checkpoints.hide(first.checkpoint.id)).toEqual([`${first.prefix}/s`]);
    await expectCode(open().checkpoints.purge(first.checkpoint.id), 'conflict');
    expect(await open().checkpoints.reclaimable(1000)).not.toContain(first.checkpoint.id);
    expect(await open().objects.named([`${first.prefix}/r`])).toHaveLength(1);
    expect(await open().checkpoints.hide(second.checkpoint.id)).toEqual([]);
    expect(await open().objects.named([`${first.prefix}/r`])).toHaveLength(1);
    expect(await open().runs.hide(branch.id)).toEqual([`${first.prefix}/r`]);
    expect(await third.file('r')).not.toHaveProperty('originId');
    expect(await open().objects.named([`${first.prefix}/r`])).toEqual([]);
    expect(await open().checkpoints.reclaimable(1000)).toContain(first.checkpoint.id);
    expect(await open().checkpoints.purge(first.checkpoint.id)).toEqual([first.package.key]);
  });

  test('hiding references first leaves the raw object to its own checkpoint', async () => {
    const run = await makeRun(open());
    const digest = freshName();
    const first = await stored(open(), run, { step: 0, files: { r: { digest, storage: 'raw' } } });
    const second = await stored(open(), run, {
      step: 1,
      files: { r: { digest, storage: 'reference', originId: (await first.file('r')).id } },
    });
    expect(await open().checkpoints.hide(second.checkpoint.id)).toEqual([]);
    expect(await open().checkpoints.hasDependents(first.checkpoint.id)).toBe(false);
    expect(await open().checkpoints.hide(first.checkpoint.id)).toEqual([`${first.prefix}/r`]);
  });

  test.each([0, 1])(
    'a deletion and a commit at once leave a reference with its bytes or neither, whichever is first (%i)',
    async (first) => {
      const run = await makeRun(open());
      const digest = freshName();
      const old = await stored(open(), run, { step: 0, files: { r: { digest, storage: 'raw' } } });
      const originId = (await old.file('r')).id;
      const { id } = await makeCheckpoint(open(), run, 1);
      await open().files.receive(id, {
        path: 'r',
        sizeBytes: 8,
        sha256: digest,
        rawKey: freshName(),
        rawStoredBytes: 9,
      });
      const refer = () =>
        open().files.setResults(id, [
          { path: 'r', storage: 'reference', originId, resultSha256: digest, resultBytes: 8 },
        ]);
      const hide = () => open().checkpoints.hide(old.checkpoint.id);
      await Promise.allSettled(first === 0 ? [refer(), hide()] : [hide(), refer()]);
      const refers = (await open().files.find(id, 'r'))?.originId === originId;
      // The server decides which one runs first. The raw object goes exactly if nothing refers to it.
      expect(await open().objects.named([`${old.prefix}/r`])).toHaveLength(refers ? 1 : 0);
    },
  );
}
