import { parseArgs } from 'node:util';

export interface DemoOptions {
  readonly seriesDirectory: string;
  /** Metric that bounds every checkpoint; the series' own when absent. */
  readonly metric?: string;
  /** Largest relative degradation of it. */
  readonly threshold: number;
  readonly method: 'inshrinkerator';
  /** Where to write every row and total as JSON. */
  readonly jsonPath?: string;
}

export const demoUsage = 'npm run demo -- [<series dir>] [--metric accuracy|loss] [--threshold 0.05] [--method inshrinkerator] [--json FILE]';

/** Reads the command line. Throws an Error with one sentence. */
export function readDemoOptions(args: readonly string[], bundledSeries: string): DemoOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      metric: { type: 'string' },
      threshold: { type: 'string', default: '0.05' },
      method: { type: 'string', default: 'inshrinkerator' },
      json: { type: 'string' },
    },
  });
  const threshold = Number(values.threshold);
  if (values.threshold.trim() === '' || !Number.isFinite(threshold) || threshold < 0)
    throw new Error(`--threshold wants a number of at least 0, for example 0.05, not "${values.threshold}"`);
  if (values.method !== 'inshrinkerator') throw new Error(`--method ${values.method} is not known; there is inshrinkerator`);
  if (positionals.length > 1) throw new Error(`one series directory at most: ${demoUsage}`);
  return {
    seriesDirectory: positionals[0] ?? bundledSeries,
    threshold,
    method: values.method,
    ...(values.metric === undefined ? {} : { metric: values.metric }),
    ...(values.json === undefined ? {} : { jsonPath: values.json }),
  };
}
