import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isQuantizable } from '../../../src/checkpoint/dtype.ts';
import type { LayerType } from '../../../src/checkpoint/layer-type.ts';
import { degradationLimits, metricLimits } from '../../../src/checkpoint/quality/degradation-limits.ts';
import type { DegradationLimits, MetricValues, QualityThresholds } from '../../../src/checkpoint/quality/quality.ts';
import type { SafetensorsLayout } from '../../../src/checkpoint/safetensors/safetensors-layout.ts';
import { bindUploaded } from '../../../src/cli/demo/bind-uploaded.ts';
import type { Series } from '../../../src/cli/demo/read-series.ts';
import { seriesEvalSpec } from '../../../src/cli/demo/series-eval-spec.ts';
import { judgeMetrics } from '../../../src/compress/measure/judge-metrics.ts';
import { createEvaluator } from '../../../src/evaluate/create-evaluator.ts';
import type { Evaluator } from '../../../src/evaluate/evaluator.ts';
import { describeGraph } from '../../../src/graph/describe-graph.ts';
import { layerTypesFor } from '../../../src/graph/layers/layer-types-for.ts';
import type { WeightBinding } from '../../../src/graph/weight-binding.ts';
import type { NativeCore } from '../../../src/native/core.ts';
import type { CheckpointWeights } from '../series/checkpoint-weights.ts';

/** Rebuilt values by tensor name; absent tensors are as uploaded. */
export type RebuiltWeights = ReadonlyMap<string, Float32Array>;

export interface MeasuredQuality {
  readonly degradation: Readonly<Record<string, number>>;
  readonly passed: boolean;
  /** Metrics of the uploaded model, and of the rebuilt one. */
  readonly metricsBefore: MetricValues;
  readonly metricsAfter: MetricValues;
}

/** Deadline in ms and memory limit of one evaluation. */
const deadlineMs = 600_000;
const memoryMaxBytes = 8 * 1024 ** 3;

/** Evaluates rebuilt weights with the product's evaluator, metrics and thresholds. Close it. */
export class QualityMeter {
  private readonly series: Series;
  private readonly thresholds: QualityThresholds;
  private readonly directory: string;
  private readonly core: NativeCore;
  private readonly evaluator: Evaluator = createEvaluator({ parallel: 1, deadlineMs, memoryMaxBytes });
  private readonly graphBytes: Uint8Array;
  private readonly baselines = new Map<number, MetricValues>();
  private binding: WeightBinding | undefined;

  constructor(series: Series, thresholds: QualityThresholds, directory: string, core: NativeCore) {
    this.series = series;
    this.thresholds = thresholds;
    this.directory = directory;
    this.core = core;
    this.graphBytes = readFileSync(series.graphPath);
  }

  /** Layer types of tensors, as the product decides them. */
  layerTypes(layout: SafetensorsLayout): ReadonlyMap<string, LayerType> {
    return layerTypesFor({
      tensors: layout.tensors,
      graph: describeGraph(this.graphBytes),
      ...(this.binding !== undefined && { binding: this.binding }),
    });
  }

  /** Degradation of rebuilt weights against the uploaded ones, and whether every threshold holds. */
  async measure(checkpoint: CheckpointWeights, rebuilt: RebuiltWeights): Promise<MeasuredQuality> {
    const baseline = await this.uploaded(checkpoint);
    const spec = seriesEvalSpec(this.series);
    const bound = { spec, thresholds: this.limits(checkpoint.step, baseline), baseline };
    const metrics = await this.metrics(checkpoint, rebuilt);
    const { degradation, passed } = judgeMetrics(bound, { whole: metrics });
    return { degradation, passed, metricsBefore: baseline, metricsAfter: metrics };
  }

  /** What the thresholds come to at a step. Methods measure the checkpoints of a series in its order. */
  private limits(step: number, baseline: MetricValues): DegradationLimits {
    const { metrics } = seriesEvalSpec(this.series);
    const earlier = [...this.baselines]
      .filter(([at]) => at < step)
      .sort(([a], [b]) => b - a)
      .map(([at, values]) => ({ run: this.series.name, step: at, metrics: values }));
    return degradationLimits(metricLimits({ metrics, thresholds: this.thresholds, baseline, earlier }));
  }

  /** Metrics of the uploaded weights, evaluated once for each step. */
  async uploaded(checkpoint: CheckpointWeights): Promise<MetricValues> {
    const baseline = this.baselines.get(checkpoint.step) ?? (await this.metrics(checkpoint, new Map()));
    this.baselines.set(checkpoint.step, baseline);
    return baseline;
  }

  close(): Promise<void> {
    return this.evaluator.close();
  }

  private async metrics(checkpoint: CheckpointWeights, rebuilt: RebuiltWeights): Promise<MetricValues> {
    const { graphPath, batchesPath } = this.series;
    this.binding ??= await bindUploaded(this.graphBytes, checkpoint.tensors, seriesEvalSpec(this.series));
    const weightPaths: string[] = [];
    for (const [number, { layout, tensors }] of checkpoint.files.entries()) {
      const path = join(this.directory, `candidate-${number}.safetensors`);
      const bodies = await Promise.all(
        tensors.map(async ({ name, dtype, bytes }) => {
          const values = rebuilt.get(name);
          if (values === undefined) return bytes;
          if (!isQuantizable(dtype)) throw new TypeError(`${name} of ${dtype} is not one to rebuild`);
          return this.core.convert(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 'F32', dtype);
        }),
      );
      await writeFile(path, Buffer.concat([layout.headerBytes, ...bodies]));
      weightPaths.push(path);
    }
    try {
      return await this.evaluator.evaluate({
        evalSet: { graphPath, batchesPath, spec: seriesEvalSpec(this.series) },
        binding: this.binding,
        weightPaths,
      });
    } finally {
      await Promise.all(weightPaths.map((path) => rm(path)));
    }
  }
}
