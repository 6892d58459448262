import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import {
  modelOf,
  openCompressHarness,
  sha256,
  type CompressHarness,
} from '../../harness/compress-harness.test-support.ts';
import { f32, noise, type TestTensors } from '../../harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

/** A matrix of several blocks between vectors that share one. */
function weightsAt(step: number): TestTensors {
  const wide = noise(400 * 800, 5).map((x, i) => x + (i % 11 === step ? 0.4 : 0));
  return {
    'a.bias': f32([700], noise(700, 1)),
    'fc.weight': f32([400, 800], wide),
    'z.bias': f32([900], noise(900, 2 + step)),
  };
}

async function collected(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const copies: Uint8Array[] = [];
  for await (const piece of pieces) copies.push(Uint8Array.from(piece));
  return Buffer.concat(copies);
}

test('a file passed on piece by piece has the bytes of its stream, from the base to the last delta', async () => {
  const run = await harness.newFixedRun({ method: 'residual', step: -32 });
  const pushed: Checkpoint[] = [];
  for (const step of [0, 1, 2]) pushed.push(await harness.push(run, step, modelOf(weightsAt(step))));
  const ctx = harness.context();
  for (const checkpoint of pushed) {
    const chain = await ctx.freshRestorer().open(await ctx.catalog.packages.chain(checkpoint.packageId!));
    const file = chain.file('model.safetensors');
    const passed = await collected(file.passing());
    expect(passed.equals(await collected(file.stream()))).toBe(true);
    expect(sha256(passed)).toBe((await harness.catalog.files.find(checkpoint.id, 'model.safetensors'))!.resultSha256);
    await chain.close();
  }
});
