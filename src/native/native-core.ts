import { getSystemErrorName } from 'node:util';

import { FirnError } from '../checkpoint/firn-error.ts';
import { isHalf, type HalfDtype } from '../checkpoint/dtype.ts';
import { checkArguments } from './check/check-arguments.ts';
import { deviceCalls } from './calls/device-calls.ts';
import { NativeContextCounts, NativeContextTables } from './calls/context-objects.ts';
import {
  blockElementsMax,
  type LevelCoding,
  type LevelMap,
  type NativeCore,
  type Partition,
  type Sketch,
  type WeightBlock,
  type WeightMoments,
} from './core.ts';
import { latticeCalls } from './calls/lattice-calls.ts';
import { nativeNumbers } from './check/native-numbers.ts';
import { argumentError, nativeError } from './check/native-status.ts';
import { namedPairArguments, pairArguments } from './calls/pair-arguments.ts';
import { residualCalls } from './calls/residual-calls.ts';
import { runJob, type JobRunner } from './calls/run-job.ts';
import { masterCalls } from './calls/master-calls.ts';
import { stateCalls } from './calls/state-calls.ts';
import { NativeTokenCounts, NativeTokenTables } from './calls/token-objects.ts';

const { dtype: dtypeNumber, metric, clustering, weighting, elementKind, noLevel } = nativeNumbers;

/**
 * Implements NativeCore with one engine of the addon: checks the arguments, flattens them for the seam, and translates
 * errors.
 */
export function nativeCore(runner: JobRunner): NativeCore {
  return {
    ...sketchCalls(runner),
    ...quantizeCalls(runner),
    ...tokenCalls(runner),
    ...contextCalls(runner),
    ...exactCalls(runner),
    ...bucketCalls(runner),
    ...bitmaskCalls(runner),
    ...masterCalls(runner),
    ...stateCalls(runner),
    ...latticeCalls(runner),
    ...residualCalls(runner),
    ...deviceCalls(runner, nativeCore),
    ...plainCalls(runner),
  };
}

function sketchCalls(runner: JobRunner) {
  const { addon, engine } = runner;
  return {
    sketchValues: ({ weights, weightDtype, heldAs = '' }, sketch, signal) =>
      runJob(runner, signal, () => {
        checkArguments.elements('weights', weights, weightDtype);
        checkArguments.sketch(sketch);
        return addon.sketchValues(engine, weights, dtypeNumber[weightDtype], heldAs, sketch);
      }),
    sketchSensitivity: (pair, sketch, signal) =>
      runJob(runner, signal, () => {
        checkArguments.weightBlock(pair);
        checkArguments.sketch(sketch);
        if (pair.gradients === undefined) throw new TypeError('sketchSensitivity needs gradients');
        return addon.sketchSensitivity(engine, ...namedPairArguments(pair), sketch);
      }),
    sketchQuantized: (pair, partition, sketch, signal) =>
      runJob(runner, signal, () => {
        checkArguments.weightBlock(pair);
        checkArguments.partition(partition);
        checkArguments.sketch(sketch);
        return addon.sketchQuantized(engine, ...namedPairArguments(pair), ...partitionArguments(partition), sketch);
      }),
    weightMoments: async (pair, counts, { name = '', signal } = {}) =>
      momentsOf(
        await runJob(runner, signal, () => {
          checkArguments.weightBlock(pair);
          checkArguments.parts(pair, counts);
          return addon.weightMoments(engine, ...pairArguments(pair), counts, name);
        }),
      ),
    sketchTopThresholdSync: (sketch, fraction) => addon.sketchTopThreshold(...thresholdArguments(sketch, fraction)),
    sketchBottomThresholdSync: (sketch, fraction) =>
      addon.sketchBottomThreshold(...thresholdArguments(sketch, fraction)),
  } satisfies Partial<NativeCore>;
}

function quantizeCalls(runner: JobRunner) {
  const { addon, engine } = runner;
  return {
    buildCodebook: (sketch, bins, options, signal) =>
      runJob(runner, signal, () => {
        checkArguments.sketch(sketch);
        checkArguments.codebook(bins, options);
        const { sigma, seed } = options;
        return addon.buildCodebook(
          engine,
          sketch,
          bins,
          clustering[options.clustering],
          weighting[options.weighting],
          sigma,
          seed,
        );
      }),
    buildEntropyCodebook: (sketch, bins, options, signal) =>
      runJob(runner, signal, () => {
        checkArguments.sketch(sketch);
        checkArguments.entropyCodebook(bins, options);
        return addon.buildEntropyCodebook(
          engine,
          sketch,
          bins,
          weighting[options.weighting],
          options.sigma,
          options.bitPrice,
        );
      }),
    assignLevels: (pair, partition, map, signal) =>
      runJob(runner, signal, () => {
        return addon.assignLevels(engine, ...codebookBlockArguments(pair, partition, map));
      }),
    codebookElements: (pair, partition, { map, dtype, table, levelCount }, signal) =>
      runJob(runner, signal, () => {
        const block = codebookBlockArguments(pair, partition, map);
        checkArguments.levelTable({ dtype, table, levelCount });
        return addon.codebookElements(engine, ...block, dtypeNumber[dtype], table, levelCount);
      }),
    countTokens: (pair, partition, request, signal) =>
      runJob(runner, signal, () => {
        const coded = codedLevelsArguments(pair, partition, request);
        return addon.countTokens(engine, ...coded, NativeTokenCounts.handleOf(request.counts));
      }),
    encodeTokens: (pair, partition, request, signal) =>
      runJob(runner, signal, () => {
        const coded = codedLevelsArguments(pair, partition, request);
        return addon.encodeTokens(engine, ...coded, NativeTokenTables.handleOf(request.tables));
      }),
    dequantize: (levels, request, signal) =>
      runJob(runner, signal, () => {
        checkArguments.dequantize(levels, request);
        const { dtype, table, levelCount, protectedLevel = noLevel, protectedWords } = request;
        return addon.dequantize(engine, levels, dtypeNumber[dtype], table, levelCount, protectedLevel, protectedWords);
      }),
    convert: (values, from, to, signal) =>
      runJob(runner, signal, () => {
        checkArguments.elements('values', values, from);
        checkArguments.elements('result', new Uint8Array(), to);
        return addon.convert(engine, values, dtypeNumber[from], dtypeNumber[to]);
      }),
  } satisfies Partial<NativeCore>;
}

function tokenCalls(runner: JobRunner) {
  return {
    createTokenCounts: () => new NativeTokenCounts(runner, runner.addon.createTokenCounts()),
    parseTokenTables: (bytes) => {
      checkArguments.bytes('bytes', bytes);
      const tables = runner.addon.parseTokenTables(bytes);
      if (typeof tables === 'number') throw nativeError(tables);
      return new NativeTokenTables(runner, tables);
    },
  } satisfies Partial<NativeCore>;
}

function contextCalls(runner: JobRunner) {
  return {
    createContextCounts: () => new NativeContextCounts(runner, runner.addon.createContextCounts()),
    parseContextTables: (bytes, { slots }) => {
      checkArguments.bytes('bytes', bytes);
      checkArguments.contextSlots(slots);
      const tables = runner.addon.parseContextTables(bytes, slots);
      if (typeof tables === 'number') throw nativeError(tables);
      return new NativeContextTables(runner, tables);
    },
  } satisfies Partial<NativeCore>;
}

function exactCalls(runner: JobRunner) {
  const { addon, engine } = runner;
  return {
    exactEncode: (block, signal) =>
      runJob(runner, signal, () => {
        checkArguments.exactBlock(block.current, block.previous, block.kind);
        return addon.exactEncode(engine, block.current, block.previous, elementKind[block.kind]);
      }),
    exactDecode: async (payload, request, signal) => {
      const { previous, kind, elementCount, into } = request;
      const elements = await runJob(runner, signal, () => {
        checkArguments.exactDecode(payload, request);
        return addon.exactDecode(engine, payload, previous, elementKind[kind], elementCount, into);
      });
      return elements ?? into!;
    },
    exactIsStandaloneSync: (payload) => {
      checkArguments.bytes('payload', payload);
      return addon.exactIsStandalone(payload);
    },
  } satisfies Partial<NativeCore>;
}

/** Of a bucket's index. */
const bucketBitsMax = 8;
/** Checkpoints whose deltas share a payload. */
const [mergedBucketsMin, mergedBucketsMax] = [2, 4];

function bucketCalls(runner: JobRunner) {
  const { addon, engine } = runner;
  return {
    bucketEncode: ({ current, previous, dtype, bits }, signal) =>
      runJob(runner, signal, () => {
        checkArguments.elements('current', current, dtype);
        checkArguments.elements('previous', previous, dtype);
        if (current.byteLength !== previous.byteLength) throw argumentError('current and previous differ in length');
        checkArguments.integer('bits', bits, 1, bucketBitsMax);
        return addon.bucketEncode(engine, current, previous, dtypeNumber[dtype], bits);
      }),
    bucketDecode: (payload, { previous, dtype }, signal) =>
      runJob(runner, signal, () => {
        checkArguments.bytes('payload', payload);
        checkArguments.elements('previous', previous, dtype);
        return addon.bucketDecode(engine, payload, previous, dtypeNumber[dtype]);
      }),
    bucketMerge: (payloads, elementCount, signal) =>
      runJob(runner, signal, () => {
        checkArguments.integer('payloads', payloads.length, mergedBucketsMin, mergedBucketsMax);
        for (const payload of payloads) checkArguments.bytes('payloads', payload);
        checkArguments.integer('elementCount', elementCount, 0, blockElementsMax);
        const sizes = Uint32Array.from(payloads, ({ byteLength }) => byteLength);
        return addon.bucketMerge(engine, new Uint8Array(Buffer.concat(payloads)), sizes, elementCount);
      }),
    mergedBucketDecode: (payload, { previous, dtype, width, position }, signal) =>
      runJob(runner, signal, () => {
        checkArguments.bytes('payload', payload);
        checkArguments.elements('previous', previous, dtype);
        checkArguments.integer('width', width, mergedBucketsMin, mergedBucketsMax);
        checkArguments.integer('position', position, 0, width - 1);
        return addon.mergedBucketDecode(engine, payload, previous, dtypeNumber[dtype], width, position);
      }),
  } satisfies Partial<NativeCore>;
}

/** Bytes of a 16-bit element. */
const halfBytes = 2;

function bitmaskCalls(runner: JobRunner) {
  const { addon, engine } = runner;
  const checkHalves = (current: Uint8Array, previous: Uint8Array | undefined): void => {
    checkArguments.bytes('current', current);
    checkArguments.integer('elements of a block', current.byteLength / halfBytes, 0, blockElementsMax);
    if (previous !== undefined) checkPrevious(previous, current.byteLength);
  };
  const checkPrevious = (previous: Uint8Array, lengthBytes: number): void => {
    checkArguments.bytes('previous', previous);
    if (previous.byteLength !== lengthBytes)
      throw argumentError(`previous: ${previous.byteLength} bytes, not ${lengthBytes}`);
  };
  return {
    bitmaskEncode: ({ current, previous, dtype }, signal) =>
      runJob(runner, signal, () => {
        checkHalves(current, previous);
        return addon.bitmaskEncode(engine, current, previous, halfKind(dtype));
      }),
    bitmaskDecode: (payload, { previous, dtype, elementCount }, signal) =>
      runJob(runner, signal, () => {
        checkArguments.bytes('payload', payload);
        checkArguments.integer('elementCount', elementCount, 0, blockElementsMax);
        if (previous !== undefined) checkPrevious(previous, halfBytes * elementCount);
        return addon.bitmaskDecode(engine, payload, previous, halfKind(dtype), elementCount);
      }),
    bitmaskChanged: (current, previous, signal) =>
      runJob(runner, signal, () => {
        checkHalves(current, previous);
        return addon.bitmaskChanged(engine, current, previous);
      }),
  } satisfies Partial<NativeCore>;
}

function halfKind(dtype: HalfDtype): number {
  if (!isHalf(dtype)) throw argumentError(`dtype: ${String(dtype)} is not one of 16 bits`);
  return dtype === 'F16' ? elementKind.f16 : elementKind.bf16;
}

function plainCalls(runner: JobRunner) {
  const { addon, engine } = runner;
  return {
    crc32cSync: (bytes, seed = 0) => {
      checkArguments.bytes('bytes', bytes);
      checkArguments.uint32('seed', seed);
      return addon.crc32c(bytes, seed);
    },
    mapFileSync: (path) => {
      if (typeof path !== 'string' || path.includes('\0'))
        throw new TypeError('path must be a string without null characters');
      const mapped = addon.mapFile(engine, path);
      if (typeof mapped !== 'number') return mapped;
      throw new FirnError('internal', 'A file could not be mapped.', {
        detail: `${getSystemErrorName(-mapped)}: ${path}`,
      });
    },
    forgetFile: async (descriptor) => {
      await runJob(runner, undefined, () => {
        checkArguments.integer('descriptor', descriptor, 0, 0x7fffffff);
        return addon.forgetFile(engine, descriptor);
      });
    },
    stats: () => ({ ...addon.stats(engine), endedCalls: runner.ended.calls, endedMs: runner.ended.ms }),
  } satisfies Partial<NativeCore>;
}

function partitionArguments({ protectMagnitudeMin, protectSensitivityMin, pruneMetric, pruneBelow }: Partition) {
  return [
    Math.fround(protectMagnitudeMin),
    Math.fround(protectSensitivityMin),
    metric[pruneMetric],
    Math.fround(pruneBelow),
  ] as const;
}

/** Weights and what they become levels by, checked. */
function codebookBlockArguments(pair: WeightBlock, partition: Partition, map: LevelMap) {
  checkArguments.weightBlock(pair);
  checkArguments.partition(partition);
  checkArguments.levelMap(map);
  const { centroids, boundaries, prunedLevel = noLevel, protectedLevel = noLevel } = map;
  return [
    ...namedPairArguments(pair),
    ...partitionArguments(partition),
    centroids,
    prunedLevel,
    protectedLevel,
    boundaries,
  ] as const;
}

/** The same, and the levels that theirs are coded against. */
function codedLevelsArguments(pair: WeightBlock, partition: Partition, { map, previous, modulus }: LevelCoding) {
  const block = codebookBlockArguments(pair, partition, map);
  checkArguments.levelCoding(pair, { previous: previous?.levels, modulus });
  return [...block, previous?.levels, previous?.heldAs ?? '', modulus] as const;
}

function thresholdArguments(sketch: Sketch, fraction: number) {
  checkArguments.sketch(sketch);
  checkArguments.fraction(fraction);
  return [sketch, fraction] as const;
}

function momentsOf(sums: Float64Array): WeightMoments[] {
  return Array.from({ length: sums.length / 4 }, (_, i) => ({
    sum: sums[4 * i]!,
    sumOfSquares: sums[4 * i + 1]!,
    magnitudeMax: sums[4 * i + 2]!,
    gradientSumOfSquares: sums[4 * i + 3]!,
  }));
}
