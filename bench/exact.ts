/**
 * Lossless coding of a series of checkpoints: ours beside zstd, byte planes, XOR and bitmasks, and beside the code
 * lengths of the prototype. npm run bench:exact -- <series dir> [--seconds 1] [--only name[,..]] [--json FILE]
 * [--markdown FILE] [--into FILE --section NAME]
 *
 * Only weights are coded: fp32 tensors, the same rounded to bf16 and fp16, and bf16 and fp16 ones. Every payload is
 * decoded and compared before anything is timed. One thread does the work: the core's only one, or this one for
 * libzstd. GB are 1e9 raw bytes.
 */
import { writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { readSeries } from '../src/cli/demo/read-series.ts';
import { loadCore } from '../src/native/load-core.ts';
import { describeRun } from './report/describe-run.ts';
import { compareChanged, compareSeries, type CompareTools } from './exact/compare-exact.ts';
import type { ChangedFigures, SeriesFigures } from './exact/exact-figures.ts';
import { readExactOptions, type ExactOptions } from './exact/read-exact-options.ts';
import { markdownReport, type ExactReport } from './exact/report-exact.ts';
import { halfDtypes } from './exact/weight-file.ts';
import { readWeightSeries } from './exact/weight-series.ts';
import { writeSection } from './report/write-section.ts';

/** Blocks of one file that may wait for the core's thread: enough for a model of 10^11 weights. */
const queueMax = 2 ** 20;

async function main(options: ExactOptions): Promise<void> {
  const { seriesDirectory, seconds, only } = options;
  const series = readSeries(seriesDirectory);
  const core = loadCore({ threads: 1, queueMax });
  const tools: CompareTools = {
    core,
    seconds,
    wanted: (name) => only === undefined || only.some((part) => name.includes(part)),
    onProgress: (line) => process.stderr.write(`  ${line}\n`),
  };
  const all = await readWeightSeries(series, core);
  const results: SeriesFigures[] = [];
  for (const each of all) results.push(await compareSeries(each, tools));
  const changed: ChangedFigures[] = [];
  for (const dtype of halfDtypes) {
    const last = all.findLast((each) => each.dtype === dtype)?.checkpoints.at(-1);
    if (last !== undefined) changed.push(...(await compareChanged(last, dtype, tools)));
  }
  await writeReports({ series: series.name, results, changed }, options);
}

async function writeReports(report: ExactReport, { jsonPath, markdownPath, into }: ExactOptions): Promise<void> {
  const markdown = markdownReport(report);
  process.stdout.write(markdown);
  if (jsonPath !== undefined) await writeFile(jsonPath, `${JSON.stringify(report, undefined, 1)}\n`);
  if (markdownPath !== undefined) await writeFile(markdownPath, markdown);
  if (into === undefined) return;
  const loaded = `${ran} Load ${loadavg()[1]!.toFixed(0)} at the end.`;
  await writeSection(into, `${markdown}\n${loaded}`);
}

const args = process.argv.slice(2);
const ran = describeRun('bench:exact', args);
try {
  await main(readExactOptions(args));
  process.exit(0);
} catch (error) {
  process.stderr.write(`bench:exact: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
