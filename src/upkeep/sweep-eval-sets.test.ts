import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeEvalSet } from '../catalog/catalog-fixtures.test-support.ts';
import { openTestCatalog } from '../catalog/test-catalog.test-support.ts';
import { sweepEvalSets } from './sweep-eval-sets.ts';

test('removes the local copies of eval sets that are gone, and keeps the others', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'firn-sweep-'));
  const catalog = await openTestCatalog();
  try {
    const [kept, gone] = [await makeEvalSet(catalog), await makeEvalSet(catalog)];
    for (const { id } of [kept, gone]) {
      await mkdir(join(directory, id));
      await writeFile(join(directory, id, 'graph-aa.onnx'), 'graph');
    }
    expect(await sweepEvalSets(catalog, directory)).toBe(0);
    await catalog.evalSets.delete(gone.id);
    expect(await sweepEvalSets(catalog, directory)).toBe(1);
    expect(await readdir(directory)).toEqual([kept.id]);
  } finally {
    await catalog.close();
    await rm(directory, { recursive: true });
  }
});
