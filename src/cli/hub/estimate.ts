import { setTimeout as pause } from 'node:timers/promises';
import {
  findCheckpoint,
  findStep,
  FirnProblem,
  formatTarget,
  type CheckpointTarget,
  type components,
  type Hub,
} from '../../../clients/typescript/src/index.ts';
import { bytesInWords } from '../../checkpoint/words/bytes-in-words.ts';
import { exitCodes } from '../exit-code.ts';
import { printTable } from '../terminal/print-table.ts';
import { configInWords } from './words/config-in-words.ts';
import { metricsInWords } from './words/metrics-in-words.ts';
import type { Measuring } from './measured-with.ts';
import { openSession, runTarget, type HubOptions } from './session.ts';

type Estimate = components['schemas']['Estimate'];

/** Interval between looks at an estimate, in ms; one takes seconds to minutes. */
const pollMs = 1000;
const resource = '/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/estimate';

export interface EstimateCommand extends HubOptions, Omit<Measuring, 'evalSet'> {
  readonly cancel?: boolean;
}

/**
 * `firn estimate TARGET --threshold METRIC=SHARE`: what a checkpoint would take at another threshold, beside what it
 * takes now. Returns the exit code.
 */
export async function estimate(text: string, options: EstimateCommand): Promise<number> {
  const { threshold, allowLarge, cancel = false } = options;
  if (threshold === undefined && !cancel)
    throw new Error(`firn estimate ${text}: a threshold is missing; write one such as --threshold loss=1%.`);
  const { hub, terminal } = openSession(options);
  try {
    const target = await findStep(hub, runTarget(text));
    const params = { path: target };
    if (cancel) {
      const { data } = await hub.api.POST(`${resource}/cancel`, { params });
      terminal.say(terminal.asJson ? JSON.stringify(data) : `${formatTarget(target)}: estimate ${data!.state}`);
      return exitCodes.done;
    }
    const body = { thresholds: { ...threshold }, ...(allowLarge !== undefined && { allowLarge }) };
    await hub.api.POST(resource, { params, body });
    terminal.progress(`${formatTarget(target)}: searching; Ctrl-C leaves it going, firn show has what comes of it`);
    const done = await ended(hub, target);
    if (terminal.asJson) terminal.say(JSON.stringify(done));
    else {
      const checkpoint = await findCheckpoint(hub, target);
      const now = checkpoint?.result;
      printTable(
        terminal,
        ['what', 'now', 'estimate'],
        [
          ['thresholds', checkpoint && thresholdsOf(checkpoint), thresholdsInWords(done)],
          ['state', undefined, done.error === undefined ? done.state : `${done.state}: ${done.error.message}`],
          ['config', configInWords(now?.config), configInWords(done.result?.config)],
          ['bytes', size(now), size(done.result)],
          ['ratio', ratio(now), ratio(done.result)],
          ['lost', lost(now), lost(done.result)],
          ...(done.result?.warnings ?? []).map((warning) => aside('warning', warning)),
          ...(now?.kind === 'delta' ? [aside('note', besideNewRun(done, checkpoint?.evalSet))] : []),
        ],
      );
    }
    return done.state === 'done' ? exitCodes.done : exitCodes.bad;
  } finally {
    hub.close();
  }
}

/** The last estimate of a checkpoint; undefined if nobody asked for one, or the hub knows none. */
export async function lastEstimate(hub: Hub, target: CheckpointTarget): Promise<Estimate | undefined> {
  try {
    return (await hub.api.GET(resource, { params: { path: target } })).data;
  } catch (error) {
    if (error instanceof FirnProblem && error.status === 404) return undefined;
    throw error;
  }
}

/** An estimate in one sentence. */
export function estimateInWords(estimate: Estimate): string {
  const { state, error, result } = estimate;
  const what = `at ${thresholdsInWords(estimate)}`;
  if (result === undefined) return `${what}: ${error === undefined ? state : `${state}: ${error.message}`}`;
  const config = configInWords(result.config) ?? 'exact';
  return `${what}: ${size(result)}, ${ratio(result)}, ${config}, ${lost(result) ?? ''}`;
}

/** Waits until it is neither queued nor working. */
export async function ended(hub: Hub, target: CheckpointTarget): Promise<Estimate> {
  for (;;) {
    const { data } = await hub.api.GET(resource, { params: { path: target } });
    if (data!.state !== 'queued' && data!.state !== 'working') return data!;
    await pause(pollMs);
  }
}

type Result = components['schemas']['CheckpointResult'] | undefined;

const size = (result: Result): string | undefined => result && bytesInWords(result.storedBytes);
const ratio = (result: Result): string | undefined =>
  result && `${(result.rawBytes / Math.max(1, result.storedBytes)).toFixed(1)}x`;
const lost = (result: Result): string | undefined => result?.degradation && metricsInWords(result.degradation);

const aside = (what: string, sentence: string): [string, undefined, string] => [what, undefined, sentence];

/** What an estimate of a delta leaves out: the checkpoints before it stay as they are stored. */
export function besideNewRun({ thresholds }: Pick<Estimate, 'thresholds'>, evalSet = 'NAME'): string {
  const options = Object.entries(thresholds)
    .map(([metric, bound]) => `--threshold ${metric}=${typeof bound === 'number' ? bound : 'SHARE'}`)
    .join(' ');
  return (
    'This is what the checkpoint would take next to the chain that is stored; a whole new run at this threshold may ' +
    'take less. Equal columns say that the chain decides, and not the threshold. To try it, push the folder of all ' +
    'checkpoints to one: firn push NAMESPACE/NAME/NEW FOLDER ' +
    `--eval-set ${evalSet} ${options}`
  );
}

/** The thresholds that a checkpoint was compressed with; undefined if it has none. */
export function thresholdsOf({
  thresholds,
  result,
}: Pick<components['schemas']['Checkpoint'], 'thresholds' | 'result'>): string | undefined {
  const limits = Object.entries(result?.limits ?? {});
  const found = thresholds ?? Object.fromEntries(limits.map(([metric, limit]) => [metric, limit.degradationMax]));
  return Object.keys(found).length === 0 ? undefined : thresholdsInWords({ thresholds: found });
}

function thresholdsInWords({ thresholds }: Pick<Estimate, 'thresholds'>): string {
  return Object.entries(thresholds)
    .map(([metric, bound]) => `${metric}=${typeof bound === 'number' ? bound : JSON.stringify(bound)}`)
    .join(', ');
}
