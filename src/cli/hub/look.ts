import {
  findCheckpoint,
  findStep,
  FirnProblem,
  listCheckpoints,
  listRepositories,
  listRuns,
  parseTarget,
  type Target,
} from '../../../clients/typescript/src/index.ts';
import { bytesInWords } from '../../checkpoint/bytes-in-words.ts';
import { sparkline } from '../terminal/amounts.ts';
import { printTable } from '../terminal/print-table.ts';
import { metricsInWords, outcomeInWords } from './follow.ts';
import { openSession, runTarget, type HubOptions, type Session } from './session.ts';

/** `firn ls [TARGET]`: repositories, the runs of one, or the checkpoints of a run. */
export async function ls(text: string | undefined, options: HubOptions): Promise<void> {
  const target = text === undefined ? undefined : parseTarget(text);
  if (target?.run !== undefined) return log(text!, options);
  const session = openSession(options);
  await (target === undefined ? printRepositories(session) : printRuns(session, target));
  session.hub.close();
}

async function printRepositories({ hub, terminal }: Session): Promise<void> {
  const repositories = await listRepositories(hub);
  if (terminal.asJson) return terminal.say(JSON.stringify(repositories));
  printTable(
    terminal,
    ['repository', 'visibility', 'created'],
    repositories.map(({ namespace, name, visibility, createdAt }) => [`${namespace}/${name}`, visibility, createdAt]),
  );
}

async function printRuns({ hub, terminal }: Session, repository: Target): Promise<void> {
  const runs = await listRuns(hub, repository);
  if (terminal.asJson) return terminal.say(JSON.stringify(runs));
  printTable(
    terminal,
    ['run', 'fidelity', 'eval set', 'thresholds', 'created'],
    runs.map((run) => [
      run.name,
      run.fidelity,
      run.evalSet,
      Object.entries(run.thresholds)
        .map(([metric, bound]) => `${metric} ${typeof bound === 'number' ? bound : JSON.stringify(bound)}`)
        .join(', ') || undefined,
      run.createdAt,
    ]),
  );
}

/** `firn log NAMESPACE/NAME/RUN`: one row for each checkpoint. */
export async function log(text: string, options: HubOptions): Promise<void> {
  const { hub, terminal } = openSession(options);
  const checkpoints = await listCheckpoints(hub, runTarget(text));
  hub.close();
  if (terminal.asJson) return terminal.say(JSON.stringify(checkpoints));
  printTable(
    terminal,
    ['step', 'state', 'kind', 'fidelity', 'raw', 'stored', 'ratio', 'worse by', 'trials'],
    checkpoints.map(({ step, state, result }) => [
      step,
      state,
      result?.kind,
      result?.fidelity,
      result?.rawBytes,
      result?.storedBytes,
      result === undefined ? undefined : Number((result.rawBytes / Math.max(1, result.storedBytes)).toFixed(2)),
      metricsInWords(result?.degradation ?? {}) || undefined,
      result?.trialCount,
    ]),
  );
  const stored = checkpoints.map(({ result }) => result?.storedBytes);
  if (terminal.isPerson && checkpoints.length > 1)
    terminal.say(
      `stored ${sparkline(stored)} ${bytesInWords(stored.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0))}`,
    );
}

/** `firn show NAMESPACE/NAME/RUN[@STEP]`: one checkpoint, with why it is as it is. */
export async function show(text: string, options: HubOptions): Promise<void> {
  const { hub, terminal } = openSession(options);
  const target = await findStep(hub, runTarget(text));
  const found = await findCheckpoint(hub, target);
  hub.close();
  if (found === undefined) throw new FirnProblem(404, { code: 'not-found', detail: `There is no ${text}.` });
  if (terminal.asJson) return terminal.say(JSON.stringify(found));
  const { result } = found;
  printTable(
    terminal,
    ['what', 'value'],
    [
      ['step', String(found.step)],
      ['state', found.state],
      ['outcome', outcomeInWords(found)],
      ['config', result?.config === undefined ? undefined : JSON.stringify(result.config)],
      ...Object.entries(result?.baseline ?? {}).map(([metric, before]): [string, string] => [
        metric,
        `${before} before, ${result?.measured?.[metric]} after`,
      ]),
      ...(result?.warnings ?? []).map((warning): [string, string] => ['warning', warning]),
      ...found.files.map((file): [string, string] => [file.path, file.rebuilt?.sha256 ?? `not ready (${file.role})`]),
    ],
  );
}
