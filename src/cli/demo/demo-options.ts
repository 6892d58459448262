import { parseArgs } from 'node:util';
import { defaultThreshold } from '../../checkpoint/quality/quality.ts';
import { quantizationMethods, type QuantizationMethod } from '../../checkpoint/options/quantization-config.ts';
import {
  clusteringChoices,
  type ClusteringChoice,
} from '../../checkpoint/options/methods/inshrinkerator-search-options.ts';
import { defaultSearchOptions } from '../../checkpoint/options/search-options.ts';

export interface DemoOptions {
  readonly seriesDirectory: string;
  /** Metrics that bound every checkpoint; the series' own by default. */
  readonly metrics?: readonly string[];
  /** Largest relative degradations; one for all metrics, or one for each. The product's default if none is given. */
  readonly thresholds: readonly number[];
  /** Largest share of what a metric gained since the checkpoint before that may be lost; not bounded if absent. */
  readonly progress?: number;
  readonly method: QuantizationMethod;
  /** Clustering of the method `inshrinkerator`; the hub's default if absent. */
  readonly clustering?: ClusteringChoice;
  /** Search options of the run in the API's form; absent ones have the hub's defaults. */
  readonly search?: Readonly<Record<string, unknown>>;
  /** File for every row and total as JSON. */
  readonly jsonPath?: string;
  /** Keeps the hub up after the demo, for its page, until it is interrupted. */
  readonly open: boolean;
  /** Folder for the downloads, with a subfolder `<run>-<step>` for each checkpoint; without it they are deleted. */
  readonly keepDirectory?: string;
}

export const demoUsage =
  'npm run demo -- [<series dir>] [--metric accuracy|loss[,...]] [--threshold 0.005[,...]] [--progress 0.5] ' +
  '[--method residual|inshrinkerator] [--clustering kmeanspp|optimal|entropy] [--search JSON] [--json FILE] ' +
  '[--keep DIR] [--open]';

/** Parses the command line. Throws an Error with one sentence. */
export function readDemoOptions(args: readonly string[], bundledSeries: string): DemoOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      metric: { type: 'string' },
      threshold: { type: 'string', default: String(defaultThreshold) },
      progress: { type: 'string' },
      method: { type: 'string', default: defaultSearchOptions.method },
      clustering: { type: 'string' },
      search: { type: 'string' },
      json: { type: 'string' },
      keep: { type: 'string' },
      open: { type: 'boolean', default: false },
    },
  });
  const thresholds = values.threshold.split(',').map(readThreshold);
  const metrics = values.metric?.split(',');
  if (thresholds.length > 1 && thresholds.length !== metrics?.length)
    throw new Error('--threshold wants one number, or one for each of --metric');
  const method = quantizationMethods.find((known) => known === values.method);
  if (method === undefined)
    throw new Error(`--method ${values.method} is not known; there are ${quantizationMethods.join(', ')}`);
  const clustering = clusteringChoices.find((known) => known === values.clustering);
  if (values.clustering !== undefined && clustering === undefined)
    throw new Error(`--clustering ${values.clustering} is not known; there are ${clusteringChoices.join(', ')}`);
  if (positionals.length > 1) throw new Error(`one series directory at most: ${demoUsage}`);
  return {
    seriesDirectory: positionals[0] ?? bundledSeries,
    thresholds,
    method,
    open: values.open,
    ...(values.progress === undefined ? {} : { progress: readProgress(values.progress) }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(clustering === undefined ? {} : { clustering }),
    ...(values.search === undefined ? {} : { search: readSearch(values.search) }),
    ...(values.json === undefined ? {} : { jsonPath: values.json }),
    ...(values.keep === undefined ? {} : { keepDirectory: values.keep }),
  };
}

function readThreshold(text: string): number {
  const threshold = Number(text);
  if (text.trim() === '' || !Number.isFinite(threshold) || threshold < 0)
    throw new Error(`--threshold wants a number of at least 0, for example ${defaultThreshold}, not "${text}"`);
  return threshold;
}

function readProgress(text: string): number {
  const progress = Number(text);
  if (!(progress > 0 && progress <= 1))
    throw new Error(`--progress wants a number above 0 and at most 1, for example 0.5, not "${text}"`);
  return progress;
}

function readSearch(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below, as of any other text that is no object.
  }
  throw new Error(`--search wants search options as JSON, for example '{"rounding":"nearest"}', not ${text}`);
}
