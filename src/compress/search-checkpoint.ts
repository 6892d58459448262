import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalog } from '../catalog/catalog.ts';
import type { MetricValues } from '../checkpoint/quality.ts';
import { configKey, type QuantizationConfig } from '../checkpoint/quantization-config.ts';
import type { SearchOptions } from '../checkpoint/search-options.ts';
import { searchConfig } from '../search/search-config.ts';
import { TrialRunner, type TrialOutcome } from '../search/trial-runner.ts';
import type { NativeCore } from '../native/core.ts';
import type { Ancestor } from './ancestor.ts';
import { estimateBytes } from './estimate-bytes.ts';
import { judgeMetrics, type QualityBound } from './judge-metrics.ts';
import type { ModelSource } from './model-source.ts';
import type { CodingPlan } from './plan-codings.ts';
import type { QualityGate } from './quality-gate.ts';
import type { Quantizer } from './quantizer.ts';
import { writeCandidate } from './write-candidate.ts';

export interface CheckpointSearch {
  readonly checkpointId: string;
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  readonly quantizer: Quantizer;
  readonly ancestor: Ancestor | undefined;
  readonly gate: QualityGate;
  readonly baseline: MetricValues;
  readonly options: SearchOptions;
  readonly hasSensitivity: boolean;
  /** The config of the checkpoint before. */
  readonly last: QuantizationConfig | undefined;
}

export interface SearchServices {
  readonly catalog: Catalog;
  readonly core: NativeCore;
  /** For candidate files; they are removed as soon as they are evaluated. */
  readonly directory: string;
  readonly blockParallel: number;
  readonly onTrial: () => void;
  readonly signal: AbortSignal;
}

export interface SearchOutcome {
  /** Undefined when nothing passed. */
  readonly config: QuantizationConfig | undefined;
  readonly trialCount: number;
}

/**
 * Finds the config of one checkpoint: candidates are written to disk as they would come back and evaluated in child processes. Trials are
 * recorded as they end; those recorded before a takeover are not evaluated again.
 */
export async function searchCheckpoint(search: CheckpointSearch, services: SearchServices): Promise<SearchOutcome> {
  const { catalog, signal } = services;
  const bound: QualityBound = { spec: search.gate.spec, thresholds: search.gate.thresholds, baseline: search.baseline };
  const recorded = await catalog.trials.list(search.checkpointId);
  const known = new Map(recorded.map((trial) => [trial.configKey, judgeMetrics(bound, trial.metrics)]));
  const startedAt = new Map<string, number>();
  const estimate = (config: QuantizationConfig) => estimateBytes({ ...search, core: services.core }, config, { parallel: services.blockParallel, signal });
  const runner: TrialRunner = new TrialRunner({
    estimateBytes: estimate,
    evaluate: async (config) => {
      startedAt.set(configKey(config), performance.now());
      return evaluateConfig(search, bound, config, services);
    },
    onTrial: async (config, outcome, ordinal) => {
      const seconds = (performance.now() - startedAt.get(configKey(config))!) / 1000;
      const estimatedBytes = Math.round(await runner.estimate(config));
      await catalog.trials.record({ checkpointId: search.checkpointId, configKey: configKey(config), config, ordinal, estimatedBytes, metrics: outcome.metrics, degradation: outcome.degradation, passed: outcome.passed, seconds });
      services.onTrial();
    },
  }, { parallel: search.gate.parallel, trialsMax: search.options.trialsMax, known });
  const model = { hasEmbeddings: search.plan.groups.some((group) => group.layerType === 'embedding'), hasSensitivity: search.hasSensitivity };
  const found = await searchConfig({ options: search.options, model, ...(search.last === undefined ? {} : { last: search.last }) }, runner);
  return { config: found?.config, trialCount: runner.trialCount };
}

async function evaluateConfig(search: CheckpointSearch, bound: QualityBound, config: QuantizationConfig, services: SearchServices): Promise<TrialOutcome> {
  const directory = join(services.directory, `trial-${configKey(config).replaceAll('/', '-')}`);
  await mkdir(directory, { recursive: true });
  try {
    const groups = await search.quantizer.build(config);
    const quantized = { source: search.source, quantizer: search.quantizer, groups, core: services.core };
    const paths = await writeCandidate({ source: search.source, plan: search.plan, quantized }, services.core, directory, { parallel: services.blockParallel, signal: services.signal });
    return judgeMetrics(bound, await search.gate.evaluate([...paths.values()], services.signal));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
