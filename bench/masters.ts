/**
 * Bytes of master weights, coded against the 16-bit weights that were rounded from them:
 * `npx tsx bench/masters.ts examples/lm-small/CHECKPOINT/model.safetensors [LATER.safetensors]`
 *
 * The F32 tensors of the file become master weights in an optimizer file, and their rounding the model. Each is stored
 * exact, alone and together, and with the master weights dropped. With a second file also as a delta to the first.
 * Prints stored bits per weight. Every file is downloaded again and compared, except dropped master weights.
 */
import { readFileSync } from 'node:fs';
import {
  openCompressHarness,
  sha256,
  type CompressHarness,
  type Upload,
} from '../src/compress/harness/compress-harness.test-support.ts';
import { safetensors, type TestTensors } from '../src/compress/harness/tiny-model.test-support.ts';
import { parseSafetensorsHeader } from '../src/checkpoint/safetensors/parse-safetensors.ts';

const paths = process.argv.slice(2);
const state = { firstMoment: 'exact', secondMoment: 'exact', momentum: 'exact' } as const;

async function stored(
  harness: CompressHarness,
  uploads: readonly Upload[],
  master: 'exact' | 'weights',
): Promise<number[]> {
  const { id: repositoryId } = await harness.catalog.repositories.create({
    namespace: 'bench',
    name: `r${performance.now()}`,
    type: 'model',
  });
  const run = await harness.newRun({ fidelity: 'exact', thresholds: {}, repositoryId, state: { ...state, master } });
  const bytes: number[] = [];
  for (const [step, files] of uploads.entries()) {
    const checkpoint = await harness.push(run, step, files);
    for (const [path, file] of Object.entries(files)) {
      const isGivenUp = master === 'weights' && file.role === 'optimizer';
      if (!isGivenUp && sha256(await harness.download(checkpoint, path)) !== sha256(file.bytes))
        throw new Error(`${path} came back differently`);
    }
    bytes.push(checkpoint.result!.storedBytes);
  }
  return bytes;
}

const harness = await openCompressHarness();
try {
  for (const dtype of ['BF16', 'F16'] as const) {
    let weights = 0;
    const uploads: { readonly model: Upload; readonly masters: Upload }[] = [];
    for (const path of paths) {
      const file = readFileSync(path);
      const masters: Record<string, TestTensors[string]> = {};
      const model: Record<string, TestTensors[string]> = {};
      weights = 0;
      for (const { name, shape, startBytes, endBytes, elementCount, dtype: own } of parseSafetensorsHeader(
        file,
        file.length,
      ).tensors) {
        if (own !== 'F32') continue;
        const data = Uint8Array.from(file.subarray(startBytes, endBytes));
        masters[`master.${name}`] = { dtype: 'F32', shape, data };
        model[name] = { dtype, shape, data: await harness.core.convert(data, 'F32', dtype) };
        weights += elementCount;
      }
      uploads.push({
        model: { 'model.safetensors': { role: 'model', bytes: safetensors(model) } },
        masters: { 'optimizer.safetensors': { role: 'optimizer', bytes: safetensors(masters) } },
      });
    }
    const both = uploads.map(({ model, masters }) => ({ ...model, ...masters }));
    const rows = {
      'model alone': await stored(
        harness,
        uploads.map(({ model }) => model),
        'exact',
      ),
      'masters alone': await stored(
        harness,
        uploads.map(({ masters }) => masters),
        'exact',
      ),
      together: await stored(harness, both, 'exact'),
      'together, masters given up': await stored(harness, both, 'weights'),
    };
    for (const [name, bytes] of Object.entries(rows)) {
      const bitsAWeight = bytes.map((each) => ((8 * each) / weights).toFixed(2).padStart(8));
      console.log(`${dtype.padEnd(6)}${name.padEnd(30)}${bitsAWeight.join('')} bits a weight`);
    }
  }
} finally {
  await harness.close();
}
