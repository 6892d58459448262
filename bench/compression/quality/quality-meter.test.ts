import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSeries } from '../../../src/cli/demo/read-series.ts';
import { loadCore } from '../../../src/native/load-core.ts';
import { loadCheckpoint } from '../series/checkpoint-weights.ts';
import { QualityMeter } from './quality-meter.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-meter-'));
});
afterAll(() => rm(directory, { recursive: true }));

test('uploaded weights measure what the series recorded, and rebuilt ones what they are', async () => {
  const series = readSeries(fileURLToPath(new URL('../../../examples/lm-small', import.meta.url)));
  const core = loadCore();
  const meter = new QualityMeter(series, { loss: 0.01 }, directory, core);
  try {
    const checkpoint = await loadCheckpoint(series.checkpoints[0]!, (layout) => meter.layerTypes(layout), core);
    expect((await meter.uploaded(checkpoint))['loss']).toBeCloseTo(4.592129, 5);
    const table = checkpoint.tensors.find(
      ({ layerType, values }) => layerType === 'embedding' && values !== undefined,
    )!;
    const found = await meter.measure(checkpoint, new Map([[table.name, table.values!.map((value) => value / 2)]]));
    expect(found.metricsBefore['loss']).toBeCloseTo(4.592129, 5);
    expect(found.metricsAfter['loss']).toBeGreaterThan(4.7);
    expect(found.passed).toBe(false);
  } finally {
    await meter.close();
  }
});

test('a bound on progress compares with the uploads measured before', async () => {
  const series = readSeries(fileURLToPath(new URL('../../../examples/lm-small', import.meta.url)));
  const core = loadCore();
  const passes = async (progress: boolean): Promise<boolean> => {
    const loss = { relative: 0.2, ...(progress && { progress: 0.5 }) };
    const meter = new QualityMeter(series, { loss }, directory, core);
    try {
      const [before, checkpoint] = await Promise.all(
        [0, 1].map((at) => loadCheckpoint(series.checkpoints[at]!, (layout) => meter.layerTypes(layout), core)),
      );
      await meter.uploaded(before!);
      const table = checkpoint!.tensors.find(
        ({ layerType, values }) => layerType === 'embedding' && values !== undefined,
      )!;
      const halved = new Map([[table.name, table.values!.map((value) => value / 2)]]);
      return (await meter.measure(checkpoint!, halved)).passed;
    } finally {
      await meter.close();
    }
  };
  expect([await passes(false), await passes(true)]).toEqual([true, false]);
});
