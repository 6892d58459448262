import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';

import { blockElementsMax, type NativeCore } from './core.ts';
import { loadCore } from './load-core.ts';
import { randomWeights } from './reference.test-support.ts';

/**
 * Cost of a native call besides its kernel: npx tsx src/native/seam.bench.ts
 *
 * One thread in the pool. `alone`: one call at a time, from call to settled promise. `in line`: time per call with many
 * queued calls, so that submitting and settling overlap the kernels. `submit`: time for which one call occupies the
 * JavaScript thread before its promise is returned. Medians of `rounds`, with the range of the middle half.
 */
const rounds = 31;
const callsPerRound = 64;

interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

function spreadOf(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!;
  return { low: at(0.25), median: at(0.5), high: at(0.75) };
}

async function measure(call: () => Promise<unknown>) {
  const alone: number[] = [],
    inLine: number[] = [],
    submit: number[] = [];
  for (let round = 0; round < rounds; round++) {
    let start = performance.now();
    for (let i = 0; i < callsPerRound; i++) await call();
    alone.push((1000 * (performance.now() - start)) / callsPerRound);
    start = performance.now();
    const started = Array.from({ length: callsPerRound }, call);
    submit.push((1000 * (performance.now() - start)) / callsPerRound);
    await Promise.all(started);
    inLine.push((1000 * (performance.now() - start)) / callsPerRound);
  }
  return { alone: spreadOf(alone), inLine: spreadOf(inLine), submit: spreadOf(submit) };
}

function calls(core: NativeCore, elementCount: number): Record<string, () => Promise<unknown>> {
  const weights = randomWeights(elementCount, 'F32', 1);
  const halves = randomWeights(elementCount, 'BF16', 2);
  const levels = halves.subarray(0, elementCount).map((byte) => byte % 16);
  const table = randomWeights(256, 'F32', 3);
  const protectedWords = new Uint16Array();
  const nothing = {
    protectMagnitudeMin: Infinity,
    protectSensitivityMin: Infinity,
    pruneMetric: 'magnitude',
    pruneBelow: 0,
  } as const;
  const map = { centroids: Float32Array.from({ length: 16 }, (_, i) => (i - 8) / 100) };
  return {
    'convert BF16 to F32': () => core.convert(halves, 'BF16', 'F32'),
    'dequantize to F32': () => core.dequantize(levels, { dtype: 'F32', table, levelCount: 16, protectedWords }),
    'assign 16 bins, F32': () => core.assignLevels({ weights, weightDtype: 'F32' }, nothing, map),
  };
}

async function main(): Promise<void> {
  const core = loadCore({ threads: 1 });
  console.log(
    `${availableParallelism()} cores, Node ${process.versions.node}, ${core.stats().simd}; microseconds a call, ` +
      'median (middle half)',
  );
  for (const elementCount of [0, blockElementsMax]) {
    for (const [name, call] of Object.entries(calls(core, elementCount))) {
      await call();
      const { alone, inLine, submit } = await measure(call);
      const columns = Object.entries({ alone, 'in line': inLine, submit }).map(
        ([label, { low, median, high }]) => `${label} ${median.toFixed(1)} (${low.toFixed(1)}..${high.toFixed(1)})`,
      );
      console.log(`${String(elementCount).padStart(6)} elements  ${name.padEnd(20)}  ${columns.join('  ')}`);
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
