import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import { configKey, type QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import type { Tracer } from '../../telemetry/tracer.ts';
import { trialKey, type TrialConditions } from '../../search/trial-conditions.ts';
import { TrialRunner, type TrialOutcome } from '../../search/trial-runner.ts';
import type { NativeCore } from '../../native/core.ts';
import { digestFile } from '../encode/digest-file.ts';
import type { QuantizedDigest } from '../encode/digest-quantized.ts';
import { judgedOf, judgeMetrics, type QualityBound } from './judge-metrics.ts';
import type { ModelSource } from '../upload/model-source.ts';
import type { CodingPlan } from '../plan/plan-codings.ts';
import type { MeasuredTrial, MeasuredTrials } from './measured-trials.ts';
import type { QualityGate } from './quality-gate.ts';
import type { Quantization, QuantizedModel } from '../method/quantized-model.ts';
import { weightExcess } from './weight-excess.ts';
import { writeCandidate } from './write-candidate.ts';

export interface CheckpointSearch {
  readonly checkpointId: string;
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  readonly quantization: Quantization;
  readonly gate: QualityGate;
  readonly bound: QualityBound;
  /** Trials that measure all observed metrics, with those of earlier searches. */
  readonly observedTrials: number;
  /** `SearchOptions.weightErrorMax`. */
  readonly weightErrorMax: number | undefined;
  readonly trialsMax: number;
}

export interface SearchServices {
  readonly catalog: Catalog;
  readonly core: Pick<NativeCore, 'crc32cSync'>;
  /** Trials of this attempt; those of this search are added. */
  readonly measured: MeasuredTrials;
  /** For candidate files; they are removed as soon as they are evaluated. */
  readonly directory: string;
  readonly blockParallel: number;
  readonly onTrial: () => void;
  readonly tracer: Tracer;
  readonly signal: AbortSignal;
}

export interface SearchOutcome {
  /** Undefined when nothing passed. */
  readonly config: QuantizationConfig | undefined;
  readonly trialCount: number;
  /** The config's trial; absent if it was recorded before a takeover. */
  readonly measured?: MeasuredTrial | undefined;
}

/**
 * Finds the config of one checkpoint: writes candidates to disk as a download would return them, and evaluates them in
 * child processes. Trials are recorded as they end; those recorded before a takeover are not evaluated again if they
 * were measured on the same kind of device.
 */
export async function searchCheckpoint(search: CheckpointSearch, services: SearchServices): Promise<SearchOutcome> {
  const { catalog } = services;
  const group = new GroupStop(services.signal);
  const { signal } = group;
  const recorded = await catalog.trials.list(search.checkpointId);
  const { quantization } = search;
  const { halfBaselines, standardErrors, divergences } = search.bound;
  // A trial without halves gives no information about halves, and neither does one without guards about these.
  const conditions: TrialConditions = {
    ...quantization.conditions,
    weightErrorMax: search.weightErrorMax,
    halves: halfBaselines !== undefined,
    guarded: standardErrors !== undefined || divergences !== undefined,
    device: search.gate.device,
  };
  const recordKey = (config: QuantizationConfig): string => trialKey(config, conditions);
  const ours = recorded.filter((trial) => trial.configKey === recordKey(trial.config));
  // One numbering for all searches of the checkpoint.
  const number = ours[0]?.search ?? Math.max(0, ...recorded.map((trial) => trial.search)) + 1;
  const ordinalFirst = recorded.length - ours.length;
  const known = new Map<string, TrialOutcome>();
  for (const trial of ours) {
    const outcome = judgeMetrics(search.bound, { ...trial, whole: trial.metrics });
    // A record has no error of the weights; it is computed again.
    const isBounded = search.weightErrorMax !== undefined;
    known.set(
      configKey(trial.config),
      isBounded
        ? await judgeWeights(search, await quantization.quantize(trial.config), outcome, { ...services, signal })
        : outcome,
    );
  }
  const seconds = new Map<string, number>();
  const estimate = (config: QuantizationConfig) =>
    quantization.estimateBytes(config, { parallel: services.blockParallel, signal });
  const runner: TrialRunner = new TrialRunner(
    {
      estimateBytes: estimate,
      evaluate: async (config) => {
        const started = performance.now();
        const outcome = await group.join(
          services.tracer.span(
            'encode.trial',
            {
              attributes: {
                'firn.method': config.method,
                'firn.config': configKey(config),
                'firn.device': search.gate.device,
              },
            },
            async (span) => {
              const { outcome: judged, measured } = await evaluateConfig(search, config, { ...services, signal });
              if (measured !== undefined) services.measured.passed.set(recordKey(config), measured);
              span.set({ 'firn.passed': judged.passed, 'firn.worst': judged.worst });
              return judged;
            },
          ),
        );
        seconds.set(configKey(config), (performance.now() - started) / 1000);
        return outcome;
      },
      onTrial: async (config, outcome, ordinal) => {
        const { metrics, halves, degradation, standardError, observed, passed } = outcome;
        const key = configKey(config);
        const estimatedBytes = await services.tracer.span(
          'encode.estimate',
          { attributes: { 'firn.config': key } },
          async (span) => {
            const bytes = Math.round(await runner.estimate(config));
            span.set({ 'firn.estimated_bytes': bytes });
            return bytes;
          },
        );
        await catalog.trials.record({
          checkpointId: search.checkpointId,
          configKey: recordKey(config),
          config,
          ordinal: ordinalFirst + ordinal,
          search: number,
          estimatedBytes,
          device: search.gate.device,
          metrics,
          ...(halves !== undefined && { halves }),
          degradation,
          ...(standardError !== undefined && { standardError }),
          ...(observed !== undefined && { observed }),
          passed,
          seconds: seconds.get(key)!,
        });
        services.onTrial();
      },
    },
    { parallel: search.gate.parallel, trialsMax: search.trialsMax, known },
  );
  try {
    const found = await quantization.search(runner);
    const measured = found && services.measured.passed.get(recordKey(found.config));
    return { config: found?.config, trialCount: runner.trialCount, measured };
  } finally {
    await group.stop();
  }
}

/**
 * Concurrent evaluations: when one fails, the search ends, and none of the others may continue to read and write files.
 */
class GroupStop {
  readonly signal: AbortSignal;
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<unknown>>();

  constructor(outer: AbortSignal) {
    this.signal = AbortSignal.any([outer, this.stopping.signal]);
  }

  join<T>(work: Promise<T>): Promise<T> {
    this.running.add(work);
    const leave = (): void => {
      this.running.delete(work);
    };
    work.then(leave, leave);
    return work;
  }

  /** Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.allSettled(this.running);
  }
}

async function evaluateConfig(
  search: CheckpointSearch,
  config: QuantizationConfig,
  services: SearchServices,
): Promise<{ readonly outcome: TrialOutcome; readonly measured?: MeasuredTrial }> {
  const directory = join(services.directory, `trial-${configKey(config).replaceAll('/', '-')}`);
  await mkdir(directory, { recursive: true });
  try {
    const quantized = await search.quantization.quantize(config);
    const paths = await writeCandidate({ source: search.source, plan: search.plan, quantized }, directory, {
      parallel: services.blockParallel,
      signal: services.signal,
    });
    const { gate } = search;
    const isObserved = services.measured.begun++ < search.observedTrials;
    const measurement = isObserved
      ? await gate.evaluateAll([...paths.values()], services.signal)
      : await gate.evaluate([...paths.values()], services.signal);
    const judged = judgeMetrics(search.bound, judgedOf(search.bound, measurement));
    const outcome = await judgeWeights(search, quantized, judged, services);
    if (!outcome.passed || !isObserved) return { outcome };
    const digests = new Map<number, QuantizedDigest>();
    for (const [file, path] of paths)
      digests.set(file, await digestFile(path, services.core.crc32cSync, services.signal));
    return { outcome, measured: { measurement, digests } };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * The outcome, with the bound on weights as one threshold more. A method that keeps to the bound itself may be close to
 * it in every config, so there only an error beyond it counts.
 */
async function judgeWeights(
  { source, plan, weightErrorMax }: CheckpointSearch,
  quantized: QuantizedModel,
  outcome: TrialOutcome,
  { blockParallel: parallel, signal }: SearchServices,
): Promise<TrialOutcome> {
  if (weightErrorMax === undefined) return outcome;
  const model = { source, plan, quantized };
  const own = quantized.weightExcess;
  const excess = own ?? (await weightExcess(model, weightErrorMax, { parallel, signal }));
  if (excess <= outcome.worst || (own !== undefined && own <= 1)) return outcome;
  const { uncertain: _, ...rest } = outcome;
  return { ...rest, passed: outcome.passed && excess <= 1, worst: excess };
}
