import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelOf, openCompressHarness, type CompressHarness } from './harness/compress-harness.test-support.ts';
import { f32, noise } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

const shape = [2048, 1280];
const values = noise(shape[0]! * shape[1]!, 3);

test('a long range of exact weights leaves no blocks in the cache, a short one does; bytes are the same', async () => {
  const run = await harness.newRun({ fidelity: 'exact', thresholds: {} });
  await harness.push(run, 0, modelOf({ w: f32(shape, values) }));
  const moved = modelOf({
    w: f32(
      shape,
      values.map((x, i) => (i % 50 === 0 ? x + 0.1 : x)),
    ),
  });
  const { packageId } = await harness.push(run, 1, moved);
  const ctx = harness.context();
  const packages = await ctx.catalog.packages.chain(packageId!);
  expect(packages.length).toBe(2);
  const restorer = ctx.freshRestorer();
  const chain = await restorer.open(packages);
  const file = chain.file('model.safetensors');
  const whole = Buffer.alloc(file.sizeBytes);
  let at = 0;
  for await (const piece of file.stream()) at += Buffer.from(piece).copy(whole, at);
  expect(restorer.caches().block.usedBytes).toBe(0);
  expect(whole.equals(Object.values(moved)[0]!.bytes)).toBe(true);
  const end = file.sizeBytes - 1000;
  const short: Uint8Array[] = [];
  for await (const piece of file.stream(end - 500_000, end)) short.push(piece);
  expect(Buffer.concat(short).equals(whole.subarray(end - 500_000, end))).toBe(true);
  expect(restorer.caches().block.usedBytes).toBeGreaterThan(0);
  await chain.close();
});
