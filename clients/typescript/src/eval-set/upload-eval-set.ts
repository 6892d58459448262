import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { components } from '../firn-api.ts';
import { FirnProblem } from '../firn-problem.ts';
import { fileDigest } from '../push/file-digest.ts';
import { withRetries } from '../retry.ts';
import { sendBytes } from '../send-bytes.ts';
import type { Hub } from '../open-hub.ts';

type Schemas = components['schemas'];
type EvalSet = Schemas['EvalSet'];

/** An eval set on this disk, and where it goes. */
export interface NewEvalSet {
  readonly repository: { readonly namespace: string; readonly name: string };
  readonly name: string;
  readonly spec: Schemas['EvalSetInput']['spec'];
  /** Paths. */
  readonly graph: string;
  readonly batches: string;
  /** A checkpoint of the repository, as `run@step`, that is measured first; if that fails the set stays open. */
  readonly check?: string;
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
}

/**
 * Creates an eval set, sends its graph and batches, and commits it. Repeating it after a break goes on; a set that is
 * ready with the same files is left as it is. Throws `conflict` if it is ready with others.
 */
export async function uploadEvalSet(hub: Hub, input: NewEvalSet): Promise<EvalSet> {
  const { repository, name, spec, graph, batches, check, onProgress } = input;
  const path = { ...repository, evalSet: name };
  const known = await findEvalSet(hub, path);
  if (known?.state === 'ready') return same(known, input);
  // A set that was begun may have another spec, and one that failed takes no files.
  if (known !== undefined)
    await hub.api.DELETE('/v1/repositories/{namespace}/{name}/eval-sets/{evalSet}', { params: { path } });
  await hub.api.POST('/v1/repositories/{namespace}/{name}/eval-sets', {
    params: { path: repository, header: { 'idempotency-key': randomUUID() } },
    body: { name, spec },
  });
  const sizes = await Promise.all([graph, batches].map(async (file) => (await stat(file)).size));
  const total = sizes[0]! + sizes[1]!;
  const base = `/v1/repositories/${repository.namespace}/${repository.name}/eval-sets/${name}`;
  await sendPart(hub, { path: `${base}/graph`, file: graph, sizeBytes: sizes[0]! }, (sent) =>
    onProgress?.(sent, total),
  );
  await sendPart(hub, { path: `${base}/batches`, file: batches, sizeBytes: sizes[1]! }, (sent) =>
    onProgress?.(sizes[0]! + sent, total),
  );
  const { data } = await hub.api.POST('/v1/repositories/{namespace}/{name}/eval-sets/{evalSet}/commit', {
    params: {
      ...{ path, header: { 'idempotency-key': randomUUID() } },
      ...(check !== undefined && { query: { check } }),
    },
  });
  return data!;
}

async function findEvalSet(
  hub: Hub,
  path: { readonly namespace: string; readonly name: string; readonly evalSet: string },
): Promise<EvalSet | undefined> {
  try {
    return (await hub.api.GET('/v1/repositories/{namespace}/{name}/eval-sets/{evalSet}', { params: { path } })).data;
  } catch (error) {
    if (error instanceof FirnProblem && error.status === 404) return undefined;
    throw error;
  }
}

async function same(known: EvalSet, { name, graph, batches }: NewEvalSet): Promise<EvalSet> {
  const isSame =
    known.graph?.sha256 === (await fileDigest(graph)) && known.batches?.sha256 === (await fileDigest(batches));
  if (isSame) return known;
  throw new FirnProblem(409, {
    code: 'conflict',
    detail: `There is an eval set ${name} already, with another graph or other batches: take another name.`,
  });
}

interface Part {
  readonly path: string;
  readonly file: string;
  readonly sizeBytes: number;
}

async function sendPart(hub: Hub, { path, file, sizeBytes }: Part, onSent: (bytes: number) => void): Promise<void> {
  await withRetries(async () => {
    let sent = 0;
    const answer = await sendBytes(hub, {
      method: 'PUT',
      path,
      headers: { 'content-type': 'application/octet-stream' },
      file: { path: file, start: 0, sizeBytes },
      onBytes: (bytes) => onSent((sent += bytes.length)),
    });
    answer.resume();
  });
}
