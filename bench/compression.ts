/**
 * Stored bytes of every method on one series of checkpoints, under the same thresholds, measured by the same evaluator.
 * npm run bench:compression -- <series dir> [--metric m[,..]] [--threshold t[,..]] [--only name[,..]] [--first N] [--seeds N] [--hysteresis fixed|priced]
 *   [--dtype as-is|bf16] [--json FILE] [--svg FILE] [--markdown FILE] [--into FILE --section NAME]
 *
 * The series is laid out as examples/lm-small. Sizes are those of whole checkpoints: for Firn and the paper's method all bytes that the hub stores, for
 * the paper's coders code lengths with their tables in place of the stored bins, for the others real encoded bytes that were decoded again before they
 * were measured. Speeds of comparators are those of plain TypeScript and say nothing about the methods.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { QualityThresholds } from '../src/checkpoint/quality.ts';
import { HubProcess } from '../src/cli/demo/hub-process.ts';
import { readSeries, type Series } from '../src/cli/demo/read-series.ts';
import { requireFiles } from '../src/cli/demo/require-files.ts';
import { seriesTensorMap } from '../src/cli/demo/series-tensor-map.ts';
import { loadCore } from '../src/native/load-core.ts';
import { compareMethods } from './compression/compare-methods.ts';
import type { MethodResult } from './compression/method-result.ts';
import { narrowSeries } from './compression/narrow-series.ts';
import { readBenchOptions, type BenchOptions } from './compression/read-options.ts';
import { ratioChart } from './compression/report-chart.ts';
import { describeComparison, markdownTable, type ReportContext } from './compression/report-table.ts';
import { describeRun } from './describe-run.ts';
import { replaceSection } from './document-section.ts';

async function openSeries({ seriesDirectory, first }: BenchOptions): Promise<Series> {
  const whole = readSeries(seriesDirectory);
  requireFiles(whole);
  const tensorMap = await seriesTensorMap(whole);
  return { ...whole, checkpoints: whole.checkpoints.slice(0, first), ...(tensorMap !== undefined && { tensorMap }) };
}

async function main(options: BenchOptions): Promise<void> {
  const asIs = await openSeries(options);
  const { metrics = [asIs.metric], thresholds, only } = options;
  const unknown = metrics.find((metric) => !asIs.metrics.includes(metric));
  if (unknown !== undefined) throw new Error(`the series records ${asIs.metrics.join(', ')}, not ${unknown}`);
  const bounds = Object.fromEntries(metrics.map((metric, i) => [metric, thresholds[i] ?? thresholds[0]!]));
  const directory = await mkdtemp(join(tmpdir(), 'firn-compression-'));
  let hub: HubProcess | undefined;
  try {
    const core = loadCore();
    const series = options.dtype === 'bf16' ? await narrowSeries(asIs, directory, core) : asIs;
    const work = compareMethods({
      series,
      thresholds: bounds,
      directory,
      core,
      startHub: async () => (hub = await HubProcess.start(join(directory, 'hub'))),
      seeds: options.seeds,
      ...(options.hysteresis && { hysteresis: options.hysteresis }),
      wanted: (name) => only === undefined || only.some((part) => name.includes(part)),
      onProgress: (line) => process.stderr.write(`  ${line}\n`),
      onResults: (soFar) => writeReports(soFar, series, bounds, options),
    });
    const results = await Promise.race([work, interruption()]);
    process.stdout.write(markdownOf(results, contextOf(results, series, bounds)));
  } finally {
    await hub?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Rejects when whoever runs this wants it to end: the hub and the files are then put away like after any failure. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error(`ended by ${signal}`)));
  });
}

function contextOf(results: readonly MethodResult[], series: Series, thresholds: QualityThresholds): ReportContext {
  return {
    series: series.name,
    checkpointCount: series.checkpoints.length,
    thresholds,
    metrics: [...new Set([...Object.keys(thresholds), ...series.metrics])],
    rawBytes: results[0]?.outcomes.reduce((sum, { rawBytes }) => sum + rawBytes, 0) ?? 0,
  };
}

function markdownOf(results: readonly MethodResult[], context: ReportContext): string {
  return `${describeComparison(context)}\n\n${markdownTable(results, context)}\n`;
}

async function writeReports(results: readonly MethodResult[], series: Series, thresholds: QualityThresholds, options: BenchOptions): Promise<void> {
  const { jsonPath, svgPath, markdownPath, into } = options;
  const context = contextOf(results, series, thresholds);
  if (markdownPath !== undefined) await writeFile(markdownPath, markdownOf(results, context));
  if (jsonPath !== undefined) await writeFile(jsonPath, JSON.stringify({ ...context, results }, undefined, 1));
  const chart = ratioChart(results, describeComparison(context));
  if (svgPath !== undefined) await writeFile(svgPath, chart);
  if (into !== undefined) await writeSection(into, markdownOf(results, context), chart);
}

/** The table with its command and chart into a document. */
async function writeSection({ path, section }: NonNullable<BenchOptions['into']>, markdown: string, chart: string): Promise<void> {
  const folder = join(dirname(path), 'benchmarks');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${section}.svg`), chart);
  const body = `${markdown}\n![ratio of every checkpoint under every method](benchmarks/${section}.svg)\n\n${ran}`;
  await writeFile(path, replaceSection(await readFile(path, 'utf8'), section, body));
}

const args = process.argv.slice(2);
const ran = describeRun('bench:compression', args);
try {
  await main(readBenchOptions(args));
  process.exit(0);
} catch (error) {
  process.stderr.write(`bench:compression: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
