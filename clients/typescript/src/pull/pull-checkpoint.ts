import { join, normalize, sep } from 'node:path';
import type { components } from '../firn-api.ts';
import { FirnProblem } from '../firn-problem.ts';
import type { Hub } from '../open-hub.ts';
import { findCheckpoint, type CheckpointTarget } from '../push/push-checkpoint.ts';
import { filePath } from '../resource-path.ts';
import { formatTarget } from '../target.ts';
import { pullFile, type PulledFile } from './pull-file.ts';

export interface PullOptions {
  /** Folder for the files, which keep their paths. */
  readonly to: string;
  /** Paths of the files; all by default. */
  readonly only?: readonly string[];
  /** Converts tensors of floating type of safetensors files on the way. */
  readonly dtype?: 'f32' | 'f16' | 'bf16' | undefined;
  /** The upload itself, while the hub keeps it. */
  readonly asUploaded?: boolean;
  readonly ranges?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (bytes: number, totalBytes: number) => void;
}

export type PulledCheckpointFile = PulledFile & { readonly path: string; readonly to: string };

/**
 * Pulls the files of a checkpoint, one after the other, each in ranges side by side. Returns them with their digests.
 */
export async function pullCheckpoint(
  hub: Hub,
  target: CheckpointTarget,
  { to, only, dtype, asUploaded = false, ranges, signal, onProgress }: PullOptions,
): Promise<PulledCheckpointFile[]> {
  const checkpoint = await findCheckpoint(hub, target);
  if (checkpoint === undefined)
    throw new FirnProblem(404, { code: 'not-found', detail: `There is no checkpoint ${formatTarget(target)}.` });
  const there = checkpoint.files.filter((file) => file.rebuilt !== undefined || (asUploaded && file.received));
  if (there.length === 0) throw nothingToPull(formatTarget(target), checkpoint);
  const wanted = only === undefined ? there : only.map((path) => pick(there, path));
  const sizeOf = (file: (typeof there)[number]): number =>
    (asUploaded ? file.uploaded.sizeBytes : file.rebuilt?.sizeBytes) ?? 0;
  const total = wanted.reduce((sum, file) => sum + sizeOf(file), 0);
  const pulled: PulledCheckpointFile[] = [];
  let before = 0;
  for (const { path } of wanted) {
    const query = new URLSearchParams({
      ...(asUploaded && { as: 'uploaded' }),
      ...(dtype !== undefined && path.endsWith('.safetensors') && { dtype }),
    }).toString();
    const place = placeIn(to, path);
    const file = await pullFile(hub, {
      path: filePath(target, path) + (query === '' ? '' : `?${query}`),
      to: place,
      ...(ranges !== undefined && { ranges }),
      signal,
      onProgress: (bytes) => onProgress?.(before + bytes, Math.max(total, before + bytes)),
    });
    before += file.sizeBytes;
    pulled.push({ ...file, path, to: place });
  }
  return pulled;
}

/** Why a checkpoint has no file to pull, and what to do. */
function nothingToPull(name: string, { state, error, files }: components['schemas']['CheckpointDetails']): FirnProblem {
  const upload = files.some(({ received }) => received) ? '; --uploaded pulls the upload itself, if it is kept' : '';
  if (state === 'failed' || state === 'cancelled')
    return new FirnProblem(409, {
      code: state === 'failed' ? 'checkpoint-failed' : 'cancelled',
      detail:
        (error === undefined ? `${name} was ${state}. ` : `${name} ${state}: ${error.message} `) +
        `It has nothing to pull: firn show ${name} says what can be done${upload}.`,
    });
  return new FirnProblem(409, {
    code: 'checkpoint-not-ready',
    detail: `${name} is ${state}: wait for it (firn watch ${name}), or pull the upload itself (--uploaded).`,
  });
}

function pick<F extends { readonly path: string }>(files: readonly F[], path: string): F {
  const found = files.find((file) => file.path === path);
  if (found !== undefined) return found;
  throw new FirnProblem(404, {
    code: 'not-found',
    detail: `There is no file ${path}; there are ${files.map((file) => file.path).join(', ')}.`,
  });
}

/** A path below the folder. The hub refuses others, and a hub that does not must not write elsewhere. */
export function placeIn(folder: string, path: string): string {
  const inside = normalize(path);
  if (
    path === '' ||
    path.startsWith('/') ||
    inside.split(sep).includes('..') ||
    path.includes('\\') ||
    path.includes('\0')
  )
    throw new Error(`The server names a file ${JSON.stringify(path.slice(0, 100))}, which is no path of a checkpoint.`);
  return join(folder, inside);
}
