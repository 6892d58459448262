import { open, stat } from 'node:fs/promises';
import type { components } from '../firn-api.ts';
import { FirnProblem } from '../firn-problem.ts';
import type { Hub } from '../open-hub.ts';
import { filePath } from '../resource-path.ts';
import { readJson, sendBytes } from '../send-bytes.ts';
import type { Target } from '../target.ts';
import { PrefixHash } from '../prefix-hash.ts';
import { fileDigest } from './file-digest.ts';
import type { LocalFile } from './find-checkpoints.ts';
import { sendResumable, type SendOptions } from './send-resumable.ts';

type FileReceipt = components['schemas']['FileReceipt'];

/** Files up to this size, in bytes, are always sent in one request, since a broken one costs little. */
const smallBytes = 8 * 1024 * 1024;
/** A small file is sent this often. */
const triesMax = 5;

/** When a request that sends a whole file is given up, because too much would be lost if it broke. */
export interface Patience {
  /** Time between two looks at its progress, in ms. */
  readonly lookEveryMs: number;
  /**
   * Most time that the rest of the file may take at the rate so far, in ms. A request that is older than this is not
   * given up any more.
   */
  readonly restMaxMs: number;
}

const usualPatience: Patience = { lookEveryMs: 5_000, restMaxMs: 30_000 };

interface SendFileOptions extends SendOptions {
  /** An earlier process began to send this file. */
  readonly isRepeated: boolean;
  readonly patience?: Patience;
}

/**
 * Sends a file of an open checkpoint and returns its SHA-256. A first attempt is one request, because the hub takes
 * that about three times as fast as a resumable upload, and a break of it loses everything. So one that would take
 * longer than half a minute more is given up at once. After that, after a break, and after an earlier process's break,
 * the upload is resumable.
 */
export async function sendFile(
  hub: Hub,
  checkpoint: Target,
  file: LocalFile,
  { isRepeated, patience = usualPatience, ...options }: SendFileOptions,
): Promise<string> {
  const before = await stat(file.from);
  const resumable = (): Promise<string> =>
    sendResumable(hub, checkpoint, { ...file, changedMs: before.mtimeMs }, options);
  const isSmall = file.sizeBytes <= smallBytes;
  for (let failed = 0; ;) {
    if (isRepeated && !isSmall) return resumable();
    try {
      return await sendWhole(hub, checkpoint, file, { ...options, ...(!isSmall && { patience }) });
    } catch (error) {
      failed += 1;
      if (error instanceof FirnProblem || options.signal?.aborted === true || failed === triesMax) throw error;
      isRepeated = true;
    }
  }
}

async function sendWhole(
  hub: Hub,
  checkpoint: Target,
  { path, from, role, sizeBytes }: LocalFile,
  { signal, onProgress, patience }: SendOptions & { readonly patience?: Patience },
): Promise<string> {
  const local = await open(from);
  const tooSlow = new AbortController();
  // A large file is hashed beside the thread that sends it; for a small one a thread takes longer to start.
  const hash = sizeBytes > smallBytes ? new PrefixHash(local.fd) : undefined;
  let sent = 0;
  const clock =
    patience &&
    whenTooSlow(
      patience,
      () => sent / sizeBytes,
      () => tooSlow.abort(),
    );
  try {
    const answer = await sendBytes(hub, {
      method: 'PUT',
      path: filePath(checkpoint, path) + (role === undefined ? '' : `?role=${role}`),
      headers: { 'content-type': 'application/octet-stream' },
      file: { path: from, start: 0, sizeBytes },
      signal: signal === undefined ? tooSlow.signal : AbortSignal.any([signal, tooSlow.signal]),
      onBytes: (bytes) => {
        sent += bytes.length;
        hash?.advanceTo(sent);
        onProgress(sent);
      },
    });
    const receipt = await readJson<FileReceipt>(answer);
    const sha256 = await (hash?.digest(sizeBytes) ?? fileDigest(from));
    if (receipt.sha256 !== sha256) throw new Error(`${from} changed while it was sent: push it again.`);
    return sha256;
  } finally {
    clearInterval(clock);
    await hash?.stop();
    await local.close();
  }
}

/** Calls back once if the rest, at the rate so far, takes longer than it may. `doneShare` is 0 to 1. */
function whenTooSlow({ lookEveryMs, restMaxMs }: Patience, doneShare: () => number, onSlow: () => void) {
  const from = performance.now();
  const clock = setInterval(() => {
    const elapsedMs = performance.now() - from;
    if (elapsedMs > restMaxMs + lookEveryMs) clearInterval(clock);
    else if ((1 - doneShare()) * elapsedMs > restMaxMs * doneShare()) {
      clearInterval(clock);
      onSlow();
    }
  }, lookEveryMs);
  return clock;
}
