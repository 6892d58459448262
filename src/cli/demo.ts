import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from '@hono/zod-openapi';
import type { DegradationLimits, QualityThresholds } from '../checkpoint/quality/quality.ts';
import { withProgress } from '../checkpoint/quality/with-progress.ts';
import type { namespaceUsageList } from '../http/schemas/usage.ts';
import { packageRoot } from '../program-files.ts';
import { readDemoOptions, demoUsage, type DemoOptions } from './demo/demo-options.ts';
import { HubClient } from './demo/hub-client.ts';
import { HubProcess } from './demo/hub-process.ts';
import { interruption } from './demo/interruption.ts';
import { leadingMetric } from './demo/leading-metric.ts';
import { rowLimits } from './demo/row-limits.ts';
import { planPushes, prepareHub, pushCheckpoint, type PushedCheckpoint, type PushPlan } from './demo/push-series.ts';
import { readSeries, type Series } from './demo/read-series.ts';
import { requireFiles } from './demo/require-files.ts';
import type { LeadingMetric } from '../checkpoint/quality/as-good-as.ts';
import { demoRow, type DemoRow } from './demo/report/demo-row.ts';
import { lineageRows, type RunLineage } from './demo/report/lineage-rows.ts';
import { headerLine, rowLine } from './demo/report/row-line.ts';
import { totalLines } from './demo/report/total-lines.ts';
import { totalsOf, type StoredParts } from './demo/report/totals.ts';
import { seriesEvalSpec } from './demo/series-eval-spec.ts';
import { seriesTensorMap } from './demo/series-tensor-map.ts';
import { ReEvaluator, verifyDownload } from './demo/verify-downloads.ts';

const namespace = 'demo';
const repository = `${namespace}/series`;
const bundledSeries = join(packageRoot, 'examples/lm-small');

/** Runs the main job on a series, end to end over HTTP; resolves to the problems found. */
async function runDemo(options: DemoOptions): Promise<string[]> {
  const series = await openSeries(options.seriesDirectory);
  const thresholds = boundsOf(series, options);
  const directory = await mkdtemp(join(tmpdir(), 'firn-demo-'));
  let hubProcess: HubProcess | undefined;
  try {
    hubProcess = await HubProcess.start(join(directory, 'hub'));
    say(
      `${series.name}: ${series.checkpoints.length} checkpoints, ${describeBounds(thresholds)}, method ` +
        `${options.method}, hub at ${hubProcess.url}`,
    );
    const interrupted = interruption();
    const problems = await Promise.race([
      pushAndVerify(new HubClient(hubProcess.url), series, { ...options, thresholds, directory }),
      interrupted,
    ]);
    await showPage(hubProcess.url, options.open ? interrupted : undefined);
    return problems;
  } finally {
    await hubProcess?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * A series whose files exist and whose metrics are known. Problems that need no hub are reported before one is started.
 * Rejects with an Error of one sentence.
 */
async function openSeries(directory: string): Promise<Series> {
  const series = readSeries(directory);
  requireFiles(series);
  seriesEvalSpec(series);
  const tensorMap = await seriesTensorMap(series);
  return tensorMap === undefined ? series : { ...series, tensorMap };
}

async function pushAndVerify(
  hub: HubClient,
  series: Series,
  options: Omit<DemoOptions, 'thresholds'> & { readonly thresholds: QualityThresholds; readonly directory: string },
): Promise<string[]> {
  const { thresholds, method, jsonPath } = options;
  const { pushed, limits, rows, last } = await train(hub, series, options);
  const problems = await verifyAll(hub, series, { pushed, limits }, options);
  const totals = totalsOf(rows, await storedParts(hub), last);
  for (const line of totalLines(totals)) say(line);
  if (problems.length === 0)
    say(
      `every step was downloaded again: ${rows.length} digests match, ${rows.length} re-evaluations agree ` +
        'and stay inside the threshold',
    );
  for (const problem of problems) say(`OFF: ${problem}`);
  if (jsonPath !== undefined)
    await writeFile(
      jsonPath,
      JSON.stringify({ series: series.name, thresholds, method, rows, totals, problems }, undefined, 1),
    );
  return problems;
}

/** Says where the page of what was pushed is; with an interruption to wait for it stays up until then. */
async function showPage(url: string, interrupted: Promise<never> | undefined): Promise<void> {
  if (interrupted === undefined) {
    say(`page of it: ${url}/${repository}, gone now; with --open it stays up until you interrupt it`);
    return;
  }
  say(`page of it: ${url}/${repository} (Ctrl-C ends it)`);
  await interrupted.catch(() => undefined);
}

/** Bytes in the store because of the demo, by purpose. */
async function storedParts(hub: HubClient): Promise<StoredParts> {
  const { items } = await hub.get<z.infer<typeof namespaceUsageList>>('/v1/usage');
  const usage = items.find((item) => item.namespace === namespace);
  if (usage === undefined) throw new Error(`the hub's usage has no namespace ${namespace}`);
  return usage.stored;
}

/** Every bounding metric with its threshold. */
function boundsOf(series: Series, options: DemoOptions): QualityThresholds {
  const { metrics = [series.metric], thresholds, progress } = options;
  const unknown = metrics.find((metric) => !series.metrics.includes(metric));
  if (unknown !== undefined) throw new Error(`the series records ${series.metrics.join(', ')}, not ${unknown}`);
  return withProgress(
    Object.fromEntries(metrics.map((metric, i) => [metric, thresholds[i] ?? thresholds[0]!])),
    progress,
  );
}

function describeBounds(thresholds: QualityThresholds): string {
  return Object.entries(thresholds)
    .map(([metric, threshold]) => {
      if (typeof threshold === 'number') return `${metric} bounded by ${100 * threshold} %`;
      const { relative, progress } = threshold;
      return `${metric} bounded by ${100 * relative!} % and by ${100 * progress!} % of its progress`;
    })
    .join(', ');
}

/** The result of a training job: everything it pushed, and its last run. */
interface Training {
  readonly pushed: readonly PushedCheckpoint[];
  /** What the thresholds come to in each, from the metrics of the uploads. */
  readonly limits: readonly DegradationLimits[];
  readonly rows: readonly DemoRow[];
  readonly last: RunLineage;
}

async function train(
  hub: HubClient,
  series: Series,
  {
    thresholds,
    method,
    clustering,
    search,
  }: Pick<DemoOptions, 'method' | 'clustering' | 'search'> & { readonly thresholds: QualityThresholds },
): Promise<Training> {
  const { first, fork } = planPushes(series);
  await prepareHub(hub, series, { repository, run: first.run, thresholds, method, clustering, search });
  say(headerLine());
  const bounding = Object.keys(thresholds);
  const shown = {
    metrics: [...bounding, ...series.metrics],
    leading: leadingMetric(series, bounding[0]!),
    limitsOf: (row: DemoRow, lineage: readonly DemoRow[]) => rowLimits(series, thresholds, row, lineage),
  };
  const training = { pushed: [], limits: [], rows: [] };
  await pushAll(hub, first, shown, training);
  if (fork !== undefined) {
    say(
      `the training job crashes after step ${first.checkpoints.at(-1)!.step}, resumes from ` +
        `${first.run}@${fork.fromStep}, and goes on as run ${fork.run}`,
    );
    await hub.post(`/v1/repositories/${repository}/runs`, {
      name: fork.run,
      forkFrom: { run: first.run, step: fork.fromStep },
    });
    await pushAll(hub, fork, shown, training);
  }
  return { ...training, last: fork ?? first };
}

/** Appends each pushed checkpoint to `training`. */
async function pushAll(
  hub: HubClient,
  plan: PushPlan,
  shown: {
    readonly metrics: readonly string[];
    readonly leading: LeadingMetric;
    readonly limitsOf: (row: DemoRow, lineage: readonly DemoRow[]) => DegradationLimits;
  },
  training: { readonly pushed: PushedCheckpoint[]; readonly limits: DegradationLimits[]; readonly rows: DemoRow[] },
): Promise<void> {
  for (const checkpoint of plan.checkpoints) {
    const name = `${plan.run}@${checkpoint.step}`;
    const done = await pushCheckpoint(hub, repository, plan.run, checkpoint, (progress) =>
      showProgress(`${name}: ${progress}`),
    ).catch((error: unknown) => {
      throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    });
    clearProgress();
    const lineage = lineageRows(training.rows, plan);
    const row = demoRow(done, { ...shown, lineage });
    say(rowLine(row));
    for (const warning of row.warnings) say(`  note: ${warning}`);
    training.pushed.push(done);
    training.limits.push(shown.limitsOf(row, lineage));
    training.rows.push(row);
  }
}

async function verifyAll(
  hub: HubClient,
  series: Series,
  { pushed, limits }: Pick<Training, 'pushed' | 'limits'>,
  options: { directory: string; keepDirectory?: string | undefined },
): Promise<string[]> {
  const problems: string[] = [];
  const reEvaluator = new ReEvaluator(series);
  try {
    for (const [i, done] of pushed.entries()) {
      showProgress(`downloading and re-evaluating ${i + 1} of ${pushed.length}`);
      problems.push(...(await verifyDownload(hub, series, done, { ...options, reEvaluator, limits: limits[i]! })));
    }
  } finally {
    reEvaluator.close();
    clearProgress();
  }
  return problems;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** On a terminal one line that is overwritten; elsewhere lines on standard error, so that the table stays clean. */
function showProgress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[2K${text.slice(0, (process.stdout.columns ?? 120) - 1)}`);
  else process.stderr.write(`  ${text}\n`);
}

function clearProgress(): void {
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[2K');
}

/** Resolves to the exit code. A wrong command line also prints the usage. */
async function main(args: readonly string[]): Promise<number> {
  let usage = `\n${demoUsage}`;
  try {
    const options = readDemoOptions(args, bundledSeries);
    usage = '';
    return (await runDemo(options)).length === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}${usage}\n`);
    return 1;
  }
}

process.exit(await main(process.argv.slice(2)));
