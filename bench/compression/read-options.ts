import { parseArgs } from 'node:util';
import { hysteresisChoices, type Hysteresis } from '../../src/checkpoint/options/methods/residual-search-options.ts';
import { seriesDtypes, type SeriesDtype } from './series/narrow-series.ts';

export interface BenchOptions {
  readonly seriesDirectory: string;
  /** Metrics that bound every checkpoint; the series' own by default. */
  readonly metrics?: readonly string[];
  /**
   * Comparisons in their order. Each has the largest relative degradations, one for all metrics, or one for each.
   */
  readonly thresholds: readonly (readonly number[])[];
  /** Bound on the share of a checkpoint's progress that may be lost, beside each threshold; none by default. */
  readonly progress?: number;
  /** Parts of names: only matching methods run; all by default. */
  readonly only?: readonly string[];
  /** Only the first checkpoints, this many. */
  readonly first?: number;
  /** Number of seeds tried for the paper's codebooks; the smallest series counts. */
  readonly seeds: number;
  /** For our own method; a run's default if absent. */
  readonly hysteresis?: Hysteresis;
  /** Dtype to which floats are rounded first. */
  readonly dtype: SeriesDtype;
  readonly jsonPath?: string;
  readonly svgPath?: string;
  readonly markdownPath?: string;
  /**
   * A Markdown document, and the name of its section to replace; charts are written beside it under the section's name.
   */
  readonly into?: { readonly path: string; readonly section: string };
}

export const benchUsage =
  'npm run bench:compression -- <series dir> [--metric m[,..]] [--threshold t[,..]]... [--progress p] ' +
  '[--only name[,..]] ' +
  '[--first N] [--seeds N] [--hysteresis fixed|priced] [--dtype as-is|bf16] [--json FILE] [--svg FILE] ' +
  '[--markdown FILE] [--into FILE --section NAME]';

/**
 * The product's default and twice that. Then the threshold of papers, which damages checkpoints and only compares
 * methods.
 */
const defaultThresholds = [[0.005], [0.01], [0.05]];

/** Parses the command line. Throws an Error with one sentence. */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      metric: text,
      threshold: { type: 'string', multiple: true },
      progress: text,
      only: text,
      first: text,
      seeds: { type: 'string', default: '1' },
      hysteresis: text,
      dtype: { type: 'string', default: 'as-is' },
      json: text,
      svg: text,
      markdown: text,
      into: text,
      section: { type: 'string', default: 'compression' },
    },
  });
  if (positionals.length !== 1) throw new Error(`one series directory: ${benchUsage}`);
  const metrics = values.metric?.split(',');
  const thresholds = values.threshold?.map((text) => readThresholds(text, metrics?.length ?? 1)) ?? defaultThresholds;
  if (!/^[a-z0-9-]+$/.test(values.section)) throw new Error('--section wants small letters, digits and dashes');
  const hysteresis = hysteresisChoices.find((known) => known === values.hysteresis);
  if (values.hysteresis !== undefined && hysteresis === undefined)
    throw new Error(`--hysteresis wants one of ${hysteresisChoices.join(', ')}`);
  const dtype = seriesDtypes.find((known) => known === values.dtype);
  if (dtype === undefined) throw new Error(`--dtype wants one of ${seriesDtypes.join(', ')}`);
  const first = values.first === undefined ? undefined : readCount('--first', values.first);
  return {
    seriesDirectory: positionals[0]!,
    thresholds,
    dtype,
    seeds: readCount('--seeds', values.seeds),
    ...(hysteresis !== undefined && { hysteresis }),
    ...(metrics !== undefined && { metrics }),
    ...(values.progress !== undefined && { progress: readProgress(values.progress) }),
    ...(values.only !== undefined && { only: values.only.split(',') }),
    ...(first !== undefined && { first }),
    ...(values.json !== undefined && { jsonPath: values.json }),
    ...(values.svg !== undefined && { svgPath: values.svg }),
    ...(values.markdown !== undefined && { markdownPath: values.markdown }),
    ...(values.into !== undefined && { into: { path: values.into, section: values.section } }),
  };
}

/** Thresholds of one comparison. */
function readThresholds(text: string, metricCount: number): number[] {
  const thresholds = text.split(',').map(Number);
  if (thresholds.some((threshold) => !Number.isFinite(threshold) || threshold < 0))
    throw new Error('--threshold wants numbers of at least 0, for example 0.005');
  if (thresholds.length > 1 && thresholds.length !== metricCount)
    throw new Error(
      '--threshold wants one number, or one for each of --metric; for more comparisons give it again: ' +
        '--threshold 0.005 --threshold 0.01',
    );
  return thresholds;
}

function readProgress(text: string): number {
  const progress = Number(text);
  if (!(progress > 0 && progress <= 1)) throw new Error('--progress wants a number above 0 and at most 1, as 0.5');
  return progress;
}

function readCount(option: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`${option} wants a whole number of at least 1`);
  return count;
}
