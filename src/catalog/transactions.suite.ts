import { expect, test } from 'vitest';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { Catalog } from './contract/catalog.ts';
import { expectCode, freshName, makeRepository } from './catalog-fixtures.test-support.ts';

export function transactionsSuite(open: () => Catalog): void {
  const create = (catalog: Catalog, name: string) =>
    catalog.repositories.create({ namespace: 'tx', name, type: 'model' });

  test('a transaction keeps its writes, or none if it throws, and the error passes unchanged', async () => {
    const [kept, undone] = [freshName(), freshName()];
    expect(await open().transaction(async (tx) => (await create(tx, kept)).name)).toBe(kept);
    const thrown = new Error('stop');
    await expect(
      open().transaction(async (tx) => {
        await create(tx, undone);
        throw thrown;
      }),
    ).rejects.toBe(thrown);
    expect(await open().repositories.find('tx', kept)).toBeDefined();
    expect(await open().repositories.find('tx', undone)).toBeUndefined();
  });

  test('a transaction inside one joins it', async () => {
    const name = freshName();
    await expect(
      open().transaction(async (tx) => {
        await tx.transaction((inner) => create(inner, name));
        throw new FirnError('cancelled', 'no');
      }),
    ).rejects.toMatchObject({ code: 'cancelled' });
    expect(await open().repositories.find('tx', name)).toBeUndefined();
  });

  test('verbs that refuse leave the transaction usable', async () => {
    const [taken, name] = [await makeRepository(open()), freshName()];
    await open().transaction(async (tx) => {
      await expectCode(tx.repositories.create(taken), 'conflict');
      await expectCode(tx.checkpoints.transition('none', ['open'], 'queued'), 'not-found');
      await create(tx, name);
    });
    expect(await open().repositories.find('tx', name)).toBeDefined();
  });

  test('two transactions at once both happen, and queries beside them wait or go through', async () => {
    const names = Array.from({ length: 6 }, freshName);
    const found = await Promise.all(
      names.map((name, index) =>
        index % 2 === 0
          ? open().transaction(async (tx) => {
              await create(tx, name);
              return tx.repositories.find('tx', name);
            })
          : create(open(), name),
      ),
    );
    expect(found.map((repository) => repository?.name)).toEqual(names);
  });

  test('increments in racing transactions are not lost', async () => {
    const repository = await makeRepository(open());
    const run = await open().runs.create({
      repositoryId: repository.id,
      name: 'r',
      fidelity: 'exact',
      thresholds: {},
      search: {} as never,
      seed: '1',
      layerTypes: {},
    });
    await open().runs.setLayout(run.id, []);
    await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        open().transaction(async (tx) => {
          const layout = (await tx.runs.lockLayout(run.id))!;
          await tx.runs.setLayout(run.id, [...layout, { name: `t${index}`, dtype: 'F32', shape: [] }]);
        }),
      ),
    );
    expect(await open().runs.lockLayout(run.id)).toHaveLength(5);
  });

  test('the catalog is closed and tidied from outside only', async () => {
    await expectCode(
      open().transaction((tx) => tx.close()),
      'internal',
    );
    await expectCode(
      open().transaction((tx) => tx.tidy()),
      'internal',
    );
    await open().tidy();
    await open().probe();
  });
}
