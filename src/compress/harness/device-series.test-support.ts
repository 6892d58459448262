import { expect } from 'vitest';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import type { NativeCore } from '../../native/core.ts';
import type { PackageIndex } from '../../package/package-index.ts';
import { Dice } from '../../restore/random-run.test-support.ts';
import type { CompressHarness, Upload } from './compress-harness.test-support.ts';
import { packageContent } from './package-content.test-support.ts';

/** Checkpoints of one run, to be pushed with and without a device. */
export interface DeviceSeries {
  readonly run: (harness: CompressHarness) => Promise<Run>;
  readonly files: (step: number) => Upload;
  readonly steps: readonly number[];
}

/** Pushes a series, encoded with the harness's core or another one. */
export async function pushSeries(
  harness: CompressHarness,
  { run, files, steps }: DeviceSeries,
  core: NativeCore = harness.core,
): Promise<Checkpoint[]> {
  const created = await run(harness);
  const pushed: Checkpoint[] = [];
  for (const step of steps)
    pushed.push(await harness.push(created, step, files(step), { ctx: harness.context({ core }) }));
  return pushed;
}

/** Expects packages with the same bytes, and results that differ in nothing but times, names and the device. */
export async function expectSamePackages(
  [here, ofHere]: readonly [CompressHarness, readonly Checkpoint[]],
  [there, ofThere]: readonly [CompressHarness, readonly Checkpoint[]],
): Promise<void> {
  const indexes = { here: new Map<string, PackageIndex>(), there: new Map<string, PackageIndex>() };
  for (const [i, checkpoint] of ofHere.entries()) {
    const other = ofThere[i]!;
    expect(other.state).toBe('ready');
    const a = await packageContent(here, checkpoint, indexes.here);
    const b = await packageContent(there, other, indexes.there);
    expect(a.payloads.equals(b.payloads), `payloads of checkpoint ${i}`).toBe(true);
    expect(a.description).toEqual(b.description);
    expect(a.indexLengthBytes).toBe(b.indexLengthBytes);
    expect(comparable(other)).toEqual(comparable(checkpoint));
  }
}

/** A result without what differs between runs. */
function comparable({ result }: Checkpoint) {
  const { seconds: _, ancestorRun: __, encodedOn: ___, ...found } = result!;
  return found;
}

/** Calls, counted from 1, at which a device is to fail: a random one in each of `count` equal parts of `calls`. */
export function failurePoints(calls: number, count: number, seed: number): readonly number[] {
  const dice = new Dice(seed);
  return Array.from({ length: count }, (_, part) => {
    const [from, to] = [part, part + 1].map((edge) => Math.floor((edge * calls) / count)) as [number, number];
    return 1 + from + dice.below(Math.max(1, to - from));
  });
}
