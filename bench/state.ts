/**
 * Full training state, weights and moments. Its bytes stored exact, by BitSnap and with bounds, apart and together. The
 * final loss of a training that continues half-way from a hub's downloads, against the unbroken run and against exact
 * resume. npm run bench:state -- [<series dir>] [--threshold t] [--seeds N] [--parallel N] [--steps N]
 *   [--train-args="..."] [--json FILE] [--markdown FILE] [--into FILE --section NAME]
 *
 * Bytes are those of the checkpoints of the series that have a `NAME.optim.safetensors`; without a series they are left
 * out. Training is bench/restart/train_gpt.py; it has the requirements of bench:restart, and is left out with --seeds
 * 0.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubClient } from '../src/cli/demo/hub-client.ts';
import { HubProcess } from '../src/cli/demo/hub-process.ts';
import { interruption } from '../src/cli/demo/interruption.ts';
import { readSeries, type Series } from '../src/cli/demo/read-series.ts';
import { requireFiles } from '../src/cli/demo/require-files.ts';
import { seriesTensorMap } from '../src/cli/demo/series-tensor-map.ts';
import { loadCore } from '../src/native/load-core.ts';
import { describeRun } from './report/describe-run.ts';
import { findPython, pythonMissing } from './restart/find-python.ts';
import { ownScript, ownTexts } from './restart/own-training.ts';
import { compareBytes, withState, type StateBytes } from './state/compare-bytes.ts';
import { compareResumed, type SeedOutcome } from './state/compare-resumed.ts';
import { readStateOptions, type StateBenchOptions } from './state/read-state-options.ts';
import { stateArms } from './state/state-arm.ts';
import { bytesTable, resumedTable } from './state/state-table.ts';
import { writeSection } from './report/write-section.ts';

interface StateReport {
  /** Absent without a series. */
  readonly bytes?: { readonly series: string; readonly checkpoints: number; readonly methods: readonly StateBytes[] };
  readonly resumed: readonly SeedOutcome[];
  readonly torchVersion: string | undefined;
}

async function main(options: StateBenchOptions, args: readonly string[]): Promise<void> {
  const python = options.seeds > 0 ? findPython(process.env.FIRN_PYTHON) : undefined;
  if (options.seeds > 0 && python === undefined) throw new Error(pythonMissing);
  // Not meant for the hub, which checks its FIRN_ variables.
  delete process.env.FIRN_PYTHON;
  const series = options.seriesDirectory === undefined ? undefined : await openSeries(options.seriesDirectory);
  const directory = await mkdtemp(join(tmpdir(), 'firn-state-'));
  let hubProcess: HubProcess | undefined;
  try {
    hubProcess = await HubProcess.start(join(directory, 'hub'));
    const common = {
      hub: new HubClient(hubProcess.url),
      core: loadCore(),
      arms: stateArms(options.threshold),
      directory,
      onProgress: (line: string) => process.stderr.write(`  ${line}\n`),
    };
    const { threshold, seeds, parallel, steps, trainArguments } = options;
    const work = async (): Promise<StateReport> => {
      const bytes =
        series === undefined
          ? undefined
          : {
              series: series.name,
              checkpoints: series.checkpoints.length,
              methods: await compareBytes({ ...common, series, threshold }),
            };
      const training = python && {
        pythonPath: python.path,
        script: ownScript,
        arguments: ['--text', ...ownTexts(), '--steps', String(steps), ...trainArguments],
      };
      const resumed =
        training === undefined ? [] : await compareResumed({ ...common, training, seeds, parallel, lastStep: steps });
      return { ...(bytes !== undefined && { bytes }), resumed, torchVersion: python?.torchVersion };
    };
    const report = await Promise.race([work(), interruption()]);
    const markdown = markdownOf(report, describeRun('bench:state', args));
    process.stdout.write(markdown);
    await writeReports(report, markdown, options);
  } finally {
    await hubProcess?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function openSeries(directory: string): Promise<Series> {
  const series = withState(readSeries(directory));
  requireFiles(series);
  const tensorMap = await seriesTensorMap(series);
  return tensorMap === undefined ? series : { ...series, tensorMap };
}

function markdownOf({ bytes, resumed, torchVersion }: StateReport, ran: string): string {
  const parts: string[] = [];
  if (bytes !== undefined) {
    const { series, checkpoints, methods } = bytes;
    parts.push(
      `${series}: ${checkpoints} checkpoints with optimizer state. Bytes of a part, and in brackets its ` +
        'ratio to those uploaded.',
      bytesTable(methods),
    );
  }
  if (resumed.length > 0) {
    parts.push(
      'Training resumed half-way from downloaded weights and optimizer state; random numbers, schedule and ' +
        'counts of steps go on exactly. Ratios are those of all checkpoints up to there.',
      resumedTable(resumed),
    );
  }
  parts.push(torchVersion === undefined ? ran : `${ran} PyTorch ${torchVersion}.`);
  return `${parts.join('\n\n')}\n`;
}

async function writeReports(
  report: StateReport,
  markdown: string,
  { jsonPath, markdownPath, into }: StateBenchOptions,
): Promise<void> {
  if (jsonPath !== undefined) await writeFile(jsonPath, JSON.stringify(report, undefined, 1));
  if (markdownPath !== undefined) await writeFile(markdownPath, markdown);
  if (into !== undefined) await writeSection(into, markdown);
}

const args = process.argv.slice(2);
try {
  await main(readStateOptions(args), args);
  process.exit(0);
} catch (error) {
  process.stderr.write(`bench:state: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
