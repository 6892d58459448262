import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  degradation,
  withinThreshold,
  type DegradationLimits,
  type MetricValues,
} from '../../checkpoint/quality/quality.ts';
import { programPath } from '../../program-files.ts';
import type { HubClient } from './hub-client.ts';
import type { PushedCheckpoint } from './push-series.ts';
import type { ReEvaluation, ReEvaluationAnswer } from './re-evaluate.ts';
import type { Series } from './read-series.ts';
import { seriesEvalSpec } from './series-eval-spec.ts';

/** Largest relative difference between metrics of two passes over the same bytes, in any processes. */
const metricToleranceMax = 1e-6;

export interface VerifyOptions {
  readonly directory: string;
  readonly reEvaluator: ReEvaluator;
  /** Folder for the downloads, with a subfolder `<run>-<step>` each; without it they are deleted. */
  readonly keepDirectory?: string | undefined;
}

/**
 * Downloads one checkpoint again, checks digests, and re-evaluates it in a process of its own. Returns the problems
 * found, as sentences.
 */
export async function verifyDownload(
  hub: HubClient,
  series: Series,
  pushed: PushedCheckpoint,
  options: VerifyOptions & { readonly limits: DegradationLimits },
): Promise<string[]> {
  const name = `${pushed.run}@${pushed.checkpoint.step}`;
  const { modelFiles } = pushed.checkpoint;
  const uploaded = modelFiles.map((file) => file.from);
  const kept =
    options.keepDirectory === undefined
      ? undefined
      : join(options.keepDirectory, `${pushed.run}-${pushed.checkpoint.step}`);
  if (kept !== undefined) await mkdir(kept, { recursive: true });
  const directory = kept ?? (await mkdtemp(join(options.directory, 'downloaded-')));
  try {
    const wrongDigests: string[] = [];
    for (const { path } of modelFiles)
      wrongDigests.push(...(await downloadFile(hub, pushed, path, join(directory, path))));
    const downloaded = modelFiles.map((file) => join(directory, file.path));
    const before = await options.reEvaluator.evaluate(uploaded, uploaded);
    const after = await options.reEvaluator.evaluate(downloaded, uploaded);
    return [
      ...wrongDigests.map((problem) => `${name}: ${problem}`),
      ...compareMetrics(name, series, pushed, { before, after }, options),
    ];
  } finally {
    if (kept === undefined) await rm(directory, { recursive: true, force: true });
  }
}

/** Problems with the digest of one downloaded file. */
async function downloadFile(hub: HubClient, pushed: PushedCheckpoint, path: string, to: string): Promise<string[]> {
  const { sha256, announced } = await hub.download(`${pushed.path}/files/${path}`, to);
  const recorded = pushed.status.files.find((file) => file.path === path)?.rebuilt?.sha256;
  if (sha256 === recorded && sha256 === announced) return [];
  return [`${path}: downloaded sha256 ${sha256}, status says ${recorded}, Repr-Digest says ${announced}`];
}

function compareMetrics(
  name: string,
  series: Series,
  pushed: PushedCheckpoint,
  found: { before: MetricValues; after: MetricValues },
  { limits }: { readonly limits: DegradationLimits },
): string[] {
  const kinds = new Map(seriesEvalSpec(series).metrics.map((metric) => [metric.name, metric.kind]));
  const problems: string[] = [];
  for (const [metric, kind] of kinds) {
    const claimed = pushed.status.result?.measured?.[metric];
    const value = found.after[metric]!;
    if (!agrees(claimed, value))
      problems.push(`${name}: ${metric} of the downloaded file is ${value}, the hub recorded ${claimed}`);
    const worse = degradation(found.before[metric]!, value, kind);
    const limit = limits[metric];
    if (limit !== undefined && pushed.status.result?.fidelity === 'lossy' && !withinThreshold(worse, limit)) {
      problems.push(
        `${name}: ${metric} degraded by ${(100 * worse).toFixed(3)} %, more than ${(100 * limit).toFixed(3)} %`,
      );
    }
  }
  return problems;
}

/** The hub sends null for values that are not finite. */
function agrees(claimed: number | null | undefined, value: number): boolean {
  if (claimed === null) return !Number.isFinite(value);
  return claimed !== undefined && Math.abs(claimed - value) <= metricToleranceMax * Math.max(1, Math.abs(value));
}

/** A process that measures model files independently; see re-evaluate.ts. Close it. */
export class ReEvaluator {
  private readonly child: ChildProcess;
  private readonly series: Series;

  constructor(series: Series) {
    this.series = series;
    this.child = fork(programPath('cli/demo/re-evaluate'), [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /** Metric values of one model's files. One call at a time. */
  async evaluate(modelPaths: readonly string[], uploadedPaths: readonly string[]): Promise<MetricValues> {
    const { graphPath, batchesPath } = this.series;
    const request: ReEvaluation = {
      graphPath,
      batchesPath,
      spec: seriesEvalSpec(this.series),
      modelPaths,
      uploadedPaths,
    };
    const stop = new AbortController();
    try {
      this.child.send(request);
      const ended = once(this.child, 'exit', { signal: stop.signal }).then(([code]): never => {
        throw new Error(`re-evaluation ended with code ${code}`);
      });
      ended.catch(() => undefined);
      const [answer] = (await Promise.race([once(this.child, 'message', { signal: stop.signal }), ended])) as [
        ReEvaluationAnswer,
      ];
      if ('error' in answer) throw new Error(answer.error);
      return answer.metrics;
    } finally {
      stop.abort();
    }
  }

  close(): void {
    if (this.child.connected) this.child.disconnect();
  }
}
