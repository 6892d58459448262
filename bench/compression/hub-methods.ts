import type { EvalSetSpec } from '../../src/checkpoint/quality/eval-set-spec.ts';
import type { NativeCore } from '../../src/native/core.ts';
import { guardOutcome } from '../guards/guard-outcome.ts';
import type { CheckpointWeights } from './series/checkpoint-weights.ts';
import { boundBits, type BinHistory } from './coding/bin-entropy.ts';
import { contextCodedBytes } from './coding/context-coded-bytes.ts';
import { cheapestDeltaBits, type BinPair, type DeltaCoder } from './coding/delta-coders.ts';
import { knobOf, type HubRun } from './hub-run.ts';
import type { CheckpointOutcome, MethodResult } from './method-result.ts';
import { movementLost, type MovedTensor } from './quality/movement-lost.ts';
import type { StoredCheckpoint, StoredTensor } from './series/stored-series.ts';
import { errorRatio, roundAfresh, weightedError } from './quality/weighted-error.ts';

/** What a hub run is compared with: the uploads, and the eval set by which the hub measured. */
export interface Compared {
  readonly checkpoints: readonly CheckpointWeights[];
  readonly spec: EvalSetSpec;
}

/** A hub run as a row of the table. */
export function hubResult(
  run: HubRun,
  { checkpoints, spec }: Compared,
  named: Pick<MethodResult, 'name' | 'note' | 'alwaysAfresh'>,
): MethodResult {
  const outcomes = run.statuses.map(({ step, result }, i): CheckpointOutcome => {
    const {
      rawBytes,
      storedBytes,
      degradation = {},
      migration,
      trialCount,
      config,
      baseline = {},
      measured = {},
    } = result!;
    const stored = run.stored[i]!;
    const ratio = residualErrorRatio(stored, checkpoints[i]!);
    return {
      step,
      rawBytes,
      bytes: storedBytes,
      knob: knobOf(config),
      degradation: result!.fidelity === 'exact' ? {} : degradation,
      metricsBefore: baseline,
      metricsAfter: result!.fidelity === 'exact' ? baseline : measured,
      evaluations: trialCount,
      guards: guardOutcome(stored, checkpoints[i]!, { result: result!, spec }),
      ...(migration !== undefined && { migration }),
      ...(i > 0 &&
        stored.tensors.length > 0 && {
          movementLost: movementLost(movedTensors(stored, checkpoints[i]!, checkpoints[i - 1]!)),
        }),
      ...(ratio !== undefined && { errorRatio: ratio }),
      ...(stored.tensors.length > 0 && {
        bins: { bytes: stored.binBytes, boundBytes: boundBits(historiesAt(run.stored, i)) / 8 },
      }),
    };
  });
  return { ...named, outcomes, encodeSeconds: run.encodeSeconds, decodeSeconds: run.decodeSeconds };
}

/**
 * The paper's run with the bins of every checkpoint coded by one of the paper's coders instead: code lengths, tables
 * included; everything else as stored.
 */
export function recodedResult(run: HubRun, paper: MethodResult, coder: DeltaCoder): MethodResult {
  const binBytes = run.stored.map((_, i) => cheapestDeltaBits(coder, pairsOf(run.stored, i)) / 8);
  return withBinBytes(paper, binBytes, { name: `the paper's bins, ${coder}`, note: 'code lengths' });
}

/** The paper's run with its bins in Firn's context coder, actually encoded. */
export async function contextCodedResult(run: HubRun, paper: MethodResult, core: NativeCore): Promise<MethodResult> {
  const binBytes: number[] = [];
  for (const i of run.stored.keys()) binBytes.push(await contextCodedBytes(core, historiesAt(run.stored, i)));
  return withBinBytes(paper, binBytes, { name: "the paper's bins, Firn's context coder", note: 'encoded' });
}

function withBinBytes(
  paper: MethodResult,
  binBytes: readonly number[],
  named: Pick<MethodResult, 'name' | 'note'>,
): MethodResult {
  const outcomes = paper.outcomes.map((outcome, i): CheckpointOutcome => {
    if (outcome.bins === undefined) return outcome;
    return {
      ...outcome,
      bytes: Math.ceil(outcome.bytes - outcome.bins.bytes + binBytes[i]!),
      bins: { ...outcome.bins, bytes: binBytes[i]! },
    };
  });
  return { ...named, outcomes, alwaysAfresh: true, sameModelAs: paper.name };
}

/** One pair for each codebook, with its tensors concatenated. */
function pairsOf(stored: readonly StoredCheckpoint[], at: number): BinPair[] {
  const { tensors } = stored[at]!;
  const before = byName(ancestorOf(stored, stored[at]));
  const codebooks = [...new Set(tensors.map(({ codebook }) => codebook))];
  return codebooks.map((codebook) => {
    const members = tensors.filter((tensor) => tensor.codebook === codebook);
    const twins = members.map(({ name }) => before.get(name));
    const known = twins.every((twin) => twin !== undefined);
    return {
      current: members.flatMap(({ bins }) => Array.from(bins)),
      previous: known ? twins.flatMap((twin) => Array.from(twin.bins)) : undefined,
      modulus: Math.max(...[...members, ...twins].map((tensor) => tensor?.levelCount ?? 1)),
    };
  });
}

/** Every tensor's bins with those of the two checkpoints that its package builds on. */
function historiesAt(stored: readonly StoredCheckpoint[], at: number): BinHistory[] {
  const { tensors } = stored[at]!;
  const ancestor = ancestorOf(stored, stored[at]);
  const [previous, beforePrevious] = [byName(ancestor), byName(ancestorOf(stored, ancestor))];
  return tensors.map(({ name, bins }) => ({
    current: bins,
    previous: previous.get(name)?.bins,
    beforePrevious: beforePrevious.get(name)?.bins,
  }));
}

/** The ancestor of a checkpoint's package: not always the checkpoint before. */
function ancestorOf(
  stored: readonly StoredCheckpoint[],
  checkpoint: StoredCheckpoint | undefined,
): StoredCheckpoint | undefined {
  return checkpoint?.ancestor === undefined ? undefined : stored[checkpoint.ancestor];
}

function byName(checkpoint: StoredCheckpoint | undefined): Map<string, StoredTensor> {
  return new Map((checkpoint?.tensors ?? []).map((tensor) => [tensor.name, tensor]));
}

/** All quantized tensors that the checkpoint before has as well. */
function movedTensors(
  stored: StoredCheckpoint,
  checkpoint: CheckpointWeights,
  before: CheckpointWeights,
): MovedTensor[] {
  const [now, then] = [checkpoint, before].map(
    ({ tensors }) => new Map(tensors.map(({ name, values }) => [name, values])),
  );
  return stored.tensors.flatMap(({ name, values }) => {
    const [weights, previous] = [now!.get(name), then!.get(name)];
    return weights === undefined || weights.length !== previous?.length
      ? []
      : [{ weights, before: previous, rebuilt: values }];
  });
}

/** For tensors with a step: the error against rounding the raw weights to multiples of the same step. */
function residualErrorRatio(stored: StoredCheckpoint, checkpoint: CheckpointWeights) {
  const weights = new Map(checkpoint.tensors.map(({ name, values }) => [name, values!]));
  const stepped = stored.tensors.filter(({ step }) => step !== undefined);
  if (stepped.length === 0) return undefined;
  return errorRatio(
    stepped.map(({ name, step, values }) => {
      const [raw, gradients] = [weights.get(name)!, checkpoint.gradients.get(name)];
      return {
        name,
        error: weightedError(raw, values, gradients),
        fresh: weightedError(raw, roundAfresh(raw, step!), gradients),
      };
    }),
  );
}
