import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  classifierBatches,
  classifierFile,
  classifierGradients,
  classifierGraph,
  classifierRows,
  classifierSpec,
  classifierWeights,
} from '../acceptance/classifier.ts';
import { randomBytesOf, randomNumbers } from '../acceptance/random-numbers.ts';
import { safetensorsFile } from '../acceptance/safetensors-file.ts';
import { Refused } from '../harness/hub/hub-caller.ts';

/**
 * Steps of a run that wait for their encodes at once. Without a bound, clients push far more than is encoded, and all
 * of it has to be encoded in the end.
 */
const backlogMax = 3;
const pollMs = 50;

/** A file that the hub answered with 200 or 201, or a checkpoint of such files that it answered with 200 or 202. */
export interface Acknowledged {
  readonly run: string;
  readonly step: number;
  readonly path: string;
  readonly sha256: string;
  /** Its checkpoint was committed. */
  committed: boolean;
  /** A deletion of its checkpoint or run was requested, or was answered with success. */
  deletion?: 'asked' | 'done';
  /** The first known digest of its rebuilt file; it never changes. */
  rebuilt?: string;
}

interface RunPlan {
  readonly name: string;
  readonly body: object;
  /** All files in one request, or reserved, uploaded and committed. */
  readonly push: 'at-once' | 'in-parts';
  /** Number of newest steps that stay; older ones are deleted. All stay if absent. */
  readonly keeps?: number;
  readonly files: (step: number) => Readonly<Record<string, Buffer>>;
}

export const repository = '/v1/repositories/crash/test';
const givenConfig = { bins: 8, embeddingBins: 16, pruneFraction: 0.2, protectFraction: 0.005 };
const smallSearch = {
  bins: [4, 8, 16],
  embeddingBins: [16, 32],
  pruneFractions: [0.2, 0],
  protectFractions: [0.01],
  trialsMax: 12,
};
const evalSet = {
  name: 'held-out',
  graph: classifierGraph(),
  batches: classifierBatches(classifierRows(classifierWeights(0))),
};

/** The run that others are forked from. Checkpoints that a fork builds on are not merged. */
export const forkedRun = 'forked';
/** The run whose old deltas are merged. */
export const mergedRun = 'merged';
const moving = { search: { method: 'residual', fixedConfig: { method: 'residual', step: 0 } } };

/**
 * One run for each client: exact with incompressible noise; lossy with a given config, at once and in parts; lossy by
 * search; with deltas that others build on; with deltas that are merged.
 */
export const runPlans: readonly RunPlan[] = [
  {
    name: 'exact',
    body: { fidelity: 'exact' },
    push: 'at-once',
    keeps: 6,
    files: (step) => ({ 'model.safetensors': exactFile(step) }),
  },
  {
    name: 'given',
    body: { search: { fixedConfig: givenConfig } },
    push: 'at-once',
    files: (step) => ({ 'model.safetensors': classifierFile(classifierWeights(step, 2)) }),
  },
  {
    name: 'parts',
    body: { search: { fixedConfig: givenConfig } },
    push: 'in-parts',
    files: (step) => ({
      'config.json': Buffer.from(JSON.stringify({ step })),
      'model.grad.safetensors': classifierFile(classifierGradients(step)),
      'model.safetensors': classifierFile(classifierWeights(step, 3)),
      'vocab.bin': randomBytesOf(150_000, step),
    }),
  },
  {
    name: 'searched',
    body: { evalSet: evalSet.name, thresholds: { loss: 0.05 }, search: smallSearch },
    push: 'in-parts',
    keeps: 10,
    files: (step) => ({
      'model.safetensors': classifierFile(classifierWeights(step)),
      'model.grad.safetensors': classifierFile(classifierGradients(step)),
    }),
  },
  {
    name: forkedRun,
    body: moving,
    push: 'at-once',
    keeps: 12,
    files: (step) => ({ 'model.safetensors': movingFile(step) }),
  },
  {
    name: mergedRun,
    body: moving,
    push: 'at-once',
    keeps: 20,
    files: (step) => ({ 'model.safetensors': movingFile(step) }),
  },
];

/** Creates repository, eval set and runs. */
export async function prepare(url: string): Promise<void> {
  await send(url, 'POST', '/v1/repositories', { namespace: 'crash', name: 'test' });
  const set = `${repository}/eval-sets/${evalSet.name}`;
  await send(url, 'POST', `${repository}/eval-sets`, { name: evalSet.name, spec: classifierSpec });
  await send(url, 'PUT', `${set}/graph`, evalSet.graph);
  await send(url, 'PUT', `${set}/batches`, evalSet.batches);
  await send(url, 'POST', `${set}/commit`);
  for (const { name, body } of runPlans) await send(url, 'POST', `${repository}/runs`, { name, ...body });
}

/**
 * Pushes the steps of a run from `nextStep` on until the hub dies, or a given number, and adds answered requests to
 * `acknowledged`. Resolves to the step to continue with; its acknowledged files are not sent again. Rejects with
 * `Refused` for an answer that is no success, if the hub still lives.
 */
export async function pushUntilKilled(
  url: string,
  plan: RunPlan,
  { nextStep, stepsMax }: { readonly nextStep: number; readonly stepsMax: number },
  acknowledged: Acknowledged[],
): Promise<number> {
  let step = nextStep;
  await untilKilled(url, async () => {
    for (; step < nextStep + stepsMax; step++) {
      await pushStep(url, plan, step, acknowledged);
      if (plan.keeps !== undefined) await deleteStep(url, plan.name, step - plan.keeps, acknowledged);
      while (await isUnderWay(url, plan.name, step + 1 - backlogMax)) await delay(pollMs);
    }
  });
  return step;
}

/**
 * Resolves when the work is done, or when the hub has died during it; rejects when the work fails and the hub lives on.
 */
export async function untilKilled(url: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Refused || (await isAlive(url))) throw error;
  }
}

async function pushStep(
  url: string,
  { name: run, push, files }: RunPlan,
  step: number,
  acknowledged: Acknowledged[],
): Promise<void> {
  const checkpoint = `${repository}/runs/${run}/checkpoints/${step}`;
  const bodies = Object.entries(files(step));
  const receipts = bodies.map(([path, bytes]): Acknowledged => ({
    run,
    step,
    path,
    sha256: sha256(bytes),
    committed: false,
  }));
  const known = acknowledged.filter((each) => each.run === run && each.step === step);
  if (push === 'at-once') {
    await send(url, 'PUT', checkpoint, bodies[0]![1]);
    if (known.length === 0) acknowledged.push({ ...receipts[0]!, committed: true });
    return;
  }
  // The kill may have prevented the answer to the reservation, to a file, or to the commit.
  if (!(await isCommitted(url, checkpoint))) {
    await send(url, 'POST', `${repository}/runs/${run}/checkpoints`, {
      step,
      files: bodies.map(([path]) => ({ path })),
    });
    for (const [at, [path, bytes]] of bodies.entries()) {
      if (known.some((each) => each.path === path)) continue;
      await send(url, 'PUT', `${checkpoint}/files/${path}`, bytes);
      acknowledged.push(receipts[at]!);
    }
  }
  await send(url, 'POST', `${checkpoint}/commit`);
  for (const receipt of receipts) {
    const entered = acknowledged.find((each) => each.run === run && each.step === step && each.path === receipt.path);
    if (entered === undefined) acknowledged.push({ ...receipt, committed: true });
    else entered.committed = true;
  }
}

async function deleteStep(
  url: string,
  run: string,
  step: number,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const receipts = acknowledged.filter((each) => each.run === run && each.step === step && each.deletion !== 'done');
  if (receipts.length > 0) await deleteResource(url, `${repository}/runs/${run}/checkpoints/${step}`, receipts);
}

/**
 * Deletes a checkpoint or a run and records it in `receipts`. Resolves to whether it is deleted; it stays while it is
 * compressed.
 */
export async function deleteResource(url: string, path: string, receipts: readonly Acknowledged[]): Promise<boolean> {
  const asked = receipts.some(({ deletion }) => deletion === 'asked');
  for (const receipt of receipts) receipt.deletion = 'asked';
  const answer = await fetch(url + path, { method: 'DELETE' });
  const text = await answer.text();
  const isGone = answer.status === 204 || (asked && answer.status === 404);
  if (!isGone && answer.status !== 409) throw new Refused(`DELETE ${path} answered ${answer.status} ${text}`);
  for (const receipt of receipts)
    if (isGone) receipt.deletion = 'done';
    else delete receipt.deletion;
  return isGone;
}

async function isAlive(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function isUnderWay(url: string, run: string, step: number): Promise<boolean> {
  const answer = await fetch(`${url}${repository}/runs/${run}/checkpoints/${step}`);
  const { state } = (await answer.json()) as { state?: string };
  return state === 'queued' || state === 'working';
}

async function isCommitted(url: string, checkpoint: string): Promise<boolean> {
  const answer = await fetch(url + checkpoint);
  return answer.status === 200 && ((await answer.json()) as { revision?: string }).revision !== undefined;
}

/** Rejects with `Refused` unless the answer is a success. Rejects also if the connection breaks. */
export async function send(url: string, method: string, path: string, body?: object): Promise<void> {
  const isBytes = body instanceof Uint8Array;
  const answer = await fetch(url + path, {
    method,
    ...(body !== undefined && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    ...(body !== undefined && !isBytes && { headers: { 'content-type': 'application/json' } }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Refused(`${method} ${path} answered ${answer.status} ${text}`);
}

/** Noise; a tenth of it changes from step to step. */
function exactFile(step: number): Buffer {
  const bytes = randomBytesOf(64_000, 1);
  bytes.set(randomBytesOf(6_400, step + 2), 6_400 * (step % 10));
  return safetensorsFile({ 'w.weight': { dtype: 'BF16', shape: [320, 100], bytes } });
}

/** A matrix in which few weights move from step to step, each a little. */
export function movingFile(step: number): Buffer {
  const random = randomNumbers(11);
  const values = Float32Array.from({ length: 64_000 }, () => random() - 0.5);
  values.forEach((x, i) => (values[i] = x + 0.4 * Math.floor((step + (i % 97)) / 97)));
  return safetensorsFile({ 'w.weight': { dtype: 'F32', shape: [200, 320], bytes: Buffer.from(values.buffer) } });
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
