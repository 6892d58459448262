import { randomUUID } from 'node:crypto';
import {
  findCheckpoints,
  FirnProblem,
  formatTarget,
  pushCheckpoint,
  type components,
  type Hub,
  type Target,
} from '../../../clients/typescript/src/index.ts';
import { exitCodes } from '../exit-code.ts';
import { bytesInWords } from '../../checkpoint/words/bytes-in-words.ts';
import { stateInWords } from '../../checkpoint/words/state-in-words.ts';
import { progressInWords } from '../terminal/amounts.ts';
import { follow } from './follow.ts';
import { ifThere, makeRepository } from './make-repository.ts';
import { measuredWith, type Measuring } from './measured-with.ts';
import { openSession, runTarget, type HubOptions, type Session } from './session.ts';

type Checkpoint = components['schemas']['Checkpoint'];

/** What of a run says how its checkpoints are measured. */
export type MeasuredRun = Pick<
  components['schemas']['Run'],
  'fidelity' | 'evalSet' | 'thresholds' | 'thresholdsInWords'
>;

export interface PushCommand extends HubOptions, Measuring {
  readonly wait?: boolean;
}

/** `firn push NAMESPACE/NAME/RUN[@STEP] PATH`: pushes each checkpoint of the path. Returns the exit code. */
export async function push(text: string, path: string, options: PushCommand): Promise<number> {
  const target = runTarget(text);
  if (target.step === 'latest')
    throw new Error(`${text}: say the number of the step that is pushed, or leave it away.`);
  const remarks: string[] = [];
  const found = findCheckpoints(path, {
    onEmpty: (folder) => remarks.push(`${folder} is left out: there is no file in it`),
    onBeside: (weights) => remarks.push(besideInWords(weights, target)),
  });
  if (typeof target.step === 'number' && found.length > 1)
    throw new Error(`${path} has ${found.length} checkpoints: leave "@${target.step}" away.`);
  const checkpoints = found.map(({ step: named, ...checkpoint }) => {
    const step = typeof target.step === 'number' ? target.step : named;
    if (step === undefined)
      throw new Error(`Say which step ${path} is: ${formatTarget({ ...target, step: undefined })}@STEP.`);
    return { ...checkpoint, step };
  });
  const session = openSession(options);
  for (const remark of remarks) session.terminal.remark(remark);
  await makePlace(session, target, options);
  let code: number = exitCodes.done;
  for (const { step, files, leftOut, hidden } of checkpoints) {
    for (const name of leftOut)
      session.terminal.remark(`${name} is left out: the same weights are there as safetensors`);
    if (hidden.length > 0) session.terminal.remark(hiddenInWords(hidden));
    const at = { ...target, step };
    const begun = Date.now();
    const { outcome, checkpoint } = await pushCheckpoint(session.hub, at, {
      files,
      onProgress: (sent, total) =>
        session.terminal.progress(progressInWords(formatTarget(at), sent, total, Date.now() - begun)),
    });
    const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (session.terminal.asJson) session.terminal.say(JSON.stringify({ outcome, checkpoint }));
    else if (outcome === 'already')
      session.terminal.say(`${formatTarget(at)}: there already, ${toGoOn(checkpoint, at)}`);
    else
      session.terminal.say(
        `${formatTarget(at)}: pushed ${files.length} ${files.length === 1 ? 'file' : 'files'}, ${bytesInWords(bytes)}`,
      );
    if (isOver(checkpoint)) code = exitCodes.bad;
    else if (options.wait === true) code = Math.max(code, await follow(session, at));
  }
  session.hub.close();
  return code;
}

/**
 * Whether a checkpoint that was pushed before ended without becoming ready, so that pushing it again changes nothing.
 */
function isOver({ state }: Pick<Checkpoint, 'state'>): boolean {
  return state === 'failed' || state === 'cancelled';
}

function toGoOn({ state, waitsFor }: Pick<Checkpoint, 'state' | 'waitsFor'>, at: Target): string {
  const name = formatTarget(at);
  if (state === 'failed') return `${state}; to try it again: firn retry ${name}`;
  if (state === 'cancelled') return `${state}; to push it anew: firn runs delete ${name}, and then this again`;
  return stateInWords(state, waitsFor);
}

/** What is said of weights beside the folders of the steps, and how they are pushed. */
function besideInWords(weights: readonly string[], target: Target): string {
  const step = formatTarget({ ...target, step: undefined });
  const [first, ...more] = weights;
  return more.length === 0
    ? `${first} is not pushed, only the folders checkpoint-N are; to push it, too: firn push ${step}@STEP ${first}`
    : `${weights.join(', ')} are not pushed, only the folders checkpoint-N are; to push them, too, put them into a ` +
        `folder of their own: firn push ${step}@STEP FOLDER`;
}

/** Most names of hidden files that are said of one checkpoint. */
const hiddenSaidMax = 5;

function hiddenInWords(hidden: readonly string[]): string {
  const more = hidden.length - hiddenSaidMax;
  const names = hidden.slice(0, hiddenSaidMax).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return hidden.length === 1
    ? `${names} is left out: its name begins with a dot`
    : `${names} are left out: their names begin with a dot`;
}

/** Makes the repository and the run if they are not there, and says so. Makes nothing if the run would be refused. */
async function makePlace(
  session: Session,
  target: Target & { readonly run: string },
  options: PushCommand,
): Promise<void> {
  const { namespace, name, run } = target;
  const { hub, terminal } = session;
  const known = () =>
    hub.api.GET('/v1/repositories/{namespace}/{name}/runs/{run}', { params: { path: { namespace, name, run } } });
  const there = (await ifThere(known))?.data;
  if (there !== undefined) return refuseOtherMeasuring(target, there, options);
  await checkMeasuring(hub, target, options);
  await makeRepository(session, target);
  await makeRun(hub, target, options);
  const how = options.evalSet === undefined ? 'exact, since there is no --eval-set' : `measured on ${options.evalSet}`;
  terminal.remark(`made the run ${run}: ${how}`);
}

/**
 * Throws an Error with what to do if the options ask for something else than a run has that is there: they are for new
 * runs, and would be ignored.
 */
export function refuseOtherMeasuring(
  target: Target,
  run: MeasuredRun,
  { evalSet, threshold = {} }: Pick<PushCommand, 'evalSet' | 'threshold'>,
): void {
  const others = [
    ...(evalSet === undefined || evalSet === run.evalSet ? [] : [`--eval-set ${evalSet}`]),
    ...Object.entries(threshold)
      .filter(([metric, share]) => run.thresholds[metric] !== share)
      .map(([metric, share]) => `--threshold ${metric}=${share}`),
  ];
  if (others.length === 0) return;
  const name = formatTarget({ ...target, step: undefined });
  const asked = others.join(' ');
  const is = `The run ${name} is there already, ${measuringOf(run)}; ${asked} is for a new run. Leave it away, or`;
  // The hub does not let an exact run become a lossy one.
  throw new Error(
    run.fidelity === 'exact'
      ? `${is} push to another run: this one stays exact.`
      : `${is} change the run from its next checkpoint on: firn runs edit ${name} ${asked}`,
  );
}

/** Throws an Error or a FirnProblem if a new run cannot be measured as the options ask. */
async function checkMeasuring(
  hub: Hub,
  { namespace, name }: Target,
  { evalSet, threshold }: Pick<PushCommand, 'evalSet' | 'threshold'>,
): Promise<void> {
  if (evalSet === undefined && threshold !== undefined)
    throw new Error('A threshold needs an eval set to be measured on: --eval-set NAME.');
  if (evalSet === undefined) return;
  const path = { namespace, name, evalSet };
  const known = () => hub.api.GET('/v1/repositories/{namespace}/{name}/eval-sets/{evalSet}', { params: { path } });
  if ((await ifThere(known)) !== undefined) return;
  throw new FirnProblem(404, {
    code: 'not-found',
    detail: `There is no eval set ${evalSet} in ${namespace}/${name}: firn eval-set --help says how to make one.`,
  });
}

function measuringOf({ fidelity, evalSet, thresholdsInWords }: MeasuredRun): string {
  if (fidelity === 'exact') return 'and exact';
  const bounds = thresholdsInWords.length === 0 ? '' : ` (${thresholdsInWords.join('; ')})`;
  return `with ${evalSet === undefined ? 'no eval set' : `the eval set ${evalSet}`}${bounds}`;
}

async function makeRun(hub: Hub, { namespace, name, run }: Target & { readonly run: string }, options: PushCommand) {
  await hub.api.POST('/v1/repositories/{namespace}/{name}/runs', {
    params: { path: { namespace, name }, header: { 'idempotency-key': randomUUID() } },
    body: {
      name: run,
      ...measuredWith(options),
    },
  });
}
