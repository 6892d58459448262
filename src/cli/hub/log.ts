import {
  formatTarget,
  listCheckpoints,
  listEvalSets,
  type components,
  type Hub,
  type Target,
} from '../../../clients/typescript/src/index.ts';
import { metricKindRules } from '../../checkpoint/quality/metric-kind.ts';
import { bytesInWords } from '../../checkpoint/words/bytes-in-words.ts';
import { sparkline } from '../terminal/amounts.ts';
import { bytesCell, printTable, type Cell } from '../terminal/print-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { configInWords } from './words/config-in-words.ts';
import { figureFor } from './words/metrics-in-words.ts';
import { expiryInWords } from './words/outcome-in-words.ts';
import { openSession, runTarget, type HubOptions } from './session.ts';

type Checkpoint = components['schemas']['Checkpoint'];

export interface LogCommand extends HubOptions {
  /** Largest degradation of a checkpoint that is shown. */
  readonly within?: number;
  /** Metric by which checkpoints are ordered, the best first. */
  readonly best?: string;
}

/** `firn log TARGET...`: one row for each checkpoint, with each metric against its threshold. */
export async function log(texts: readonly string[], options: LogCommand): Promise<void> {
  const targets = texts.map(wholeRun);
  const { hub, terminal } = openSession(options);
  const found = await Promise.all(targets.map((target) => listCheckpoints(hub, target)));
  const kept = found.flat().filter(({ result }) => isWithin(result, options.within));
  const shown =
    options.best === undefined
      ? kept
      : byMetric(kept, options.best, await isHigherBetter(hub, targets[0]!, options.best));
  hub.close();
  if (terminal.asJson) return terminal.say(JSON.stringify(shown));
  if (options.best === undefined && targets.length > 1) shown.sort((a, b) => a.step - b.step);
  printCheckpoints(terminal, shown, targets.length > 1);
  if (terminal.isPerson) printSums(terminal, targets, found);
}

/** A target that is a run, not a checkpoint of it. */
function wholeRun(text: string): ReturnType<typeof runTarget> {
  const target = runTarget(text);
  const run = formatTarget({ ...target, step: undefined });
  if (target.step !== undefined)
    throw new Error(`${text} is one checkpoint: firn show ${text} shows it, firn log ${run} its run.`);
  return target;
}

/**
 * Prints one row for each checkpoint. What one waits for is in a last column, so that a program finds the others where
 * they are.
 */
export function printCheckpoints(terminal: Terminal, checkpoints: readonly Checkpoint[], withRun: boolean): void {
  const metrics = [...new Set(checkpoints.flatMap(({ result }) => Object.keys(result?.degradation ?? {})))];
  const isWaiting = checkpoints.some(({ waitsFor, expiresAt }) => waitsFor !== undefined || expiresAt !== undefined);
  printTable(
    terminal,
    [
      ...(withRun ? ['run'] : []),
      ...['step', 'state', 'kind', 'fidelity', 'raw', 'stored', 'ratio'],
      ...metrics.flatMap((metric) => [metric, 'worse by, of at most']),
      ...['config', 'trials'],
      ...(isWaiting ? ['waits'] : []),
    ],
    checkpoints.map(({ run, step, state, result, waitsFor, expiresAt }): Cell[] => [
      ...(withRun ? [run] : []),
      ...[step, state, result?.kind, result?.fidelity],
      ...[bytesCell(result?.rawBytes), bytesCell(result?.storedBytes), ratioOf(result)],
      ...metrics.flatMap((metric) => [measuredBy(terminal, result, metric), againstLimit(result, metric)]),
      ...[configInWords(result?.config), result?.trialCount],
      ...(isWaiting ? [waitsFor?.inWords ?? expiryInWords(expiresAt)] : []),
    ]),
  );
}

function printSums(terminal: Terminal, targets: readonly Target[], found: readonly (readonly Checkpoint[])[]): void {
  for (const [at, checkpoints] of found.entries()) {
    if (checkpoints.length < 2) continue;
    const stored = checkpoints.map(({ result }) => result?.storedBytes);
    const sum = stored.reduce<number>((total, bytes) => total + (bytes ?? 0), 0);
    const raw = checkpoints.reduce((total, { result }) => total + (result?.rawBytes ?? 0), 0);
    terminal.say(
      `${formatTarget(targets[at]!)}: stored ${sparkline(stored)} ${bytesInWords(sum)} of ${bytesInWords(raw)}`,
    );
  }
}

function measuredBy(terminal: Terminal, result: Checkpoint['result'], metric: string): number | undefined {
  const value = result?.measured?.[metric];
  return typeof value === 'number' ? figureFor(terminal, value) : undefined;
}

function ratioOf(result: Checkpoint['result']): number | undefined {
  return result === undefined ? undefined : Number((result.rawBytes / Math.max(1, result.storedBytes)).toFixed(2));
}

/** Such as `+0.42 % of 0.5 %`: how much worse the metric got, and how much it was allowed to. */
function againstLimit(result: Checkpoint['result'], metric: string): string | undefined {
  const share = result?.degradation?.[metric];
  if (share === undefined) return undefined;
  if (share === null) return 'not finite';
  const limit = result?.limits?.[metric]?.degradationMax;
  const percent = `${share >= 0 ? '+' : ''}${(share * 100).toFixed(3)} %`;
  return limit === undefined ? percent : `${percent} of ${Number((limit * 100).toPrecision(3))} %`;
}

/** Whether no metric lost more than this. Without a limit every checkpoint is, with one only those that are ready. */
export function isWithin(result: Checkpoint['result'], share: number | undefined): boolean {
  if (share === undefined) return true;
  return (
    result !== undefined && Object.values(result.degradation ?? {}).every((lost) => lost !== null && lost <= share)
  );
}

/** Those that were measured, the best first. Throws an Error with one sentence if none was. */
export function byMetric(checkpoints: readonly Checkpoint[], metric: string, higherIsBetter: boolean): Checkpoint[] {
  const valueOf = ({ result }: Checkpoint): number | undefined => result?.measured?.[metric] ?? undefined;
  const measured = checkpoints.filter((checkpoint) => valueOf(checkpoint) !== undefined);
  if (measured.length === 0) throw new Error(`No checkpoint that is shown was measured by "${metric}".`);
  return measured.sort((a, b) => (valueOf(a)! - valueOf(b)!) * (higherIsBetter ? -1 : 1));
}

/** What the eval sets of the repository say of a metric; one that no set has any more is a loss. */
async function isHigherBetter(hub: Hub, repository: Target, metric: string): Promise<boolean> {
  const sets = await listEvalSets(hub, repository);
  const kind = sets.flatMap(({ spec }) => spec.metrics).find(({ name }) => name === metric)?.kind;
  return kind !== undefined && metricKindRules[kind].higherIsBetter;
}
