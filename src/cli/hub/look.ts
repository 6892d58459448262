import {
  findCheckpoint,
  findStep,
  formatTarget,
  FirnProblem,
  listRepositories,
  listRuns,
  parseTarget,
  type components,
  type Target,
} from '../../../clients/typescript/src/index.ts';
import { printTable } from '../terminal/print-table.ts';
import { configInWords } from './words/config-in-words.ts';
import { estimateInWords, lastEstimate } from './estimate.ts';
import { log } from './log.ts';
import { metricRows } from './words/metrics-in-words.ts';
import { nextRows, outcomeInWords, whyRows } from './words/outcome-in-words.ts';
import { openSession, runTarget, type HubOptions, type Session } from './session.ts';

/** `firn ls [TARGET]`: repositories, the runs of one, or the checkpoints of a run. */
export async function ls(text: string | undefined, options: HubOptions): Promise<void> {
  const target = text === undefined ? undefined : parseTarget(text);
  if (target?.run !== undefined) return log([text!], options);
  const session = openSession(options);
  await (target === undefined
    ? printRepositories(session, await listRepositories(session.hub))
    : printRuns(session, target));
  session.hub.close();
}

/** Prints one row for each repository. */
export function printRepositories(
  { terminal }: Session,
  repositories: readonly components['schemas']['Repository'][],
): void {
  if (terminal.asJson) return terminal.say(JSON.stringify(repositories));
  printTable(
    terminal,
    ['repository', 'visibility', 'created'],
    repositories.map(({ namespace, name, visibility, createdAt }) => [`${namespace}/${name}`, visibility, createdAt]),
  );
}

/** Prints one row for each run of a repository. */
export async function printRuns({ hub, terminal }: Session, repository: Target): Promise<void> {
  const runs = await listRuns(hub, repository);
  if (terminal.asJson) return terminal.say(JSON.stringify(runs));
  printTable(
    terminal,
    ['run', 'fidelity', 'eval set', 'thresholds', 'created'],
    runs.map((run) => [
      run.name,
      run.fidelity,
      run.evalSet,
      run.thresholdsInWords.join('; ') || undefined,
      run.createdAt,
    ]),
  );
}

/** `firn show NAMESPACE/NAME/RUN[@STEP]`: one checkpoint, with why it is as it is. */
export async function show(text: string, options: HubOptions): Promise<void> {
  const { hub, terminal } = openSession(options);
  const target = await findStep(hub, runTarget(text));
  const found = await findCheckpoint(hub, target);
  const estimate = found && (await lastEstimate(hub, target));
  // Of a run or repository that is missing, or that needs a token, the error says so.
  if (found === undefined)
    await hub.api.GET('/v1/repositories/{namespace}/{name}/runs/{run}', { params: { path: target } });
  hub.close();
  if (found === undefined) {
    const run = formatTarget({ ...target, step: undefined });
    const detail = `There is no ${text}: firn log ${run} lists the steps that there are.`;
    throw new FirnProblem(404, { code: 'not-found', detail });
  }
  if (terminal.asJson) return terminal.say(JSON.stringify({ ...found, ...(estimate && { estimate }) }));
  const { result } = found;
  printTable(
    terminal,
    ['what', 'value'],
    [
      ['step', String(found.step)],
      ['state', found.state],
      ['outcome', outcomeInWords(found)],
      ...whyRows(found),
      ...nextRows(found, target),
      ['config', configInWords(result?.config)],
      ...metricRows(terminal, result),
      ...(estimate === undefined ? [] : [['estimate', estimateInWords(estimate)] satisfies [string, string]]),
      ...(result?.warnings ?? []).map((warning): [string, string] => ['warning', warning]),
      ...found.files.map((file): [string, string] => [file.path, file.rebuilt?.sha256 ?? `not ready (${file.role})`]),
    ],
  );
}
