import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { QualityThresholds } from '../checkpoint/quality.ts';
import { readDemoOptions, demoUsage, type DemoOptions } from './demo/demo-options.ts';
import { HubClient } from './demo/hub-client.ts';
import { HubProcess } from './demo/hub-process.ts';
import { planPushes, prepareHub, pushCheckpoint, type PushedCheckpoint, type PushPlan } from './demo/push-series.ts';
import { readSeries, type Series } from './demo/read-series.ts';
import { requireFiles } from './demo/require-files.ts';
import { demoRow, headerLine, rowLine, totalsOf, type DemoRow } from './demo/report.ts';
import { seriesEvalSpec } from './demo/series-eval-spec.ts';
import { seriesTensorMap } from './demo/series-tensor-map.ts';
import { ReEvaluator, verifyDownload } from './demo/verify-downloads.ts';

const repository = 'demo/series';
const bundledSeries = fileURLToPath(new URL('../../examples/lm-small', import.meta.url));

/** Runs the main job on a series, end to end over HTTP; resolves to what was off. */
async function runDemo(options: DemoOptions): Promise<string[]> {
  const series = await openSeries(options.seriesDirectory);
  const thresholds = boundsOf(series, options);
  const directory = await mkdtemp(join(tmpdir(), 'firn-demo-'));
  let hubProcess: HubProcess | undefined;
  try {
    hubProcess = await HubProcess.start(join(directory, 'hub'));
    say(`${series.name}: ${series.checkpoints.length} checkpoints, ${describeBounds(thresholds)}, method ${options.method}, hub at ${hubProcess.url}`);
    return await Promise.race([pushAndVerify(new HubClient(hubProcess.url), series, { ...options, thresholds, directory }), interruption()]);
  } finally {
    await hubProcess?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** A series whose files are there and whose metrics are known: what can be said without a hub is said before there is one. Rejects with an Error of one sentence. */
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
  const { thresholds, jsonPath } = options;
  const bounding = Object.keys(thresholds);
  const pushed = await train(hub, series, options);
  const rows = pushed.map((each) => demoRow(each, metricOrder(series, bounding)));
  const problems = await verifyAll(hub, series, pushed, options);
  printTotals(rows, problems);
  if (jsonPath !== undefined)
    await writeFile(
      jsonPath,
      JSON.stringify({ series: series.name, thresholds, method: options.method, rows, totals: totalsOf(rows), problems }, undefined, 1),
    );
  return problems;
}

/** Every bounding metric with its threshold. */
function boundsOf(series: Series, { metrics = [series.metric], thresholds }: DemoOptions): QualityThresholds {
  const unknown = metrics.find((metric) => !series.metrics.includes(metric));
  if (unknown !== undefined) throw new Error(`the series records ${series.metrics.join(', ')}, not ${unknown}`);
  return Object.fromEntries(metrics.map((metric, i) => [metric, thresholds[i] ?? thresholds[0]!]));
}

function describeBounds(thresholds: QualityThresholds): string {
  return Object.entries(thresholds)
    .map(([metric, threshold]) => `${metric} bounded by ${100 * threshold} %`)
    .join(', ');
}

/** Rejects when the person at the terminal, or whoever runs this, wants it to end: what was started and written is then put away like after any failure. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error(`ended by ${signal}`)));
  });
}

async function train(
  hub: HubClient,
  series: Series,
  { thresholds, method, clustering }: Pick<DemoOptions, 'method' | 'clustering'> & { readonly thresholds: QualityThresholds },
): Promise<PushedCheckpoint[]> {
  const { first, fork } = planPushes(series);
  await prepareHub(hub, series, { repository, run: first.run, thresholds, method, clustering });
  say(headerLine());
  const metrics = metricOrder(series, Object.keys(thresholds));
  const pushed = await pushAll(hub, first, metrics);
  if (fork === undefined) return pushed;
  say(`the training job crashes after step ${first.checkpoints.at(-1)!.step}, resumes from ${first.run}@${fork.fromStep}, and goes on as run ${fork.run}`);
  await hub.post(`/v1/repositories/${repository}/runs`, { name: fork.run, forkFrom: { run: first.run, step: fork.fromStep } });
  return [...pushed, ...(await pushAll(hub, fork, metrics))];
}

/** The bounding metrics first. */
function metricOrder(series: Series, bounding: readonly string[]): string[] {
  return [...bounding, ...series.metrics];
}

async function pushAll(hub: HubClient, plan: PushPlan, metrics: readonly string[]): Promise<PushedCheckpoint[]> {
  const pushed: PushedCheckpoint[] = [];
  for (const checkpoint of plan.checkpoints) {
    const name = `${plan.run}@${checkpoint.step}`;
    const done = await pushCheckpoint(hub, repository, plan.run, checkpoint, (progress) => showProgress(`${name}: ${progress}`)).catch((error: unknown) => {
      throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    });
    clearProgress();
    const row = demoRow(done, metrics);
    say(rowLine(row));
    for (const warning of row.warnings) say(`  note: ${warning}`);
    pushed.push(done);
  }
  return pushed;
}

async function verifyAll(
  hub: HubClient,
  series: Series,
  pushed: readonly PushedCheckpoint[],
  options: { directory: string; thresholds: QualityThresholds },
): Promise<string[]> {
  const problems: string[] = [];
  const reEvaluator = new ReEvaluator(series);
  try {
    for (const [i, done] of pushed.entries()) {
      showProgress(`downloading and re-evaluating ${i + 1} of ${pushed.length}`);
      problems.push(...(await verifyDownload(hub, series, done, { ...options, reEvaluator })));
    }
  } finally {
    reEvaluator.close();
    clearProgress();
  }
  return problems;
}

function printTotals(rows: readonly DemoRow[], problems: readonly string[]): void {
  const totals = totalsOf(rows);
  const worst = Object.entries(totals.worstDegradation)
    .map(([name, value]) => `${name} ${(100 * value).toFixed(2)} %`)
    .join(', ');
  say(
    `total: ${totals.checkpoints} checkpoints, ${totals.rawBytes} raw bytes, ${totals.storedBytes} stored bytes, ratio ${totals.ratio.toFixed(2)}, worst degradation ${worst}, ${totals.trials} trials, ${totals.seconds.toFixed(1)} s`,
  );
  if (problems.length === 0)
    say(`every step was downloaded again: ${rows.length} digests match, ${rows.length} re-evaluations agree and stay inside the threshold`);
  for (const problem of problems) say(`OFF: ${problem}`);
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

/** Resolves to the exit code. A wrong command line is answered with the usage too. */
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
