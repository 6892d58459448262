import { expect, test, vi } from 'vitest';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import { loadCore } from '../../native/load-core.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import { Restorer } from '../../restore/restorer.ts';
import { encodeInMemory, prepareSource } from '../harness/encode-in-memory.test-support.ts';
import { KeptAncestors } from './kept-ancestors.ts';
import { f32, noise } from '../harness/tiny-model.test-support.ts';

const core = loadCore();
const config = {
  method: 'inshrinkerator',
  bins: 8,
  embeddingBins: 16,
  pruneFraction: 0,
  pruneMetric: 'magnitude',
  protectFraction: 0,
} as const;

test('an ancestor is the same object while it is kept, and the one not requested for longest is closed', async () => {
  const model = await prepareSource(
    { fc: f32([32, 32], noise(1024, 1)) },
    new Map<string, LayerType>([['fc', 'linear']]),
  );
  const store = new MemoryStore();
  const { index, object, indexOffsetBytes, indexLengthBytes } = (await encodeInMemory(store, 'a', model, config))
    .written;
  const restorer = new Restorer({ core, store, indexCacheBytesMax: 0, blockCacheBytesMax: 0 });
  const open = vi.fn(() =>
    restorer.open([{ id: index.id, key: 'a', sizeBytes: object.sizeBytes, indexOffsetBytes, indexLengthBytes }]),
  );
  const isClosed: boolean[] = [];
  const opened = async () => {
    const chain = await open();
    const number = isClosed.push(false) - 1;
    vi.spyOn(chain, 'close').mockImplementation(async () => void (isClosed[number] = true));
    return { chain };
  };
  const kept = new KeptAncestors(model.source);
  const first = await kept.along('one', model.plan, opened);
  expect(await kept.along('one', model.plan, opened)).toBe(first);
  const elsewhere = { ...model.plan };
  expect(await kept.along('one', elsewhere, opened)).not.toBe(first);
  const others = ['two', 'three', 'four'];
  for (const name of others) await kept.along(name, model.plan, opened);
  const again = await kept.along('one', elsewhere, opened);
  expect(isClosed).toEqual([false, false, false, false]);
  await kept.along('five', model.plan, opened);
  expect(isClosed).toEqual([false, true, false, false, false]);
  expect(await kept.along('one', elsewhere, opened)).toBe(again);
  expect(await kept.along('none', model.plan, async () => undefined)).toBeUndefined();
  expect(isClosed).toEqual([false, true, true, false, false]);
  await kept.close();
  await kept.close();
  expect(isClosed).toEqual([true, true, true, true, true]);
});
