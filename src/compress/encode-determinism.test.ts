import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { PackageIndex } from '../package/package-index.ts';
import type { CompressContext } from './compress-context.ts';
import { openCompressHarness, withGradients, type CompressHarness } from './harness/compress-harness.test-support.ts';
import { packageContent } from './harness/package-content.test-support.ts';
import { f32, noise, tinyGradients, tinyWeights, type TestTensors } from './harness/tiny-model.test-support.ts';
import type { ScratchMemory } from './scratch/scratch-memory.ts';

/**
 * Two data directories that differ in everything that must not matter: ids, concurrent blocks, concurrent evaluations,
 * caches, memory for models to evaluate.
 */
let one: CompressHarness;
let other: CompressHarness;
/** Stands for the file system in memory: folders in it, and how many models were in one. */
let memory: string;
let models = 0;
beforeAll(async () => {
  memory = await mkdtemp(join(tmpdir(), 'firn-memory-'));
  one = await openCompressHarness({ evalParallel: 1, blockParallel: 1 });
  other = await openCompressHarness({ evalParallel: 3, blockParallel: 3 });
});
afterAll(async () => {
  await one.close();
  await other.close();
  await rm(memory, { recursive: true });
});

const inMemory: ScratchMemory = {
  async take() {
    models += 1;
    const directory = await mkdtemp(join(memory, 'files-'));
    return { directory, release: () => rm(directory, { recursive: true }) };
  },
};

/** The tiny model with an additional layer of several blocks. */
function weightsAt(step: number): TestTensors {
  const wide = noise(200 * 800, 77);
  noise(200 * 800, 78 + step).forEach((x, i) => {
    if (i % 7 === step) wide[i] = wide[i]! + 0.1 * x;
  });
  return { ...tinyWeights(step), 'wide.weight': f32([200, 800], wide) };
}

async function pushRun(
  harness: CompressHarness,
  changes: Pick<CompressContext, 'cacheMaxBytes' | 'scratchMemory'>,
): Promise<Checkpoint[]> {
  const searched = await harness.newRun();
  const given = await harness.newFixedRun({
    method: 'inshrinkerator',
    bins: 12,
    embeddingBins: 16,
    pruneFraction: 0.2,
    pruneMetric: 'sensitivity',
    protectFraction: 0.005,
  });
  const pushed: Checkpoint[] = [];
  for (const step of [0, 1, 2]) {
    pushed.push(
      await harness.push(searched, step, withGradients(tinyWeights(step), tinyGradients(step)), {
        ctx: harness.context(changes),
      }),
    );
    pushed.push(
      await harness.push(given, step, withGradients(weightsAt(step), tinyGradients(step)), {
        ctx: harness.context(changes),
      }),
    );
  }
  return pushed;
}

test('the same uploads give the same packages, whatever runs at once and whatever the ids', async () => {
  const [here, there] = [
    await pushRun(one, { cacheMaxBytes: 0 }),
    await pushRun(other, { cacheMaxBytes: 2 ** 26, scratchMemory: inMemory }),
  ];
  expect(await readdir(memory)).toEqual([]);
  expect(models).toBe(there.length);
  const indexes = { here: new Map<string, PackageIndex>(), there: new Map<string, PackageIndex>() };
  for (const [i, checkpoint] of here.entries()) {
    const [a, b] = [
      await packageContent(one, checkpoint, indexes.here),
      await packageContent(other, there[i]!, indexes.there),
    ];
    expect(a.payloads.equals(b.payloads), `payloads of checkpoint ${i}`).toBe(true);
    expect(a.description).toEqual(b.description);
    expect(a.indexLengthBytes).toBe(b.indexLengthBytes);
    const { seconds: _, ...found } = checkpoint.result!;
    const { seconds: __, ...foundThere } = there[i]!.result!;
    expect(found).toEqual(foundThere);
    expect(checkpoint.result).toMatchObject({ fidelity: 'lossy', kind: i < 2 ? 'base' : 'delta' });
  }
});
