import { dtypeBytes } from '../../src/checkpoint/dtype.ts';
import type { NativeCore } from '../../src/native/core.ts';
import { aloneMethods, changedMethods, deltaMethods } from './all-methods.ts';
import { changeWords } from './changed-words.ts';
import {
  sum,
  type ChangedFigures,
  type CodingFigures,
  type MethodFigures,
  type SeriesFigures,
} from './exact-figures.ts';
import type { ExactMethod } from './exact-method.ts';
import { measureSpeed, type TimedWork } from './measured-speed.ts';
import { firnName } from './methods/firn-blocks.ts';
import { zstd } from './methods/zstd.ts';
import { prototypeCosts } from './prototype-costs.ts';
import { roundTrip } from './round-trip.ts';
import { withBytes, type HalfDtype, type WeightFile } from './weight-file.ts';
import type { WeightCheckpoint, WeightSeries } from './weight-series.ts';

export interface CompareTools {
  /** With one thread. */
  readonly core: NativeCore;
  /** Seconds for the rounds of one method in one direction. */
  readonly seconds: number;
  /** Whether a method of this name runs. */
  readonly wanted: (name: string) => boolean;
  readonly onProgress: (line: string) => void;
}

/** Shares of words that change, and the seed of their places. */
const changedShares = [0.01, 0.05, 0.15, 0.5];
const changedSeed = 1;

/** A checkpoint and the one that it is coded against. */
interface CheckpointPair {
  readonly step: number;
  readonly current: readonly WeightFile[];
  readonly previous: readonly WeightFile[] | undefined;
}

/**
 * Every method and code length over one series, each checkpoint alone and against the one before. Rejects with an Error
 * if a method loses a byte.
 */
export async function compareSeries(series: WeightSeries, tools: CompareTools): Promise<SeriesFigures> {
  const { title, dtype, checkpoints } = series;
  const weightCount = sum(checkpoints[0]!.files.map(({ bytes }) => bytes.length)) / dtypeBytes[dtype];
  const alone = checkpoints.map(({ step, files }): CheckpointPair => ({ step, current: files, previous: undefined }));
  const deltas = alone.slice(1).map((pair, i): CheckpointPair => ({ ...pair, previous: checkpoints[i]!.files }));
  const codings = [await compareCoding('alone', series, { pairs: alone, methods: aloneMethods(tools.core) }, tools)];
  if (deltas.length > 0)
    codings.push(
      await compareCoding('delta', series, { pairs: deltas, methods: deltaMethods(tools.core, dtype) }, tools),
    );
  return { title, checkpointCount: checkpoints.length, weightCount, codings };
}

async function compareCoding(
  coding: CodingFigures['coding'],
  { title, dtype }: WeightSeries,
  { pairs, methods }: { readonly pairs: readonly CheckpointPair[]; readonly methods: readonly ExactMethod[] },
  tools: CompareTools,
): Promise<CodingFigures> {
  const results: MethodFigures[] = [];
  for (const method of methods.filter(({ name }) => tools.wanted(name))) {
    const result = await measureMethod(method, pairs, tools);
    results.push(result);
    tools.onProgress(`${title}, ${coding}: ${method.name} ${sum(result.bytes)} bytes`);
  }
  const costs = prototypeCosts[dtype].filter(({ delta }) => !delta || coding === 'delta');
  return {
    coding,
    steps: pairs.map(({ step }) => step),
    rawBytes: pairs.map(({ current }) => sum(current.map(({ bytes }) => bytes.length))),
    methods: results,
    prototype: costs.map(({ name, bytes }) => ({
      name,
      bytes: pairs.map(({ current, previous }) => bytes(joined(current), previous && joined(previous))),
    })),
  };
}

async function measureMethod(
  method: ExactMethod,
  pairs: readonly CheckpointPair[],
  { seconds }: CompareTools,
): Promise<MethodFigures> {
  const bytes: number[] = [];
  const encodeWork: TimedWork[] = [];
  const decodeWork: TimedWork[] = [];
  const fast =
    method.name === firnName ? { method: zstd(1), encode: [] as TimedWork[], decode: [] as TimedWork[] } : undefined;
  let [encodeSeconds, decodeSeconds] = [0, 0];
  for (const { current, previous } of pairs) {
    let checkpointBytes = 0;
    for (const [i, file] of current.entries()) {
      const done = await roundTrip(method, file, previous?.[i]);
      checkpointBytes += done.bytes;
      encodeSeconds += done.encodeSeconds;
      decodeSeconds += done.decodeSeconds;
      encodeWork.push({ rawBytes: file.bytes.length, run: () => done.encodeAgain() });
      decodeWork.push({ rawBytes: file.bytes.length, run: () => done.decodeAgain() });
      if (fast === undefined) continue;
      const other = await roundTrip(fast.method, file, undefined);
      fast.encode.push({ rawBytes: file.bytes.length, run: () => other.encodeAgain() });
      fast.decode.push({ rawBytes: file.bytes.length, run: () => other.decodeAgain() });
    }
    bytes.push(checkpointBytes);
  }
  return {
    name: method.name,
    bytes,
    encode: await measureSpeed(encodeWork, { seconds, expectedSeconds: encodeSeconds, beside: fast?.encode }),
    decode: await measureSpeed(decodeWork, { seconds, expectedSeconds: decodeSeconds, beside: fast?.decode }),
  };
}

/**
 * Bytes of a checkpoint of 16-bit floats against the one before, after a share of the words has changed by one. Rejects
 * as {@link compareSeries}.
 */
export async function compareChanged(
  { files }: WeightCheckpoint,
  dtype: HalfDtype,
  { core, wanted }: CompareTools,
): Promise<ChangedFigures[]> {
  const methods = changedMethods(core).filter(({ name }) => wanted(name));
  const figures: ChangedFigures[] = [];
  for (const share of changedShares) {
    const changed = files.map((file) =>
      withBytes(
        file,
        new Uint8Array(changeWords(new Uint16Array(file.bytes.buffer), { dtype, share, seed: changedSeed }).buffer),
      ),
    );
    const coded = [];
    for (const method of methods) {
      let bytes = 0;
      for (const [i, file] of changed.entries()) bytes += (await roundTrip(method, file, files[i])).bytes;
      coded.push({ name: method.name, bytes });
    }
    const prototype = prototypeCosts[dtype].map(({ name, bytes }) => ({
      name,
      bytes: bytes(joined(changed), joined(files)),
    }));
    figures.push({
      dtype,
      share,
      weightCount: sum(files.map(({ bytes }) => bytes.length)) / dtypeBytes[dtype],
      methods: coded,
      prototype,
    });
  }
  return figures;
}

function joined(files: readonly WeightFile[]): Uint8Array {
  return files.length === 1 ? files[0]!.bytes : new Uint8Array(Buffer.concat(files.map(({ bytes }) => bytes)));
}
