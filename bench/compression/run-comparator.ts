import type { NativeCore } from '../../src/native/core.ts';
import type { CheckpointWeights, WeightTensor } from './series/checkpoint-weights.ts';
import { boundBits } from './coding/bin-entropy.ts';
import type { Comparator, DecodedState, TensorValues } from './comparators/comparator.ts';
import { exactBytes } from './exact-bytes.ts';
import type { CheckpointOutcome, MethodResult } from './method-result.ts';
import { movementLost, type MovedTensor } from './quality/movement-lost.ts';
import type { QualityMeter } from './quality/quality-meter.ts';

export interface ComparatorTools {
  readonly core: NativeCore;
  readonly meter: QualityMeter;
  readonly onProgress: (line: string) => void;
}

/** A candidate for one checkpoint. */
interface Candidate<Knob> {
  readonly knob: Knob;
  readonly bytes: Uint8Array;
  readonly encodeSeconds: number;
}

/** State of a series after a checkpoint. */
interface Progress {
  readonly checkpoint: CheckpointWeights;
  readonly exact: readonly WeightTensor[];
  /** All tensors, if the checkpoint was stored exact. */
  readonly everything?: readonly WeightTensor[];
  readonly state: DecodedState;
  readonly binsBefore: readonly Int32Array[] | undefined;
}

/**
 * Runs a comparator over a series. It takes the knob with the fewest bytes that stays inside every threshold; if none
 * does, the checkpoint is stored exact. Deltas are against its own previous output.
 */
export async function runComparator<Knob>(
  comparator: Comparator<Knob>,
  checkpoints: readonly CheckpointWeights[],
  tools: ComparatorTools,
): Promise<MethodResult> {
  const outcomes: CheckpointOutcome[] = [];
  let [encodeSeconds, decodeSeconds] = [0, 0];
  let progress: Progress | undefined;
  for (const checkpoint of checkpoints) {
    const done = await oneCheckpoint(comparator, checkpoint, progress, tools);
    ({ progress } = done);
    outcomes.push(done.outcome);
    encodeSeconds += done.encodeSeconds;
    decodeSeconds += done.decodeSeconds;
    const { bytes, rawBytes, knob, evaluations } = done.outcome;
    tools.onProgress(
      `${comparator.name}@${checkpoint.step}: ${bytes} bytes, ratio ${(rawBytes / bytes).toFixed(1)}, ` +
        `${knob}, ${evaluations} evaluations`,
    );
  }
  return {
    name: comparator.name,
    note: '',
    outcomes,
    encodeSeconds,
    decodeSeconds,
    alwaysAfresh: comparator.alwaysAfresh,
  };
}

async function oneCheckpoint<Knob>(
  comparator: Comparator<Knob>,
  checkpoint: CheckpointWeights,
  before: Progress | undefined,
  { core, meter }: ComparatorTools,
) {
  const taken: TensorValues[] = checkpoint.tensors
    .filter((tensor) => comparator.takes(tensor))
    .map(({ name, layerType, values }) => ({ name, layerType, values: values!, elementCount: values!.length }));
  const others = checkpoint.tensors.filter((tensor) => !comparator.takes(tensor));
  const otherBytes = await exactBytes(core, others, before?.exact);
  const candidates = candidatesOf(comparator, taken, before?.state);
  let evaluations = 0;
  for (const { knob, bytes, encodeSeconds } of candidates) {
    const started = performance.now();
    const state = comparator.decode(bytes, taken, before?.state);
    const decodeSeconds = (performance.now() - started) / 1000;
    evaluations += 1;
    const { degradation, passed, metricsBefore, metricsAfter } = await meter.measure(
      checkpoint,
      new Map(taken.map(({ name }, i) => [name, state.values[i]!])),
    );
    if (!passed) continue;
    const outcome: CheckpointOutcome = {
      step: checkpoint.step,
      rawBytes: checkpoint.rawBytes,
      bytes: bytes.length + otherBytes,
      knob: comparator.describe(knob),
      degradation,
      metricsBefore,
      metricsAfter,
      evaluations,
      ...(before !== undefined && { movementLost: movementLost(movedTensors(taken, state, before.checkpoint)) }),
      ...figuresOf(state, before),
    };
    return {
      outcome,
      encodeSeconds,
      decodeSeconds,
      progress: { checkpoint, exact: others, state, binsBefore: before?.state.bins },
    };
  }
  const bytes = await exactBytes(core, checkpoint.tensors, before?.everything ?? before?.exact);
  // The rebuilt weights are the uploaded ones.
  const metrics = await meter.uploaded(checkpoint);
  const outcome: CheckpointOutcome = {
    step: checkpoint.step,
    rawBytes: checkpoint.rawBytes,
    bytes,
    knob: 'exact',
    degradation: {},
    metricsBefore: metrics,
    metricsAfter: metrics,
    evaluations,
  };
  const state = { values: taken.map(({ values }) => values) };
  return {
    outcome,
    encodeSeconds: 0,
    decodeSeconds: 0,
    progress: { checkpoint, exact: others, everything: checkpoint.tensors, state, binsBefore: undefined },
  };
}

/** All knobs, fewest bytes first. */
function candidatesOf<Knob>(
  comparator: Comparator<Knob>,
  tensors: readonly TensorValues[],
  previous: DecodedState | undefined,
): Candidate<Knob>[] {
  const candidates = comparator.knobs.map((knob) => {
    const started = performance.now();
    const bytes = comparator.encode(tensors, knob, previous);
    return { knob, bytes, encodeSeconds: (performance.now() - started) / 1000 };
  });
  return candidates.sort((a, b) => a.bytes.length - b.bytes.length);
}

function movedTensors(
  taken: readonly TensorValues[],
  { values }: DecodedState,
  { tensors }: CheckpointWeights,
): MovedTensor[] {
  const before = new Map(tensors.map((tensor) => [tensor.name, tensor.values]));
  return taken.flatMap(({ name, values: weights }, i) => {
    const previous = before.get(name);
    return previous?.length === weights.length ? [{ weights, before: previous, rebuilt: values[i]! }] : [];
  });
}

function figuresOf(state: DecodedState, before: Progress | undefined): Pick<CheckpointOutcome, 'migration' | 'bins'> {
  const { bins, binBytes } = state;
  if (bins === undefined || binBytes === undefined) return {};
  const previous = before?.state.bins;
  const histories = bins.map((current, i) => ({
    current,
    previous: previous?.[i],
    beforePrevious: previous === undefined ? undefined : before?.binsBefore?.[i],
  }));
  return {
    bins: { bytes: binBytes, boundBytes: boundBits(histories) / 8 },
    ...(previous !== undefined && { migration: migrationOf(bins, previous) }),
  };
}

function migrationOf(bins: readonly Int32Array[], previous: readonly Int32Array[]): number {
  let [moved, total] = [0, 0];
  for (const [tensor, current] of bins.entries()) {
    total += current.length;
    for (let i = 0; i < current.length; i += 1) if (current[i] !== previous[tensor]![i]) moved += 1;
  }
  return total === 0 ? 0 : moved / total;
}
