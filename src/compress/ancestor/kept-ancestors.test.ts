import { expect, test, vi } from 'vitest';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import { loadCore } from '../../native/load-core.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import { Restorer } from '../../restore/restorer.ts';
import { encodeInMemory, prepareSource } from '../harness/encode-in-memory.test-support.ts';
import { LastAncestor } from './last-ancestor.ts';
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

test('one chain is open at a time, and the same ancestor is returned until another is requested', async () => {
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
    return chain;
  };
  const last = new LastAncestor(model.source);
  const first = await last.along('one', model.plan, opened);
  expect(await last.along('one', model.plan, opened)).toBe(first);
  expect(await last.along('one', { ...model.plan }, opened)).not.toBe(first);
  expect(isClosed).toEqual([false]);
  expect(await last.along('two', model.plan, opened)).not.toBe(first);
  expect(isClosed).toEqual([true, false]);
  expect(await last.along('none', model.plan, async () => undefined)).toBeUndefined();
  expect(isClosed).toEqual([true, true]);
  await last.along('one', model.plan, opened);
  await last.close();
  await last.close();
  expect(isClosed).toEqual([true, true, true]);
});
