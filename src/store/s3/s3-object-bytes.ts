import { GetObjectCommand } from '@aws-sdk/client-s3';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { StoredBytes } from '../frame/framed-reader.ts';
import { onAbort } from '../on-abort.ts';
import { readS3Body } from './s3-body.ts';
import type { S3Calls } from './s3-calls.ts';
import { s3CodeOf } from './s3-failure.ts';
import { s3Limits } from './s3-limits.ts';
import { abortReason } from '../until-aborted.ts';

/** One version of an object in a bucket: the one that was opened. */
export interface S3ObjectVersion {
  readonly bucket: string;
  /** The object's name in the bucket. */
  readonly name: string;
  readonly etag: string | undefined;
  readonly storedBytes: number;
}

interface Wanted {
  readonly startBytes: number;
  readonly endBytes: number;
  /** Receives the bytes; as long as the range. */
  readonly target: Uint8Array;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (err: unknown) => void;
}

/**
 * Reads ranges of one object. Ranges requested in the same turn of the event loop that lie close together become one
 * request. Nothing is cached between reads. Rejects with `not-found` when the object was deleted or replaced, and as
 * S3Calls does.
 */
export class S3ObjectBytes implements StoredBytes {
  readonly fetchBytes = s3Limits.fetchBytesMax;
  readonly rereadsMax = s3Limits.rereadsMax;
  readonly #calls: S3Calls;
  readonly #version: S3ObjectVersion;
  readonly #idleMs: number;
  #wanted: Wanted[] = [];

  constructor(calls: S3Calls, version: S3ObjectVersion, idleMs: number) {
    this.#calls = calls;
    this.#version = version;
    this.#idleMs = idleMs;
  }

  readRange(startBytes: number, endBytes: number, signal?: AbortSignal, room?: Uint8Array): Promise<Uint8Array> {
    const target = room?.subarray(0, endBytes - startBytes) ?? Buffer.allocUnsafeSlow(endBytes - startBytes);
    return new Promise((resolve, reject) => {
      if (this.#wanted.length === 0) setImmediate(() => this.#fetchWanted());
      this.#wanted.push({ startBytes, endBytes, target, signal, resolve, reject });
    });
  }

  async forget(): Promise<void> {
    // The data is not cached on this machine.
  }

  async close(): Promise<void> {
    // Nothing is held open between reads.
  }

  #fetchWanted(): void {
    const wanted = this.#wanted;
    this.#wanted = [];
    for (const group of groupRanges(wanted)) void this.#fetchGroup(group);
  }

  async #fetchGroup(group: readonly Wanted[]): Promise<void> {
    const stop = new AbortController();
    // An aborted read leaves the group; the request is aborted when the last one leaves.
    const left = new Set(group);
    const watches = group.map((one) => {
      const giveUp = (): void => {
        one.reject(abortReason(one.signal!));
        left.delete(one);
        if (left.size === 0) stop.abort();
      };
      if (one.signal?.aborted === true) giveUp();
      return onAbort(one.signal, giveUp);
    });
    try {
      await this.#fetch(
        left,
        { startBytes: group[0]!.startBytes, endBytes: Math.max(...group.map((one) => one.endBytes)) },
        stop.signal,
      );
      for (const one of left) one.resolve(one.target);
    } catch (err) {
      for (const one of left) one.reject(err);
    } finally {
      for (const unwatch of watches) unwatch();
    }
  }

  async #fetch(
    targets: ReadonlySet<Wanted>,
    range: { readonly startBytes: number; readonly endBytes: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { bucket, name, etag, storedBytes } = this.#version;
    const { startBytes, endBytes } = range;
    const place = `bytes ${startBytes}-${endBytes - 1}/${storedBytes}`;
    try {
      await this.#calls.run(
        async (client, trySignal) => {
          const input = {
            Bucket: bucket,
            Key: name,
            Range: `bytes=${startBytes}-${endBytes - 1}`,
            ...(etag === undefined ? {} : { IfMatch: etag }),
          };
          const answer = await client.send(new GetObjectCommand(input), { abortSignal: trySignal });
          const options = { lengthBytes: endBytes - startBytes, idleMs: this.#idleMs, signal: trySignal };
          if (answer.ContentRange !== place) {
            (answer.Body as { destroy?: () => void } | undefined)?.destroy?.();
            throw new FirnError('unavailable', 'The storage answered with another range than asked for.', {
              detail: String(answer.ContentRange),
            });
          }
          await readS3Body(answer.Body, options, (piece, atBytes) => {
            for (const one of targets) copyOverlap(piece, startBytes + atBytes, one);
          });
        },
        { request: `get ${name} ${startBytes}-${endBytes - 1}`, signal },
      );
    } catch (err) {
      // `If-Match` failed: this is not the object that was opened.
      if (s3CodeOf(err) === 'PreconditionFailed')
        throw new FirnError('not-found', 'A stored object was replaced while it was read.', { cause: err });
      throw err;
    }
  }
}

function copyOverlap(piece: Uint8Array, pieceStartBytes: number, { startBytes, endBytes, target }: Wanted): void {
  const from = Math.max(pieceStartBytes, startBytes);
  const to = Math.min(pieceStartBytes + piece.length, endBytes);
  if (from < to) target.set(piece.subarray(from - pieceStartBytes, to - pieceStartBytes), from - startBytes);
}

/** Groups ranges that are close enough to be one request, by their start. */
export function groupRanges<R extends { readonly startBytes: number; readonly endBytes: number }>(
  ranges: readonly R[],
): R[][] {
  const groups: R[][] = [];
  let groupStart = 0;
  let groupEnd = 0;
  for (const range of [...ranges].sort((a, b) => a.startBytes - b.startBytes)) {
    const end = Math.max(groupEnd, range.endBytes);
    const joins =
      groups.length > 0 &&
      range.startBytes <= groupEnd + s3Limits.fetchGapBytesMax &&
      end - groupStart <= s3Limits.fetchBytesMax;
    if (joins) {
      groups.at(-1)!.push(range);
      groupEnd = end;
    } else {
      groups.push([range]);
      groupStart = range.startBytes;
      groupEnd = range.endBytes;
    }
  }
  return groups;
}
