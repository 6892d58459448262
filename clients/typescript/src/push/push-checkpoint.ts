import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { components } from '../firn-api.ts';
import { FirnProblem } from '../firn-problem.ts';
import type { Hub } from '../open-hub.ts';
import type { Target } from '../target.ts';
import { forEachAtOnce } from '../for-each-at-once.ts';
import { fileDigest } from './file-digest.ts';
import type { LocalFile } from './find-checkpoints.ts';
import { givingUpIfRefused, refusalAbout } from './give-up-refused.ts';
import { sendFile } from './send-file.ts';

type Checkpoint = components['schemas']['Checkpoint'];
type Details = components['schemas']['CheckpointDetails'];
type Reservation = components['schemas']['CheckpointInput'];

/** Largest file that goes along with a reservation, and all of them together, in bytes. */
const contentBytesMax = 64 * 1024;
const contentsBytesMax = 1024 * 1024;
/** Files that are sent at once. */
const atOnceDefault = 4;

export interface PushOptions {
  readonly files: readonly LocalFile[];
  /** Fields of the reservation, such as `expects` and `final`. */
  readonly reservation?: Omit<Reservation, 'step' | 'files'>;
  readonly atOnce?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
}

export interface Pushed {
  /** `already`: the hub had the same bytes for this step. */
  readonly outcome: 'pushed' | 'already';
  readonly checkpoint: Checkpoint;
}

/** A checkpoint that can be asked for: run and step are there. */
export type CheckpointTarget = Target & { readonly run: string; readonly step: number };

/**
 * Pushes the files of a checkpoint: reserves the step, sends what the hub does not have, and commits. When it returns,
 * the checkpoint is durable. Repeating it after any break goes on where it was. If the hub refuses for good what is
 * pushed, a step that this call reserved is free again. Throws `FirnProblem`, such as `step-exists` for other bytes of
 * the same step.
 */
export async function pushCheckpoint(hub: Hub, target: CheckpointTarget, options: PushOptions): Promise<Pushed> {
  const known = await findCheckpoint(hub, target);
  if (known !== undefined && known.state !== 'open')
    return { outcome: 'already', checkpoint: await same(known, options) };
  const checkpoint = await givingUpIfRefused(
    { hub, target, files: options.files, isReservedHere: known === undefined },
    () => send(hub, target, known, options),
  );
  return { outcome: 'pushed', checkpoint };
}

/** Reserves the step if it is not known, sends the files that are not there, and commits. */
async function send(
  hub: Hub,
  target: CheckpointTarget,
  known: Details | undefined,
  { files, reservation, atOnce = atOnceDefault, signal, onProgress }: PushOptions,
): Promise<Checkpoint> {
  const contents = known === undefined ? await smallContents(files) : new Map<string, string>();
  if (known === undefined) {
    const listed = [...contents].map(([path, content]) => ({ path, content }));
    // A folder of small files alone is committed in the same call.
    const commit = contents.size === files.length;
    const reserved = await reserve(hub, target, { ...reservation, files: withRoles(listed, files), commit });
    if (reserved.state !== 'open') return reserved;
  }
  const progress = new Map<string, number>();
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const note = (path: string, bytes: number): void => {
    progress.set(path, bytes);
    onProgress?.(
      [...progress.values()].reduce((sum, sent) => sum + sent, 0),
      total,
    );
  };
  await forEachAtOnce(files, atOnce, async (file) => {
    const onFile = (bytes: number): void => note(file.path, bytes);
    if (contents.has(file.path) || (await isThere(known, file))) return onFile(file.sizeBytes);
    await sendFile(hub, target, file, { isRepeated: known !== undefined, signal, onProgress: onFile }).catch(
      refusalAbout(file.from),
    );
    onFile(file.sizeBytes);
  });
  return commit(hub, target);
}

/** Undefined if there is none. */
export async function findCheckpoint(hub: Hub, target: CheckpointTarget): Promise<Details | undefined> {
  try {
    const { data } = await hub.api.GET('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}', {
      params: { path: target },
    });
    return data;
  } catch (error) {
    if (error instanceof FirnProblem && error.status === 404) return undefined;
    throw error;
  }
}

/** Small files in base64, by path: they go along with the reservation. */
async function smallContents(files: readonly LocalFile[]): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  let left = contentsBytesMax;
  for (const { path, from, sizeBytes } of files) {
    if (sizeBytes > Math.min(contentBytesMax, left)) continue;
    contents.set(path, (await readFile(from)).toString('base64'));
    left -= sizeBytes;
  }
  return contents;
}

function withRoles(listed: readonly { path: string; content: string }[], files: readonly LocalFile[]) {
  const roles = new Map(files.map(({ path, role }) => [path, role]));
  return listed.map((each) => {
    const role = roles.get(each.path);
    return { ...each, ...(role !== undefined && { role }) };
  });
}

async function reserve(
  hub: Hub,
  { step, ...path }: CheckpointTarget,
  more: Omit<Reservation, 'step'>,
): Promise<Checkpoint> {
  const { data } = await hub.api.POST('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints', {
    params: { path, header: { 'idempotency-key': randomUUID() } },
    body: { step, ...more },
  });
  return data!;
}

async function commit(hub: Hub, path: CheckpointTarget): Promise<Checkpoint> {
  const { data } = await hub.api.POST('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/commit', {
    params: { path, header: { 'idempotency-key': randomUUID() } },
  });
  return data!;
}

async function isThere(known: Details | undefined, file: LocalFile): Promise<boolean> {
  const there = known?.files.find(({ path }) => path === file.path);
  if (there?.received !== true || there.uploaded.sizeBytes !== file.sizeBytes) return false;
  return (await fileDigest(file.from)) === there.uploaded.sha256;
}

/** The committed checkpoint, if it was made of the same bytes. */
async function same(known: Details, { files }: PushOptions): Promise<Details> {
  const at = `step ${known.step} of the run ${known.run}`;
  for (const file of files)
    if (!(await isThere(known, file)))
      throw new FirnProblem(409, {
        code: 'step-exists',
        detail:
          `There is ${at} already, with another ${file.path}. Push under another step, or fork the run before it and ` +
          'push there.',
      });
  return known;
}
