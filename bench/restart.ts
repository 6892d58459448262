/**
 * Measures the cost of training on from stored checkpoints: the final loss of a run that restarts from a hub's
 * downloads, against the same run unbroken.
 *
 *   npm run bench:restart -- [--threshold t[,..]] [--without guard[,..]] [--progress t[,..]]
 *       [--paper-threshold t[,..]] [--exact] [--state exact|bounded|fresh[,..]] [--seeds N] [--restarts N]
 *       [--parallel N] [--metric m[,..]] [--text FILE]... [--train-script FILE] [--train-args="..."]
 *       [--json FILE] [--markdown FILE] [--into FILE --section NAME]
 *
 * Training is bench/restart/train_gpt.py, or a series' own script whose first argument is its output directory
 * (bench/restart/follow_training.py lists the other requirements). Needs Python with PyTorch and numpy: Debian's
 * python3-torch and libopenblas0-pthread, or the interpreter named in FIRN_PYTHON.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubClient } from '../src/cli/demo/hub-client.ts';
import { HubProcess } from '../src/cli/demo/hub-process.ts';
import { interruption } from '../src/cli/demo/interruption.ts';
import { describeRun } from './report/describe-run.ts';
import { compareRestarts, type RestartReport } from './restart/compare-restarts.ts';
import { findPython, pythonMissing } from './restart/find-python.ts';
import { ownScript, ownTexts } from './restart/own-training.ts';
import { readRestartOptions, type RestartOptions } from './restart/read-restart-options.ts';
import { restartArms } from './restart/restart-arm.ts';
import { restartFigures } from './restart/restart-figures.ts';
import { restartTable } from './restart/restart-table.ts';
import { writeSection } from './report/write-section.ts';

async function main(options: RestartOptions, args: readonly string[]): Promise<void> {
  const python = findPython(process.env.FIRN_PYTHON);
  if (python === undefined) throw new Error(pythonMissing);
  // Not meant for the hub, which checks its FIRN_ variables.
  delete process.env.FIRN_PYTHON;
  const {
    trainScript = ownScript,
    trainArguments,
    textPaths,
    thresholds,
    without,
    progressThresholds,
    paperThresholds,
    exact,
    states,
    seeds,
    restarts,
    parallel,
    metrics,
  } = options;
  const texts = trainScript === ownScript ? ['--text', ...(textPaths.length > 0 ? textPaths : ownTexts())] : [];
  const ran = `${describeRun('bench:restart', args)} PyTorch ${python.torchVersion}.`;
  const describe = (report: RestartReport): string => `${markdownOf(report)}\n\n${ran}\n`;
  const directory = await mkdtemp(join(tmpdir(), 'firn-restart-'));
  let hub: HubProcess | undefined;
  try {
    hub = await HubProcess.start(join(directory, 'hub'), { FIRN_ENCODE_CONCURRENCY: String(parallel) });
    const work = compareRestarts({
      hub: new HubClient(hub.url),
      arms: restartArms({
        ours: thresholds,
        without,
        progress: progressThresholds,
        paper: paperThresholds,
        exact,
        states,
      }),
      seeds,
      restarts,
      parallel,
      training: { pythonPath: python.path, script: trainScript, arguments: [...texts, ...trainArguments] },
      directory,
      onProgress: (line) => process.stderr.write(`  ${line}\n`),
      onResults: (report) => writeReports(report, describe(report), options),
      ...(metrics !== undefined && { metrics }),
    });
    process.stdout.write(describe(await Promise.race([work, interruption()])));
  } finally {
    await hub?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function markdownOf(report: RestartReport): string {
  const { series, checkpointCount, lastStep, bounded, metric, metricHigherIsBetter, outcomes } = report;
  const sentence =
    `${series}: ${checkpointCount} checkpoints, ${lastStep} steps, ${bounded.join(' and ')} bounded. Weights ` +
    'are replaced by the downloaded ones at a restart; optimizer state goes on exactly unless a row says ' +
    'otherwise; gradient averages, random numbers and schedule go on exactly. The ratio of one restart is that of ' +
    'the unbroken run, and bounded state counts in it.';
  return `${sentence}\n\n${restartTable(restartFigures(outcomes, metricHigherIsBetter), metric)}`;
}

async function writeReports(
  report: RestartReport,
  markdown: string,
  { jsonPath, markdownPath, into }: RestartOptions,
): Promise<void> {
  if (jsonPath !== undefined) await writeFile(jsonPath, JSON.stringify(report, undefined, 1));
  if (markdownPath !== undefined) await writeFile(markdownPath, markdown);
  if (into !== undefined) await writeSection(into, markdown);
}

const args = process.argv.slice(2);
try {
  await main(readRestartOptions(args), args);
  process.exit(0);
} catch (error) {
  process.stderr.write(`bench:restart: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
