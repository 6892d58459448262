import { expect } from 'vitest';
import { classifierBatches, classifierGraph, classifierSpec, type EvalRows } from './classifier.ts';
import { readJson, type HubApi, type Json } from './hub-api.ts';

/** What leaves the decision to the metrics alone. */
export const unguarded = { weightErrorMax: null, divergenceMax: null, standardErrors: 0 } as const;

/** A small cube: several configs for a search to choose from, few trials for a test. */
export const smallSearch = {
  bins: [4, 8, 16, 32],
  embeddingBins: [16, 32],
  pruneFractions: [0.2, 0],
  protectFractions: [0.01],
  trialsMax: 24,
} as const;

/** A config given by hand, for runs that need no search. */
export const givenConfig = {
  bins: 16,
  embeddingBins: 32,
  pruneFraction: 0.1,
  pruneMetric: 'magnitude',
  protectFraction: 0.01,
} as const;

/** Creates a repository and returns its path. */
export async function createRepository(api: HubApi, name: string): Promise<string> {
  readJson(await api.post('/v1/repositories', { namespace: 'acme', name }), 201);
  return `/v1/repositories/acme/${name}`;
}

/** Creates a run and returns its path. */
export async function createRun(
  api: HubApi,
  repository: string,
  run: { readonly name: string } & Json,
): Promise<string> {
  readJson(await api.post(`${repository}/runs`, run), 201);
  return `${repository}/runs/${run.name}`;
}

/** Creates and commits the eval set of the classifier. */
export async function createClassifierSet(
  api: HubApi,
  repository: string,
  rows: EvalRows,
  name = 'held-out',
): Promise<void> {
  await createEvalSet(api, repository, {
    name,
    spec: classifierSpec,
    graph: classifierGraph(),
    batches: classifierBatches(rows),
  });
}

export interface EvalSetParts {
  readonly name: string;
  readonly spec: unknown;
  readonly graph: Buffer;
  readonly batches: Buffer;
}

/** Creates an eval set with its parts, and commits it. */
export async function createEvalSet(api: HubApi, repository: string, parts: EvalSetParts): Promise<void> {
  const answer = await commitEvalSet(api, repository, parts);
  expect(readJson(answer, 200).state).toBe('ready');
}

/** Like `createEvalSet`; returns any answer to the commit. */
export async function commitEvalSet(api: HubApi, repository: string, { name, spec, graph, batches }: EvalSetParts) {
  readJson(await api.post(`${repository}/eval-sets`, { name, spec }), 201);
  const path = `${repository}/eval-sets/${name}`;
  readJson(await api.put(`${path}/graph`, graph), 200);
  readJson(await api.put(`${path}/batches`, batches), 200);
  return api.post(`${path}/commit`);
}

/** Reserves a step, uploads its files and commits it. Returns the checkpoint's path. */
export async function pushFiles(
  api: HubApi,
  run: string,
  step: number,
  files: Readonly<Record<string, Uint8Array>>,
  more: Json = {},
): Promise<string> {
  const announced = Object.keys(files).map((path) => ({ path }));
  readJson(await api.post(`${run}/checkpoints`, { step, files: announced, ...more }), 201);
  const checkpoint = `${run}/checkpoints/${step}`;
  for (const [path, bytes] of Object.entries(files)) readJson(await api.put(`${checkpoint}/files/${path}`, bytes), 201);
  readJson(await api.post(`${checkpoint}/commit`), 202);
  return checkpoint;
}

/** Pushes one safetensors file in one request. Returns the checkpoint's path. */
export async function pushOne(api: HubApi, run: string, step: number, file: Uint8Array): Promise<string> {
  const answer = await api.put(`${run}/checkpoints/${step}`, file);
  readJson(answer, 202);
  expect(answer.headers.get('location')).toBe(`${run}/checkpoints/${step}`);
  return `${run}/checkpoints/${step}`;
}
