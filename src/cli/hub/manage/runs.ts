import { randomUUID } from 'node:crypto';
import { findStep, formatTarget, parseTarget, type components } from '../../../../clients/typescript/src/index.ts';
import { printRuns } from '../look.ts';
import { measuredWith, type Measuring } from '../measured-with.ts';
import { openSession, repositoryTarget, runTarget, type HubOptions, type Session } from '../session.ts';
import { requireSomebodyToAsk } from './confirm-name.ts';
import { deleteNamed, type DeleteCommand, type Deletion } from './delete-named.ts';

type Run = components['schemas']['Run'];

type DeviceWish = components['schemas']['DeviceWish'];

export interface EditRun extends HubOptions, Measuring {
  readonly device?: DeviceWish;
}

export interface CreateRun extends EditRun {
  /** A repository, run or step. */
  readonly baseModel?: string;
}

/** `firn runs list REPOSITORY`. */
export async function listRunsOf(text: string, options: HubOptions): Promise<void> {
  const repository = repositoryTarget(text);
  const session = openSession(options);
  await printRuns(session, repository);
  session.hub.close();
}

/** `firn runs create RUN`. */
export async function createRun(text: string, options: CreateRun): Promise<void> {
  const { namespace, name, run } = runTarget(text);
  const session = openSession(options);
  sayRun(session, text, await postRun(session, { namespace, name }, { name: run, ...bodyOf(options) }));
}

/** `firn runs fork RUN@STEP NEW`: NEW is the name of a run, or a target in the same repository. */
export async function forkRun(from: string, to: string, options: CreateRun): Promise<void> {
  const source = runTarget(from);
  const { namespace, name } = source;
  const place = to.includes('/') ? runTarget(to) : runTarget(`${namespace}/${name}/${to}`);
  if (place.namespace !== namespace || place.name !== name)
    throw new Error(`A fork stays in its repository: write ${formatTarget({ namespace, name, run: place.run })}.`);
  const session = openSession(options);
  const { run, step } = await findStep(session.hub, source);
  const made = await postRun(
    session,
    { namespace, name },
    { name: place.run, forkFrom: { run, step }, ...bodyOf(options) },
  );
  sayRun(session, formatTarget(place), made);
}

/** `firn runs edit RUN`. */
export async function editRun(text: string, options: EditRun): Promise<void> {
  const { evalSet, threshold, device } = options;
  if (evalSet === undefined && threshold === undefined && device === undefined)
    throw new Error(`firn runs edit ${text}: say what to change, with --eval-set, --threshold or --device.`);
  await changeRun(text, { ...measuredWith(options), ...deviceOf(options) }, options);
}

/** `firn runs close RUN` and `firn runs open RUN`. */
export async function setFinal(text: string, final: boolean, options: HubOptions): Promise<void> {
  await changeRun(text, { final }, options);
}

async function changeRun(text: string, body: components['schemas']['RunChange'], options: HubOptions): Promise<void> {
  const path = runTarget(text);
  const session = openSession(options);
  const { data } = await session.hub.api.PATCH('/v1/repositories/{namespace}/{name}/runs/{run}', {
    params: { path },
    body,
  });
  sayRun(session, text, data!);
}

/** `firn runs delete TARGET`: a run, or one checkpoint of it. Asks for the name once more. */
export async function deleteTarget(text: string, options: DeleteCommand): Promise<void> {
  const target = runTarget(text);
  requireSomebodyToAsk(formatTarget(target), options.yes === true);
  const session = openSession(options);
  const { hub } = session;
  const checkpoint = target.step === undefined ? undefined : await findStep(hub, target);
  const remove: Deletion['remove'] =
    checkpoint === undefined
      ? (header) =>
          hub.api.DELETE('/v1/repositories/{namespace}/{name}/runs/{run}', { params: { path: target, header } })
      : () =>
          hub.api.DELETE('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}', {
            params: { path: checkpoint },
          });
  await deleteNamed(session, {
    name: formatTarget(checkpoint ?? target),
    isSure: options.yes === true,
    // A run that took checkpoints meanwhile is not what was confirmed.
    ...(checkpoint === undefined && {
      read: () => hub.api.GET('/v1/repositories/{namespace}/{name}/runs/{run}', { params: { path: target } }),
    }),
    remove,
    afterwards: 'what it took is free after the grace, less what other checkpoints build on (firn usage)',
  });
}

function deviceOf({ device }: EditRun): { device?: DeviceWish } {
  return device === undefined ? {} : { device };
}

function bodyOf({ baseModel, ...measured }: CreateRun): Omit<components['schemas']['RunInput'], 'name'> {
  return {
    ...measuredWith(measured),
    ...deviceOf(measured),
    ...(baseModel !== undefined && { baseModel: baseModelOf(baseModel) }),
  };
}

/** `latest` is what no step means. */
function baseModelOf(text: string): components['schemas']['BaseModel'] {
  const { namespace, name, run, step } = parseTarget(text);
  return { namespace, name, ...(run !== undefined && { run }), ...(typeof step === 'number' && { step }) };
}

async function postRun(
  { hub }: Session,
  path: { readonly namespace: string; readonly name: string },
  body: components['schemas']['RunInput'],
): Promise<Run> {
  const { data } = await hub.api.POST('/v1/repositories/{namespace}/{name}/runs', {
    params: { path, header: { 'idempotency-key': randomUUID() } },
    body,
  });
  return data!;
}

function sayRun({ hub, terminal }: Session, text: string, run: Run): void {
  hub.close();
  if (terminal.asJson) return terminal.say(JSON.stringify(run));
  const { namespace, name } = parseTarget(text);
  const parts = [
    run.fidelity,
    ...(run.evalSet === undefined ? [] : [`measured on ${run.evalSet}`]),
    ...run.thresholdsInWords,
    ...deviceInWords(run),
    ...(run.forkedFrom === undefined ? [] : [`forked from ${run.forkedFrom.run}@${run.forkedFrom.step}`]),
    run.final ? 'closed: it takes no new steps' : 'open',
  ];
  terminal.say(`${formatTarget({ namespace, name, run: run.name })}: ${parts.join('; ')}`);
}

/** What is not usual of where a run is measured. */
function deviceInWords({ fidelity, device }: Run): string[] {
  if (fidelity === 'exact' || device === 'preferred') return [];
  return [device === 'required' ? 'on a GPU only' : 'on the processor only'];
}
