import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { valuesOf } from '../../../native/reference.test-support.ts';
import { AncestorUpload, UploadGone } from '../../ancestor/ancestor-upload.ts';
import {
  openCompressHarness,
  tensorBytes,
  tinySearch,
  withGradients,
  type CompressHarness,
} from '../../harness/compress-harness.test-support.ts';
import { tinyWeights } from '../../harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

const rounded = ['fc.weight', 'head.weight'];
/** A step at which most weights move by a small part of it. */
const search = {
  ...tinySearch,
  method: 'residual',
  rounding: 'nearest',
  fixedConfig: { method: 'residual', step: -20 },
} as const;

interface Pushed {
  readonly checkpoint: Checkpoint;
  /** Share of the movement since the checkpoint before that is not in what comes back. */
  readonly lost: number;
}

/** Pushes a run. `isKept`: whether the upload of the newest checkpoint stays until the next one is stored. */
async function push(isKept: boolean): Promise<Pushed[]> {
  const run = await harness.newRun({ search });
  const pushed: Pushed[] = [];
  for (const step of [0, 1]) {
    const weights = tinyWeights(step);
    const checkpoint = await harness.push(run, step, withGradients(weights, {}));
    const file = await harness.download(checkpoint, 'model.safetensors');
    const sums = { lost: 0, moved: 0 };
    if (step > 0)
      for (const name of rounded) {
        const before = tinyWeights(step - 1)[name]!.data as Float32Array;
        const rebuilt = valuesOf(tensorBytes(file, name), 'F32');
        (weights[name]!.data as Float32Array).forEach((weight, i) => {
          sums.lost += (weight - rebuilt[i]!) * (weight - before[i]!);
          sums.moved += (weight - before[i]!) ** 2;
        });
      }
    pushed.push({ checkpoint, lost: sums.lost / sums.moved });
    if (!isKept)
      await harness.catalog.transaction(async (tx) => {
        const rows = (await tx.files.list(checkpoint.id)).filter(({ rawKey }) => rawKey !== undefined);
        await tx.files.releaseRaw(
          checkpoint.id,
          rows.filter(({ storage }) => storage !== 'raw').map(({ path }) => path),
        );
      });
  }
  return pushed;
}

test('weights that training hardly moved stay where they are, while the upload before is kept', async () => {
  const [, kept] = await push(true);
  const [, gone] = await push(false);
  expect(kept!.checkpoint.result!.migration).toBeLessThan(0.6 * gone!.checkpoint.result!.migration!);
  expect(kept!.checkpoint.result!.storedBytes).toBeLessThan(0.95 * gone!.checkpoint.result!.storedBytes);
  // A few thousand weights, of which a few hundred move.
  expect(Math.abs(kept!.lost)).toBeLessThan(0.3);
});

test.each(['as it is opened', 'while it is read'])(
  'an upload that goes %s costs bytes, not the checkpoint',
  async (when) => {
    const run = await harness.newRun({ search });
    const gone = await push(false);
    await harness.push(run, 0, withGradients(tinyWeights(0), {}));
    const notFound = new FirnError('not-found', 'There is no such object.');
    const spy =
      when === 'as it is opened'
        ? vi.spyOn(AncestorUpload, 'open').mockRejectedValueOnce(notFound)
        : vi.spyOn(AncestorUpload.prototype, 'elements').mockImplementationOnce(async () => {
            throw new UploadGone(notFound);
          });
    const checkpoint = await harness.push(run, 1, withGradients(tinyWeights(1), {}));
    expect(spy).toHaveBeenCalled();
    spy.mockRestore();
    expect(checkpoint.result).toMatchObject({
      kind: 'delta',
      storedBytes: gone[1]!.checkpoint.result!.storedBytes,
      migration: gone[1]!.checkpoint.result!.migration,
    });
  },
);
