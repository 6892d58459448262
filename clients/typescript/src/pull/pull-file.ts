import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { forEachAtOnce } from '../for-each-at-once.ts';
import { fileDigest } from '../push/file-digest.ts';
import type { Hub } from '../open-hub.ts';
import { withRetries } from '../retry.ts';
import { sendBytes } from '../send-bytes.ts';
import { fetchRange } from './fetch-range.ts';
import { PartFile } from './part-file.ts';
import { PrefixHash } from '../prefix-hash.ts';
import { receiveRange } from './receive-range.ts';
import { writeRange } from './write-range.ts';

/** Bytes of one request: large enough that requests cost little, small enough that a break does. */
const pieceBytes = 32 * 1024 * 1024;
/** Ranges of one file on their way at once. */
const rangesDefault = 4;

export interface PullFileOptions {
  /** Path of the download below the hub's origin. */
  readonly path: string;
  /** Where it is written. Its folder is made. */
  readonly to: string;
  readonly ranges?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((bytes: number, totalBytes: number) => void) | undefined;
}

export interface PulledFile {
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Whether the server named a digest, which then is this one. */
  readonly isVerified: boolean;
  /** The file was there already, with the same bytes. */
  readonly wasThere: boolean;
}

/**
 * Pulls a file in ranges side by side, and compares its SHA-256 with the one that the hub names. A pull that broke, or
 * whose process was killed, goes on where it was. Throws an Error if the digest differs; nothing stays then.
 */
export async function pullFile(hub: Hub, options: PullFileOptions): Promise<PulledFile> {
  const { path, to, signal, onProgress } = options;
  const { etag, sizeBytes, sha256 } = await describe(hub, path, signal);
  await mkdir(dirname(to), { recursive: true });
  if (sha256 !== undefined && (await isSame(to, sizeBytes, sha256))) {
    onProgress?.(sizeBytes, sizeBytes);
    return { sizeBytes, sha256, isVerified: true, wasThere: true };
  }
  if (sizeBytes === 0) await writeFile(to, '');
  const pulled = sizeBytes === 0 ? await fileDigest(to) : await pullPieces(hub, options, { etag, sizeBytes, sha256 });
  return { sizeBytes, sha256: pulled, isVerified: sha256 !== undefined, wasThere: false };
}

interface Described {
  readonly etag: string;
  readonly sizeBytes: number;
  readonly sha256: string | undefined;
}

async function describe(hub: Hub, path: string, signal: AbortSignal | undefined): Promise<Described> {
  const answer = await withRetries(() => sendBytes(hub, { method: 'HEAD', path, signal }), { signal });
  answer.resume();
  const { headers } = answer;
  const sizeBytes = Number(headers['content-length']);
  if (headers.etag === undefined || !Number.isSafeInteger(sizeBytes))
    throw new Error('The server did not describe the file.');
  const digest = /sha-256=:([A-Za-z0-9+/=]{44}):/.exec(String(headers['repr-digest'] ?? ''))?.[1];
  return {
    etag: headers.etag,
    sizeBytes,
    sha256: digest === undefined ? undefined : Buffer.from(digest, 'base64').toString('hex'),
  };
}

async function isSame(to: string, sizeBytes: number, sha256: string): Promise<boolean> {
  const there = await stat(to).catch(() => undefined);
  return there?.isFile() === true && there.size === sizeBytes && (await fileDigest(to)) === sha256;
}

async function pullPieces(
  hub: Hub,
  { path, to, ranges = rangesDefault, signal, onProgress }: PullFileOptions,
  { etag, sizeBytes, sha256 }: Described,
): Promise<string> {
  const part = await PartFile.open(to, { etag, sizeBytes, pieceBytes });
  const count = Math.ceil(sizeBytes / pieceBytes);
  // A thread costs more than the digest of a small file.
  const hash = count > 1 ? new PrefixHash(part.handle.fd) : undefined;
  const endOf = (piece: number): number => Math.min(sizeBytes, (piece + 1) * pieceBytes);
  /** Whether the hub answers with plain ranges; else Node's client asks from then on. */
  let isPlain = true;
  let front = 0;
  let received = [...part.pieces].reduce((sum, piece) => sum + endOf(piece) - piece * pieceBytes, 0);
  const note = (bytes: number): void => onProgress?.((received += bytes), sizeBytes);
  const advance = (): void => {
    while (part.pieces.has(front)) front += 1;
    hash?.advanceTo(Math.min(sizeBytes, front * pieceBytes));
  };
  note(0);
  advance();
  const missing = Array.from({ length: count }, (_, piece) => piece).filter((piece) => !part.pieces.has(piece));
  try {
    await forEachAtOnce(missing, ranges, async (piece) => {
      let at = piece * pieceBytes;
      const rest = async (): Promise<void> => {
        const range = { path, start: at, end: endOf(piece), etag, signal };
        const onWritten = (bytes: number): void => {
          at += bytes;
          note(bytes);
          if (piece === front) hash?.advanceTo(at);
        };
        isPlain &&= await receiveRange(hub, range, part.handle, onWritten);
        if (at === range.end) return;
        await writeRange(await fetchRange(hub, { ...range, start: at }), part.handle, at, onWritten);
        if (at !== endOf(piece)) throw Object.assign(new Error('The answer was cut off.'), { code: 'ECONNRESET' });
      };
      await withRetries(rest, { signal, progress: () => at });
      await part.add(piece);
      advance();
    });
    const pulled = await (hash?.digest(sizeBytes) ?? part.digest());
    if (sha256 === undefined || pulled === sha256) {
      await part.finish();
      return pulled;
    }
    await part.discard();
    throw new Error(`${to} arrived with the digest ${pulled} instead of ${sha256}: pull it again.`);
  } finally {
    await hash?.stop();
    await part.leave();
  }
}
