import { expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import { expectCode, freshName, makeCheckpoint, makeRun } from '../../catalog-fixtures.test-support.ts';

const body = (rawKey: string, rawStoredBytes = 10) => ({ sizeBytes: 8, sha256: 'aa', rawKey, rawStoredBytes });

export function filesSuite(open: () => Catalog): void {
  test('announced files are listed by path, each path once', async () => {
    const { id } = await makeCheckpoint(open());
    const announced = await open().files.announce(id, [
      { path: 'b', role: 'model', sizeBytes: 5, sha256: 'x' },
      { path: 'B', role: 'other' },
      { path: 'a/c', role: 'sensitivity' },
    ]);
    expect(announced).toHaveLength(3);
    expect(await open().files.list(id)).toMatchObject([
      { path: 'B', role: 'other', received: false },
      { path: 'a/c' },
      { path: 'b', sizeBytes: 5, sha256: 'x' },
    ]);
    await expectCode(
      open().files.announce(id, [
        { path: 'new', role: 'other' },
        { path: 'b', role: 'other' },
      ]),
      'conflict',
    );
    await expectCode(
      open().files.announce(id, [
        { path: 'twice', role: 'other' },
        { path: 'twice', role: 'other' },
      ]),
      'conflict',
    );
    expect(await open().files.list(id)).toHaveLength(3);
    expect(await open().files.announce(id, [])).toEqual([]);
    await expectCode(open().files.announce('none', [{ path: 'x', role: 'other' }]), 'not-found');
  });

  test('a path is never a folder of another of its checkpoint, in whatever order they come', async () => {
    const { id } = await makeCheckpoint(open());
    const other = await makeCheckpoint(open());
    await open().files.receive(other.id, { path: 'a', ...body('raw/clash-other') });
    await open().files.announce(id, [{ path: 'a/b/c', role: 'other' }]);
    for (const path of ['a', 'a/b', 'a/b/c/d']) {
      await expectCode(open().files.announce(id, [{ path, role: 'other' }]), 'invalid-request');
      await expectCode(open().files.receive(id, { path, ...body(`raw/clash-${path}`) }), 'invalid-request');
    }
    // Its neighbours in byte order, and the file itself.
    for (const path of ['a.b', 'a0', 'a/b-c', 'a/b0', 'a/b/c'])
      await open().files.receive(id, { path, ...body(`raw/fine-${path}`) });
    const racing = await makeCheckpoint(open());
    const outcomes = await Promise.allSettled(
      ['x/y', 'x'].map((path) => open().files.receive(racing.id, { path, ...body(`raw/race-${path}`) })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('many files are announced at once', async () => {
    const { id } = await makeCheckpoint(open());
    await open().files.announce(
      id,
      Array.from({ length: 1201 }, (_, index) => ({ path: `f${index}`, role: 'other' as const })),
    );
    expect(await open().files.list(id)).toHaveLength(1201);
  });

  test('a received body fills the announced file or adds one, and names the object it replaces', async () => {
    const { id } = await makeCheckpoint(open());
    await open().files.announce(id, [{ path: 'm', role: 'model' }]);
    expect(await open().files.receive(id, { path: 'm', ...body('k1'), gitSha1: 'g' })).toBeUndefined();
    expect(await open().files.find(id, 'm')).toMatchObject({
      role: 'model',
      received: true,
      sizeBytes: 8,
      sha256: 'aa',
      gitSha1: 'g',
      rawKey: 'k1',
      rawStoredBytes: 10,
    });
    expect(await open().files.receive(id, { path: 'm', ...body('k1') })).toBeUndefined();
    expect(await open().files.receive(id, { path: 'm', ...body('k2'), role: 'optimizer' })).toBe('k1');
    expect(await open().files.find(id, 'm')).toEqual({
      id: expect.any(String),
      checkpointId: id,
      path: 'm',
      role: 'optimizer',
      received: true,
      ...body('k2'),
    });
    expect(await open().files.receive(id, { path: 'extra', ...body('k3') })).toBeUndefined();
    expect(await open().files.find(id, 'extra')).toMatchObject({ role: 'other', received: true });
    expect(await open().files.find(id, 'nothing')).toBeUndefined();
  });

  test('a closed checkpoint takes no files', async () => {
    const { id } = await makeCheckpoint(open());
    await open().checkpoints.transition(id, ['open'], 'queued');
    await expectCode(open().files.receive(id, { path: 'm', ...body('k') }), 'conflict');
    await expectCode(open().files.announce(id, [{ path: 'm', role: 'other' }]), 'conflict');
    await expectCode(open().files.receive('none', { path: 'm', ...body('k') }), 'not-found');
  });

  test('raw keys are released once, never of a file that is stored raw, and results stay', async () => {
    const { id } = await makeCheckpoint(open());
    const [packed, raw, absent] = [freshName(), freshName(), freshName()];
    await open().files.receive(id, { path: 'packed', ...body(packed) });
    await open().files.receive(id, { path: 'raw', ...body(raw) });
    await open().files.announce(id, [{ path: absent, role: 'other' }]);
    await open().files.setResults(id, [
      { path: 'packed', storage: 'package', resultSha256: 'r', resultBytes: 2 ** 41 },
      { path: 'raw', storage: 'raw', resultSha256: 'aa', resultBytes: 8 },
    ]);
    expect(await open().files.find(id, 'packed')).toMatchObject({
      storage: 'package',
      resultSha256: 'r',
      resultBytes: 2 ** 41,
      rawKey: packed,
    });
    await expectCode(open().files.releaseRaw(id, ['packed', 'raw']), 'conflict');
    expect(await open().files.releaseRaw(id, ['packed', absent, 'unknown'])).toEqual([packed]);
    expect(await open().files.releaseRaw(id, ['packed'])).toEqual([]);
    expect(await open().files.releaseRaw(id, [])).toEqual([]);
    expect((await open().files.find(id, 'packed'))?.rawKey).toBeUndefined();
    await expectCode(
      open().files.setResults(id, [
        { path: 'raw', storage: 'package', resultSha256: 'q', resultBytes: 1 },
        { path: 'unknown', storage: 'raw', resultSha256: '', resultBytes: 0 },
      ]),
      'not-found',
    );
    expect((await open().files.find(id, 'raw'))?.storage).toBe('raw');
  });

  test('a key that two files name is named once, by page and by question', async () => {
    const { id } = await makeCheckpoint(open());
    for (const [path, key] of [
      ['1', 'zz/2'],
      ['2', 'zz/1'],
      ['3', 'zz/1'],
      ['4', 'zz/3'],
    ] as const)
      await open().files.receive(id, { path, ...body(key) });
    expect(await open().objects.keys({ limit: 2, after: 'zz/' })).toEqual(['zz/1', 'zz/2']);
    expect(await open().objects.keys({ limit: 1, after: 'zz/2' })).toEqual(['zz/3']);
    expect(await open().objects.named(['zz/1'])).toEqual(['zz/1']);
  });

  test('staged bytes are those of unfinished checkpoints', async () => {
    const run = await makeRun(open());
    const before = await open().files.stagedBytes();
    expect(await open().files.stagedBytes(run.id)).toBe(0);
    const { id } = await makeCheckpoint(open(), run, 1);
    await open().files.receive(id, { path: 'm', ...body(freshName(), 2 ** 42) });
    await open().files.receive(id, { path: 'n', ...body(freshName(), 5) });
    expect(await open().files.stagedBytes(run.id)).toBe(2 ** 42 + 5);
    expect(await open().files.stagedBytes()).toBe(before + 2 ** 42 + 5);
    for (const state of ['queued', 'working'] as const) {
      await open().checkpoints.transition(id, ['open', 'queued'], state);
      expect(await open().files.stagedBytes(run.id)).toBe(2 ** 42 + 5);
    }
    await open().checkpoints.transition(id, ['working'], 'failed');
    expect(await open().files.stagedBytes(run.id)).toBe(0);
  });
}
