import type { Hysteresis } from '../../src/checkpoint/options/methods/residual-search-options.ts';
import type { SearchOptions } from '../../src/checkpoint/options/search-options.ts';
import type { QualityThresholds } from '../../src/checkpoint/quality/quality.ts';
import { HubClient } from '../../src/cli/demo/hub-client.ts';
import type { HubProcess } from '../../src/cli/demo/hub-process.ts';
import type { Series } from '../../src/cli/demo/read-series.ts';
import { seriesEvalSpec } from '../../src/cli/demo/series-eval-spec.ts';
import type { NativeCore } from '../../src/native/core.ts';
import { prepareBenchHub } from '../prepare-bench-hub.ts';
import { bitSnapName, runBitSnap } from './bitsnap-run.ts';
import { allComparators } from './all-comparators.ts';
import { loadCheckpoint, type CheckpointWeights } from './series/checkpoint-weights.ts';
import { deltaCoders } from './coding/delta-coders.ts';
import { contextCodedResult, hubResult, recodedResult } from './hub-methods.ts';
import { runAtHub, type HubRun } from './hub-run.ts';
import { totalBytes, type CheckpointOutcome, type MethodResult } from './method-result.ts';
import { QualityMeter } from './quality/quality-meter.ts';

export interface Comparison {
  readonly series: Series;
  readonly thresholds: QualityThresholds;
  /** Folder for packages and candidates; the caller removes it. */
  readonly directory: string;
  /** Starts a separate hub for the comparison; the caller stops it at the end. */
  readonly startHub: () => Promise<HubProcess>;
  readonly core: NativeCore;
  /** Whether a method of this name runs. */
  readonly wanted: (name: string) => boolean;
  /**
   * Number of fixed seeds tried for the paper's codebooks, beside new ones for every checkpoint. A hub derives a seed
   * from a run's name.
   */
  readonly seeds: number;
  /** Runs the paper's method once, searching in both directions with the first seed; all variants otherwise. */
  readonly paperOnce?: boolean;
  /** For our own method; a run's default if absent. */
  readonly hysteresis?: Hysteresis;
  /** Batches that the hub never sees; the results of ours and of the paper's method are measured on them too. */
  readonly freshBatchesPath?: string;
  readonly onProgress: (line: string) => void;
  /** Called with the results so far after each method, because a run takes long and another method may fail. */
  readonly onResults: (results: readonly MethodResult[]) => Promise<void>;
}

export const ourName = 'Firn (residual)';
export const paperName = 'the paper (inshrinkerator)';
export const lcCheckpointName = 'LC-Checkpoint';

interface PaperRun {
  readonly run: string;
  readonly note: string;
  readonly search: Partial<SearchOptions>;
}

/**
 * Variants that the paper leaves open. Its search may move either way or, as in its section 5, never to a more
 * aggressive config; its codebooks have one seed, or a new one for every checkpoint. All run; the smallest result
 * counts as the paper's.
 */
function paperRuns(seeds: number): PaperRun[] {
  const searches = [
    { name: 'paper-free', how: 'search in both directions', neverMoreAggressive: false },
    { name: 'paper-monotone', how: 'search never more aggressive', neverMoreAggressive: true },
  ];
  return searches.flatMap(({ name, how, neverMoreAggressive }): PaperRun[] => [
    ...Array.from({ length: seeds }, (_, i): PaperRun => ({
      run: i === 0 ? name : `${name}-${i + 1}`,
      note: `${how}, fixed seed`,
      search: { method: 'inshrinkerator', neverMoreAggressive, codebookSeed: 'run' },
    })),
    {
      run: `${name}-fresh`,
      note: `${how}, fresh seeds`,
      search: { method: 'inshrinkerator', neverMoreAggressive, codebookSeed: 'checkpoint' },
    },
  ]);
}

/** Runs every wanted method on the same checkpoints under the same thresholds with the same evaluator; ours first. */
export async function compareMethods(comparison: Comparison): Promise<MethodResult[]> {
  const { series, thresholds, directory, core, wanted, onProgress, onResults } = comparison;
  const meter = new QualityMeter(series, thresholds, directory, core);
  try {
    const checkpoints: CheckpointWeights[] = [];
    for (const checkpoint of series.checkpoints)
      checkpoints.push(await loadCheckpoint(checkpoint, (layout) => meter.layerTypes(layout), core));
    const results = [ourName, paperName, lcCheckpointName, bitSnapName].some(wanted)
      ? await hubResults(comparison, checkpoints)
      : [];
    for (const { name, run } of allComparators) {
      if (!wanted(name)) continue;
      results.push(await run(checkpoints, { core, meter, onProgress }));
      await onResults(results);
    }
    return results;
  } finally {
    await meter.close();
  }
}

/**
 * Ours, the paper's with its coders, LC-Checkpoint and BitSnap. They run through a separate hub, so that all stored
 * bytes count.
 */
async function hubResults(comparison: Comparison, checkpoints: readonly CheckpointWeights[]): Promise<MethodResult[]> {
  const { hysteresis, series, thresholds, directory, core, wanted, onProgress, onResults } = comparison;
  const hubProcess = await comparison.startHub();
  const hub = new HubClient(hubProcess.url);
  const place = { hub, repository: await prepareBenchHub(hub, 'compression', series), series, core, directory };
  const results: MethodResult[] = [];
  const compared = { checkpoints, spec: seriesEvalSpec(series) };
  if (wanted(ourName)) {
    const run = await runAtHub(
      place,
      { run: 'residual', thresholds, search: { method: 'residual', ...(hysteresis && { hysteresis }) } },
      onProgress,
    );
    const note = hysteresis === 'priced' ? 'moves priced in bits' : '';
    const result = hubResult(run, compared, { name: ourName, note, alwaysAfresh: false });
    results.push(await onFreshExamples(comparison, run, { result, checkpoints }));
    await onResults(results);
  }
  if (wanted(paperName)) {
    let best: { readonly run: HubRun; readonly result: MethodResult } | undefined;
    const variants = paperRuns(comparison.seeds);
    for (const { run: name, note, search } of comparison.paperOnce === true ? variants.slice(0, 1) : variants) {
      const run = await runAtHub(place, { run: name, thresholds, search }, onProgress);
      const result = hubResult(run, compared, { name: paperName, note, alwaysAfresh: true });
      if (best === undefined || totalBytes(result) < totalBytes(best.result)) best = { run, result };
    }
    const { run, result } = best!;
    results.push(
      await onFreshExamples(comparison, run, { result, checkpoints }),
      ...deltaCoders.map((coder) => recodedResult(run, result, coder)),
      await contextCodedResult(run, result, core),
    );
    await onResults(results);
  }
  if (wanted(lcCheckpointName)) {
    const run = await runAtHub(
      place,
      { run: 'lc-checkpoint', thresholds, search: { method: 'lc-checkpoint' } },
      onProgress,
    );
    results.push(hubResult(run, compared, { name: lcCheckpointName, note: '', alwaysAfresh: false }));
    await onResults(results);
  }
  if (wanted(bitSnapName)) {
    const run = await runBitSnap(place, { thresholds, onProgress });
    results.push(
      hubResult(run, compared, { name: bitSnapName, note: 'weights in BF16, against these', alwaysAfresh: false }),
    );
    await onResults(results);
  }
  return results;
}

/** The result, measured on fresh examples too if there are any. */
async function onFreshExamples(
  { series, freshBatchesPath, thresholds, directory, core }: Comparison,
  run: HubRun,
  { result, checkpoints }: { readonly result: MethodResult; readonly checkpoints: readonly CheckpointWeights[] },
): Promise<MethodResult> {
  if (freshBatchesPath === undefined) return result;
  const meter = new QualityMeter({ ...series, batchesPath: freshBatchesPath }, thresholds, directory, core);
  try {
    const outcomes: CheckpointOutcome[] = [];
    for (const [i, outcome] of result.outcomes.entries()) {
      const rebuilt = new Map(run.stored[i]!.tensors.map(({ name, values }) => [name, values]));
      const { degradation: freshDegradation } = await meter.measure(checkpoints[i]!, rebuilt);
      outcomes.push({ ...outcome, freshDegradation });
    }
    return { ...result, outcomes };
  } finally {
    await meter.close();
  }
}
