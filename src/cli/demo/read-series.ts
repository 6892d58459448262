import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { constantsMax, type EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { modelFiles, sensitivityPathOf, type ModelFile } from './model-files.ts';

/** Largest series.json, in bytes. */
const seriesJsonMaxBytes = 4 * 1024 * 1024;

const schema = z.object({
  name: z.string().optional(),
  metric: z.string(),
  metric_higher_is_better: z.boolean(),
  metrics: z.record(z.string(), z.boolean()).optional(),
  onnx: z.string(),
  onnx_input: z.string(),
  onnx_output: z.string(),
  eval: z.string(),
  ignore_label: z.number().optional(),
  constants: z.array(z.string()).max(constantsMax).optional(),
  unused: z.array(z.string()).max(constantsMax).optional(),
  checkpoints: z
    .array(z.looseObject({ index: z.number().int(), step: z.number().int().nonnegative(), file: z.string() }))
    .min(1),
});

/** One checkpoint of a series on disk. */
export interface SeriesCheckpoint {
  readonly index: number;
  readonly step: number;
  /** One safetensors file, or its shards. */
  readonly modelFiles: readonly ModelFile[];
  readonly sensitivityPath?: string;
  /** Optimizer state, if it is to be pushed too. */
  readonly optimizerPath?: string;
  /** Values that training recorded for it, by metric; finite values only. */
  readonly recorded: Readonly<Record<string, number>>;
}

/** A checkpoint series with the layout of examples/lm-small: weights, gradient averages, an eval graph and batches. */
export interface Series {
  readonly name: string;
  /** The metric that bounds the series by default. */
  readonly metric: string;
  /** Every metric recorded per checkpoint. */
  readonly metrics: readonly string[];
  /** Whether higher is better, for metrics of which the series says so. */
  readonly directions: Readonly<Record<string, boolean>>;
  readonly graphPath: string;
  readonly batchesPath: string;
  readonly graphInput: string;
  readonly graphOutput: string;
  readonly ignoreLabel?: number;
  /** Constants of the graph that are no weights, in the form of the eval set's spec. */
  readonly constants?: EvalSetSpec['constants'];
  /** Tensors that the graph leaves out on purpose, in the same form. */
  readonly unused?: EvalSetSpec['unused'];
  /**
   * Set if the graph's names differ from the checkpoints'; {@link seriesTensorMap} computes it, `series.json` does not
   * contain it.
   */
  readonly tensorMap?: EvalSetSpec['tensorMap'];
  readonly checkpoints: readonly SeriesCheckpoint[];
}

/**
 * Reads `series.json` of a directory, and the indexes of sharded checkpoints. Throws an Error with one sentence if it
 * is not a series.
 */
export function readSeries(directory: string): Series {
  const path = join(directory, 'series.json');
  if (!existsSync(path)) throw new Error(`${directory} has no series.json`);
  if (statSync(path).size > seriesJsonMaxBytes) throw new Error(`${path} is larger than ${seriesJsonMaxBytes} bytes`);
  const info = parseSeries(path, readFileSync(path, 'utf8'));
  const metrics = metricNames(info);
  return {
    name: info.name ?? 'series',
    metric: info.metric,
    metrics,
    directions: { ...info.metrics, [info.metric]: info.metric_higher_is_better },
    graphPath: join(directory, info.onnx),
    batchesPath: join(directory, info.eval),
    graphInput: info.onnx_input,
    graphOutput: info.onnx_output,
    ...(info.ignore_label === undefined ? {} : { ignoreLabel: info.ignore_label }),
    ...(info.constants === undefined ? {} : { constants: info.constants }),
    ...(info.unused === undefined ? {} : { unused: info.unused }),
    checkpoints: info.checkpoints.map((checkpoint) => {
      const { index, step, file } = checkpoint;
      const sensitivityPath = sensitivityPathOf(join(directory, file));
      return {
        index,
        step,
        modelFiles: modelFiles(join(directory, file)),
        ...(existsSync(sensitivityPath) ? { sensitivityPath } : {}),
        recorded: recordedValues(checkpoint, metrics),
      };
    }),
  };
}

function parseSeries(path: string, text: string): z.infer<typeof schema> {
  let json: unknown;
  try {
    json = parsePythonJson(text);
  } catch (cause) {
    throw new Error(`${path} is not JSON`, { cause });
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success)
    throw new Error(
      `${path} is not a series: ` +
        `${parsed.error.issues.map(({ path: at, message }) => `${at.join('.') || 'it'}: ${message}`).join('; ')}`,
    );
  return parsed.data;
}

/**
 * The listed metrics, else the bounding one and every known name recorded with the checkpoints. A metric that diverges
 * to NaN, which is read as null, counts as recorded too.
 */
function metricNames(info: z.infer<typeof schema>): string[] {
  const recorded = ['loss', 'accuracy', 'mse', 'perplexity', 'pearson'].filter((name) =>
    info.checkpoints.every((checkpoint) => typeof checkpoint[name] === 'number' || checkpoint[name] === null),
  );
  return [...new Set([info.metric, ...(info.metrics === undefined ? recorded : Object.keys(info.metrics))])];
}

function recordedValues(
  checkpoint: Readonly<Record<string, unknown>>,
  metrics: readonly string[],
): Record<string, number> {
  return Object.fromEntries(
    metrics.flatMap((name) => (typeof checkpoint[name] === 'number' ? [[name, checkpoint[name]]] : [])),
  );
}

/** A string, or one of the numbers that Python's json module writes though JSON has none of them. */
const stringOrNumberless = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

/**
 * JSON as Python writes it: NaN and infinities, which a diverged training run records as its loss, become null. Throws
 * SyntaxError as `JSON.parse`.
 */
function parsePythonJson(text: string): unknown {
  return JSON.parse(text.replace(stringOrNumberless, (token) => (token.startsWith('"') ? token : 'null')));
}
