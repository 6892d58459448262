/**
 * Stored bytes of every method on one series of checkpoints, under the same thresholds, measured by the same evaluator.
 * npm run bench:compression -- <series dir> [--metric m[,..]] [--threshold t[,..]]... [--progress p] [--only name[,..]]
 * [--first N] [--seeds N] [--hysteresis fixed|priced]
 *   [--dtype as-is|bf16] [--json FILE] [--svg FILE] [--markdown FILE] [--into FILE --section NAME]
 *
 * Each --threshold is a comparison with tables of its own: one number, or one for each of --metric. The default is 0.5
 * and 1 %, then 5 % as in papers, marked as damaged. The series has the layout of examples/lm-small. Sizes are those of
 * whole checkpoints. For Firn and the paper's method they are all bytes that the hub stores. For the paper's coders
 * they are code lengths with tables, in place of the stored bins. For the others they are real encoded bytes, decoded
 * again before they were measured. Speeds of comparators are those of plain TypeScript and say nothing about the
 * methods.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, parse } from 'node:path';
import type { DegradationLimits } from '../src/checkpoint/quality/quality.ts';
import { withProgress } from '../src/checkpoint/quality/with-progress.ts';
import { HubProcess } from '../src/cli/demo/hub-process.ts';
import { interruption } from '../src/cli/demo/interruption.ts';
import { leadingMetric } from '../src/cli/demo/leading-metric.ts';
import { readSeries, type Series } from '../src/cli/demo/read-series.ts';
import { requireFiles } from '../src/cli/demo/require-files.ts';
import { seriesTensorMap } from '../src/cli/demo/series-tensor-map.ts';
import { loadCore } from '../src/native/load-core.ts';
import { compareMethods, type Comparison } from './compression/compare-methods.ts';
import { methodLag } from './compression/report/method-lag.ts';
import type { MethodResult } from './compression/method-result.ts';
import { narrowSeries } from './compression/series/narrow-series.ts';
import { readBenchOptions, type BenchOptions } from './compression/read-options.ts';
import { ratioChart } from './compression/report/report-chart.ts';
import { comparisonText, describeComparison, type ReportContext } from './compression/report/report-table.ts';
import { describeRun } from './report/describe-run.ts';
import { writeSection } from './report/write-section.ts';

async function openSeries({ seriesDirectory, first }: BenchOptions): Promise<Series> {
  const whole = readSeries(seriesDirectory);
  requireFiles(whole);
  const tensorMap = await seriesTensorMap(whole);
  return { ...whole, checkpoints: whole.checkpoints.slice(0, first), ...(tensorMap !== undefined && { tensorMap }) };
}

/** The state of one comparison. */
interface ComparisonReport {
  readonly context: ReportContext;
  readonly results: readonly MethodResult[];
}

async function main(options: BenchOptions): Promise<void> {
  const asIs = await openSeries(options);
  const { metrics = [asIs.metric] } = options;
  const unknown = metrics.find((metric) => !asIs.metrics.includes(metric));
  if (unknown !== undefined) throw new Error(`the series records ${asIs.metrics.join(', ')}, not ${unknown}`);
  const directory = await mkdtemp(join(tmpdir(), 'firn-compression-'));
  const hubs: HubProcess[] = [];
  try {
    const core = loadCore();
    const series = options.dtype === 'bf16' ? await narrowSeries(asIs, directory, core) : asIs;
    const reports: ComparisonReport[] = [];
    const startHub = async (): Promise<HubProcess> => {
      await Promise.all(hubs.splice(0).map((hub) => hub.stop()));
      hubs.push(await HubProcess.start(join(directory, `hub-${reports.length}`)));
      return hubs[0]!;
    };
    for (const thresholds of options.thresholds) {
      const bounds = Object.fromEntries(metrics.map((metric, i) => [metric, thresholds[i] ?? thresholds[0]!]));
      const work = compare(bounds, {
        series,
        core,
        directory: join(directory, String(reports.length)),
        startHub,
        before: [...reports],
        options,
      });
      reports.push(await Promise.race([work, interruption()]));
    }
    process.stdout.write(markdownOf(reports));
  } finally {
    await Promise.all(hubs.map((hub) => hub.stop()));
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs one comparison. Reports, with earlier comparisons, are written after every method. */
async function compare(
  thresholds: DegradationLimits,
  tools: Pick<Comparison, 'series' | 'core' | 'directory' | 'startHub'> & {
    readonly before: readonly ComparisonReport[];
    readonly options: BenchOptions;
  },
): Promise<ComparisonReport> {
  const { options, before, ...place } = tools;
  const { only, hysteresis, seeds, progress } = options;
  const reportOf = (results: readonly MethodResult[]): ComparisonReport => ({
    context: { ...contextOf(results, place.series, thresholds), ...(progress !== undefined && { progress }) },
    results,
  });
  await mkdir(place.directory);
  const results = await compareMethods({
    ...place,
    thresholds: withProgress(thresholds, progress),
    seeds,
    ...(hysteresis && { hysteresis }),
    wanted: (name) => only === undefined || only.some((part) => name.includes(part)),
    onProgress: (line) => process.stderr.write(`  ${line}\n`),
    onResults: (soFar) => writeReports([...before, reportOf(soFar)], options),
  });
  return reportOf(results);
}

function contextOf(results: readonly MethodResult[], series: Series, thresholds: DegradationLimits): ReportContext {
  const bounding = Object.keys(thresholds);
  return {
    series: series.name,
    checkpointCount: series.checkpoints.length,
    thresholds,
    metrics: [...new Set([...bounding, ...series.metrics])],
    leading: leadingMetric(series, bounding[0]!),
    rawBytes: results[0]?.outcomes.reduce((sum, { rawBytes }) => sum + rawBytes, 0) ?? 0,
  };
}

function markdownOf(reports: readonly ComparisonReport[]): string {
  return `${reports.map(({ context, results }) => comparisonText(results, context)).join('\n\n')}\n`;
}

async function writeReports(
  reports: readonly ComparisonReport[],
  { jsonPath, svgPath, markdownPath, into }: BenchOptions,
): Promise<void> {
  if (markdownPath !== undefined) await writeFile(markdownPath, markdownOf(reports));
  if (jsonPath !== undefined) {
    const comparisons = reports.map(({ context, results }) => ({
      ...context,
      results: results.map((result) => ({ ...result, asGoodAs: methodLag(result, context.leading) })),
    }));
    await writeFile(jsonPath, JSON.stringify(comparisons, undefined, 1));
  }
  if (svgPath !== undefined)
    await Promise.all(reports.map((report) => writeFile(chartPath(svgPath, report), chartOf(report))));
  if (into !== undefined) await writeIntoDocument(reports, into);
}

/** Writes every table with its chart, and the command, into a document. */
async function writeIntoDocument(
  reports: readonly ComparisonReport[],
  into: NonNullable<BenchOptions['into']>,
): Promise<void> {
  const parts = await Promise.all(
    reports.map(async (report) => {
      const chart = chartPath(join(dirname(into.path), `${into.section}.svg`), report);
      await writeFile(chart, chartOf(report));
      return (
        `${comparisonText(report.results, report.context)}\n\n![ratio of every checkpoint under every ` +
        `method](${basename(chart)})`
      );
    }),
  );
  await writeSection(into, `${parts.join('\n\n')}\n\n${ran}`);
}

function chartOf({ context, results }: ComparisonReport): string {
  return ratioChart(results, describeComparison(context));
}

/** The chart file of a comparison: `lm-small.svg` becomes `lm-small-0.5.svg` for half a per cent. */
function chartPath(path: string, { context: { thresholds } }: ComparisonReport): string {
  const { dir, name, ext } = parse(path);
  const bounds = Object.values(thresholds).map((threshold) => Number((100 * threshold).toPrecision(6)));
  return join(dir, `${[name, ...bounds].join('-')}${ext}`);
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
