import { createHash, type Hash } from 'node:crypto';
import type { components } from '../firn-api.ts';
import { FirnProblem } from '../firn-problem.ts';
import type { Hub } from '../open-hub.ts';
import { checkpointPath } from '../resource-path.ts';
import { TryAgain, withRetries } from '../retry.ts';
import { readJson, sendBytes } from '../send-bytes.ts';
import { formatTarget, type Target } from '../target.ts';
import type { LocalFile } from './find-checkpoints.ts';
import { hashOfStart } from './file-digest.ts';

type Upload = components['schemas']['Upload'];

/** Uploads of one file that may have been given up, expired or lost before this one. */
const formerUploadsMax = 20;
const tus = { 'tus-resumable': '1.0.0' };

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  /** Bytes of the file that the hub has or that are on their way; may become less after a break. */
  readonly onProgress: (bytes: number) => void;
}

/**
 * Sends a file by the resumable upload protocol (tus 1.0), from where an earlier call or process came. The hub finds
 * the earlier upload by a key that follows from the file's name, size and time of change, so nothing is remembered
 * here. Returns the SHA-256 of what was sent.
 */
export async function sendResumable(
  hub: Hub,
  checkpoint: Target,
  file: LocalFile & { readonly changedMs: number },
  { signal, onProgress }: SendOptions,
): Promise<string> {
  const { href, offset } = await openUpload(hub, checkpoint, file);
  let [at, hash]: [number, Hash] = [offset, await hashOfStart(file.from, offset)];
  onProgress(at);
  const sendRest = async (): Promise<void> => {
    const known = await offsetOf(hub, href);
    if (known !== at) [at, hash] = [known, await hashOfStart(file.from, known)];
    onProgress(at);
    if (at === file.sizeBytes) return;
    const answer = await sendBytes(hub, {
      method: 'PATCH',
      path: href,
      headers: { ...tus, 'upload-offset': String(at), 'content-type': 'application/offset+octet-stream' },
      file: { path: file.from, start: at, sizeBytes: file.sizeBytes },
      signal,
      onBytes: (bytes) => {
        hash.update(bytes);
        at += bytes.length;
        onProgress(at);
      },
    }).catch(askAgainWhereItIs);
    answer.resume();
  };
  await withRetries(sendRest, { signal, progress: () => at });
  return hash.digest('hex');
}

/** Another connection moved the offset: the next try asks for it. */
function askAgainWhereItIs(error: unknown): never {
  if (error instanceof FirnProblem && error.status === 409) throw new TryAgain(error, undefined);
  throw error;
}

async function openUpload(
  hub: Hub,
  checkpoint: Target,
  file: LocalFile & { readonly changedMs: number },
): Promise<{ href: string; offset: number }> {
  for (let former = 0; former < formerUploadsMax; former++) {
    const { href } = await withRetries(() => createUpload(hub, checkpoint, file, former));
    try {
      return { href, offset: await withRetries(() => offsetOf(hub, href)) };
    } catch (error) {
      if (!(error instanceof FirnProblem) || (error.status !== 404 && error.status !== 410)) throw error;
    }
  }
  throw new Error(`Each of ${formerUploadsMax} uploads of ${file.path} was given up: push it again tomorrow.`);
}

async function createUpload(
  hub: Hub,
  checkpoint: Target,
  { path, role, sizeBytes, changedMs }: LocalFile & { readonly changedMs: number },
  former: number,
): Promise<Upload> {
  const what = [hub.url, formatTarget(checkpoint), path, role ?? '', sizeBytes, changedMs, former].join('\n');
  const query = new URLSearchParams({ path, ...(role !== undefined && { role }) });
  const answer = await sendBytes(hub, {
    method: 'POST',
    path: `${checkpointPath(checkpoint)}/uploads?${query.toString()}`,
    headers: {
      ...tus,
      'upload-length': String(sizeBytes),
      'content-length': '0',
      'idempotency-key': `push-${createHash('sha256').update(what).digest('hex')}`,
    },
  });
  return readJson<Upload>(answer);
}

async function offsetOf(hub: Hub, href: string): Promise<number> {
  const answer = await sendBytes(hub, { method: 'HEAD', path: href, headers: tus });
  answer.resume();
  const offset = Number(answer.headers['upload-offset']);
  if (!Number.isSafeInteger(offset)) throw new Error('The server did not say how far the upload came.');
  return offset;
}
