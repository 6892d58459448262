import { isDeepStrictEqual } from 'node:util';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../../catalog/contract/file-records.ts';
import type { Run } from '../../../catalog/contract/run-records.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { checkNewFilePath } from '../../../checkpoint/names.ts';
import { pathClash, pathClashError } from '../../../checkpoint/path-clash.ts';
import { configKey, methodConfigOf } from '../../../checkpoint/options/quantization-config.ts';
import type { FileRole } from '../../../checkpoint/role.ts';
import { checkFinal } from '../../run/close-run.ts';
import { checkExpects } from './check-expects.ts';
import type { IngestContext } from '../../ingest-context.ts';
import { openCheckpoint } from './open-checkpoint.ts';
import { mustBeSafetensors, roleOfFile } from '../../stage/role-of-file.ts';
import { sameEntries } from './same-entries.ts';
import { stepExists, stepFailed } from '../step-exists.ts';

export interface AnnouncedFile {
  readonly path: string;
  readonly role?: FileRole;
  readonly sizeBytes?: number;
  /** 64 hex digits. */
  readonly sha256?: string;
}

export interface Reservation extends Pick<Checkpoint, 'step' | 'fixedConfig' | 'layerTypes' | 'expects' | 'final'> {
  readonly files: readonly AnnouncedFile[];
}

type PlannedFile = AnnouncedFile & { readonly role: FileRole };

/**
 * Takes a step and its place in the order of the run, announces files, and enqueues the encode job, held until the
 * commit. Repeating an open reservation returns it, so that a restarted job can continue. Errors: `invalid-request`,
 * `payload-too-large` (more than could ever be staged), `step-exists` (committed, naming the fork call; or reserved
 * with other files, config, layer types or expectations), `checkpoint-failed` (nothing in the announcement differs;
 * naming the retry call), `conflict` (cancelled), `not-found`, `run-closed` (for a step that the run lacks), and those
 * of `checkExpects` and `checkFinal`.
 */
export async function reserveCheckpoint(ctx: IngestContext, run: Run, reservation: Reservation): Promise<Checkpoint> {
  const { step, fixedConfig } = reservation;
  if (!Number.isSafeInteger(step) || step < 0)
    throw new FirnError('invalid-request', 'A step is a whole number from 0 on.');
  if (fixedConfig !== undefined) methodConfigOf(fixedConfig.method).check?.(fixedConfig);
  const files = planFiles(ctx, reservation.files);
  await checkExpects(ctx.catalog, run, reservation.expects);
  if (reservation.final !== undefined) await checkFinal(ctx.catalog, run, reservation.final);
  try {
    return await ctx.catalog.transaction((tx) => openCheckpoint(tx, run, { ...reservation, files }));
  } catch (err) {
    if (!(err instanceof FirnError) || err.code !== 'step-exists') throw err;
    return repeatedReservation(ctx, run, { ...reservation, files });
  }
}

function planFiles({ limits }: IngestContext, files: readonly AnnouncedFile[]): PlannedFile[] {
  if (files.length > limits.filesPerCheckpointMax)
    throw new FirnError('payload-too-large', `A checkpoint may have at most ${limits.filesPerCheckpointMax} files.`);
  if (new Set(files.map(({ path }) => path)).size < files.length)
    throw new FirnError('invalid-request', 'A file path is announced twice.');
  const clash = pathClash(files.map(({ path }) => path));
  if (clash !== undefined) throw pathClashError(clash);
  let totalBytes = 0;
  const planned = files.map((file) => {
    checkNewFilePath(file.path);
    const { sizeBytes, sha256 } = file;
    if (sizeBytes !== undefined && (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0))
      throw new FirnError('invalid-request', 'The size of a file is a whole number of bytes.');
    if (sizeBytes !== undefined && sizeBytes > limits.fileBytesMax)
      throw new FirnError('payload-too-large', `A file may have at most ${limits.fileBytesMax} bytes.`);
    if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
      throw new FirnError('invalid-request', 'A sha256 has 64 hex digits.');
    totalBytes += sizeBytes ?? 0;
    const role = roleOfFile(file.path, file.role);
    if (sizeBytes === 0 && mustBeSafetensors(file.path, role))
      throw new FirnError('invalid-request', 'A safetensors file has at least its header.');
    return { ...file, role, ...(sha256 !== undefined && { sha256: sha256.toLowerCase() }) };
  });
  if (totalBytes > Math.min(limits.stagedBytesPerRunMax, limits.stagedBytesMax)) {
    throw new FirnError(
      'payload-too-large',
      'The files together are larger than what may wait for compression at once.',
    );
  }
  return planned;
}

async function repeatedReservation(
  { catalog }: IngestContext,
  run: Run,
  asked: Reservation & { readonly files: readonly PlannedFile[] },
): Promise<Checkpoint> {
  const { step, files, fixedConfig, layerTypes, expects, final } = asked;
  const existing = await catalog.checkpoints.find(run.id, step);
  if (existing === undefined) throw new FirnError('conflict', `Step ${step} was deleted a moment ago; try again.`);
  if (existing.state === 'cancelled')
    throw new FirnError(
      'conflict',
      'The checkpoint is cancelled and takes no files; delete it to upload the step again.',
    );
  if (existing.state === 'failed' && announceNoOther(await catalog.files.list(existing.id), files))
    throw await stepFailed(catalog, existing);
  if (existing.state !== 'open') throw await stepExists(catalog, existing);
  const sameConfig =
    existing.fixedConfig === fixedConfig ||
    (existing.fixedConfig !== undefined &&
      fixedConfig !== undefined &&
      configKey(existing.fixedConfig) === configKey(fixedConfig));
  const sameSettings =
    sameConfig &&
    sameEntries(existing.layerTypes, layerTypes) &&
    sameEntries(existing.expects, expects) &&
    (final === undefined || isDeepStrictEqual(existing.final, final));
  if (!sameSettings || !announceTheSame(await catalog.files.list(existing.id), files)) {
    throw new FirnError(
      'step-exists',
      `Step ${step} is reserved with other files and waits for them; upload them, or delete it first.`,
    );
  }
  return existing;
}

/** Whether no announced size or digest differs from the committed files, as far as they are known. */
function announceNoOther(committed: readonly CheckpointFile[], asked: readonly PlannedFile[]): boolean {
  const byPath = new Map(committed.map((file) => [file.path, file]));
  return asked.every(({ path, sizeBytes, sha256 }) => {
    const file = byPath.get(path);
    return (
      file !== undefined && (sizeBytes ?? file.sizeBytes) === file.sizeBytes && (sha256 ?? file.sha256) === file.sha256
    );
  });
}

/** Size and digest of received files may differ from the announcement, because the next upload replaces them. */
function announceTheSame(existing: readonly CheckpointFile[], asked: readonly PlannedFile[]): boolean {
  const byPath = new Map(existing.map((file) => [file.path, file]));
  return (
    existing.length === asked.length &&
    asked.every(({ path, role, sizeBytes, sha256 }) => {
      const file = byPath.get(path);
      return (
        file !== undefined &&
        file.role === role &&
        (file.received || (file.sizeBytes === sizeBytes && file.sha256 === sha256))
      );
    })
  );
}
