/**
 * What the guards of a threshold keep, and what they take: Firn and the paper's method, at all defaults.
 * npm run bench:guards -- <series dir or file of --json>... [--threshold t]... [--only name[,..]]
 *   [--dtype as-is|bf16] [--json FILE] [--into FILE --section NAME]
 *
 * The paper's method searches in both directions with one seed for all codebooks; bench:compression tries its variants.
 * Every series of bench/series, or one with the same layout, goes through a hub of its own, once for each threshold of
 * its metric (0.5 and 1 % by default). What comes back is compared with the uploads tensor by tensor, and measured
 * again on the fresh examples that the series' `fresh` names. Three tables: bytes, what the guards kept, and metrics
 * that nothing bounds. With --json the figures of every checkpoint are kept as well; such a file in place of a folder
 * gives its rows without another run.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HubProcess } from '../src/cli/demo/hub-process.ts';
import { interruption } from '../src/cli/demo/interruption.ts';
import { leadingMetric } from '../src/cli/demo/leading-metric.ts';
import { readSeries } from '../src/cli/demo/read-series.ts';
import { requireFiles } from '../src/cli/demo/require-files.ts';
import { seriesTensorMap } from '../src/cli/demo/series-tensor-map.ts';
import { loadCore } from '../src/native/load-core.ts';
import { compareMethods, ourName, paperName } from './compression/compare-methods.ts';
import type { MethodResult } from './compression/method-result.ts';
import { narrowSeries, seriesDtypes } from './compression/series/narrow-series.ts';
import { guardFigures } from './guards/guard-figures.ts';
import { bytesTable, guardsTable, otherMetricsTable, type GuardedSeries } from './guards/guard-table.ts';
import { describeRun } from './report/describe-run.ts';
import { writeSection } from './report/write-section.ts';

const { values: options, positionals: directories } = parseArgs({
  allowPositionals: true,
  options: {
    threshold: { type: 'string', multiple: true, default: ['0.005', '0.01'] },
    only: { type: 'string', default: `${ourName},${paperName}` },
    dtype: { type: 'string', default: 'as-is' },
    json: { type: 'string' },
    into: { type: 'string' },
    section: { type: 'string', default: 'guards' },
  },
});
if (directories.length === 0) throw new Error('npm run bench:guards -- <series dir>...');
const dtype = seriesDtypes.find((known) => known === options.dtype);
if (dtype === undefined) throw new Error(`--dtype wants one of ${seriesDtypes.join(', ')}`);
const thresholds = options.threshold.map(Number);
if (!thresholds.every((threshold) => threshold > 0 && threshold < 1))
  throw new Error('--threshold wants a share between 0 and 1');
const wanted = options.only.split(',');

/** A series under one threshold, with the results that its figures come from. */
type Compared = GuardedSeries & { readonly results: readonly MethodResult[] };

async function freshBatchesPath(directory: string): Promise<string | undefined> {
  const { fresh } = JSON.parse(await readFile(join(directory, 'series.json'), 'utf8')) as { fresh?: unknown };
  return typeof fresh === 'string' ? join(directory, fresh) : undefined;
}

async function compareSeries(seriesDirectory: string, threshold: number, directory: string): Promise<Compared> {
  const core = loadCore();
  const read = readSeries(seriesDirectory);
  requireFiles(read);
  const tensorMap = await seriesTensorMap(read);
  const asIs = { ...read, ...(tensorMap !== undefined && { tensorMap }) };
  const series = dtype === 'bf16' ? await narrowSeries(asIs, directory, core) : asIs;
  const freshPath = await freshBatchesPath(seriesDirectory);
  const bounds = { [series.metric]: threshold };
  const hub = await HubProcess.start(join(directory, 'hub'));
  try {
    const results = await compareMethods({
      series,
      core,
      directory,
      thresholds: bounds,
      seeds: 1,
      paperOnce: true,
      startHub: () => Promise.resolve(hub),
      wanted: (name) => wanted.includes(name),
      ...(freshPath !== undefined && { freshBatchesPath: freshPath }),
      onProgress: (line) => process.stderr.write(`  ${series.name} ${line}\n`),
      onResults: () => Promise.resolve(),
    });
    const figures = results
      .filter(({ name }) => wanted.includes(name))
      .map((result) => guardFigures(result, { thresholds: bounds, leading: leadingMetric(series, series.metric) }));
    return { series: series.name, bound: `${series.metric} ${100 * threshold} %`, figures, results };
  } finally {
    await hub.stop();
  }
}

const work = await mkdtemp(join(tmpdir(), 'firn-guards-'));
try {
  const compared: Compared[] = [];
  for (const directory of directories) {
    if (directory.endsWith('.json')) {
      compared.push(...(JSON.parse(await readFile(directory, 'utf8')) as Compared[]));
      continue;
    }
    for (const threshold of thresholds) {
      const place = join(work, String(compared.length));
      await mkdir(place);
      compared.push(await Promise.race([compareSeries(directory, threshold, place), interruption()]));
      await rm(place, { recursive: true });
      if (options.json !== undefined) await writeFile(options.json, JSON.stringify(compared, undefined, 1));
    }
  }
  const text = [
    bytesTable(compared),
    guardsTable(compared),
    otherMetricsTable(compared),
    describeRun('bench:guards', process.argv.slice(2)),
  ].join('\n\n');
  console.log(text);
  if (options.into !== undefined) await writeSection({ path: options.into, section: options.section }, text);
} finally {
  await rm(work, { recursive: true, force: true });
}
