import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { FramedReader, type StoredBytes } from '../frame/framed-reader.ts';
import { contentSizeOrCorrupt, corrupt, FrameTable, type Crc32c } from '../frame/object-frame.ts';
import type { ObjectReader } from '../object-store.ts';
import { readS3Body } from './s3-body.ts';
import type { S3Calls } from './s3-calls.ts';
import { s3CodeOf } from './s3-failure.ts';
import { s3Limits } from './s3-limits.ts';
import { S3ObjectBytes } from './s3-object-bytes.ts';

export interface OpenS3Options {
  readonly calls: S3Calls;
  readonly bucket: string;
  readonly name: string;
  readonly idleMs: number;
  readonly crc32c: Crc32c;
}

/**
 * Opens an object with one request, which fetches its size, its checksums and, for a small object, its content. Rejects
 * with `not-found`, `corrupt-object`, and as S3Calls does.
 */
export async function openS3Object(options: OpenS3Options): Promise<ObjectReader> {
  for (let rereadsLeft: number = s3Limits.rereadsMax; ; rereadsLeft--) {
    try {
      return await openOnce(options);
    } catch (err) {
      if (!(err instanceof FirnError) || err.code !== 'corrupt-object' || rereadsLeft === 0) throw err;
    }
  }
}

async function openOnce(options: OpenS3Options): Promise<ObjectReader> {
  const { calls, bucket, name, idleMs, crc32c } = options;
  const end = await fetchEnd(options);
  const { storedBytes, etag } = end;
  const contentBytes = contentSizeOrCorrupt(storedBytes);
  const object = new S3ObjectBytes(calls, { bucket, name, etag, storedBytes }, idleMs);
  const endStart = storedBytes - end.bytes.length;
  const missing = contentBytes < endStart ? await object.readRange(contentBytes, endStart) : new Uint8Array(0);
  const tail = Buffer.concat([missing, end.bytes.subarray(Math.max(0, contentBytes - endStart))]);
  const table = new FrameTable(tail, contentBytes, crc32c);
  return new FramedReader(table, endStart === 0 && isSound(table, end.bytes) ? inMemory(end.bytes) : object);
}

/** Whether the content is undamaged; if not, it is fetched again when it is read. */
function isSound(table: FrameTable, stored: Uint8Array): boolean {
  try {
    table.verify(0, stored.subarray(0, table.contentBytes));
    return true;
  } catch {
    return false;
  }
}

/** Serves an object whose whole content came with the first request. */
function inMemory(stored: Uint8Array): StoredBytes {
  return {
    readRange: async (startBytes, endBytes) => stored.slice(startBytes, endBytes),
    forget: async () => undefined,
    close: async () => undefined,
  };
}

interface ObjectEnd {
  readonly bytes: Uint8Array;
  readonly storedBytes: number;
  readonly etag: string | undefined;
}

async function fetchEnd({ calls, bucket, name, idleMs }: OpenS3Options): Promise<ObjectEnd> {
  try {
    return await calls.run(
      async (client, signal) => {
        const answer = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: name, Range: `bytes=-${s3Limits.tailFetchBytes}` }),
          {
            abortSignal: signal,
          },
        );
        const { startBytes, storedBytes } = placeOf(answer);
        const bytes = Buffer.allocUnsafeSlow(storedBytes - startBytes);
        await readS3Body(answer.Body, { lengthBytes: bytes.length, idleMs, signal }, (piece, atBytes) =>
          bytes.set(piece, atBytes),
        );
        return { bytes, storedBytes, etag: answer.ETag };
      },
      { request: `open ${name}` },
    );
  } catch (err) {
    // An object without bytes satisfies no range.
    if (s3CodeOf(err) === 'InvalidRange') throw corrupt('an empty object');
    throw err;
  }
}

/**
 * The place of the answer's bytes in the object. An object shorter than the requested range may come whole, without a
 * Content-Range.
 */
function placeOf({ ContentRange, ContentLength, Body }: GetObjectCommandOutput): {
  readonly startBytes: number;
  readonly storedBytes: number;
} {
  const [, start, last, size] =
    /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange ?? `bytes 0-${(ContentLength ?? 0) - 1}/${ContentLength}`) ?? [];
  const startBytes = Number(start);
  const storedBytes = Number(size);
  if (Number(last) + 1 === storedBytes && storedBytes - startBytes <= s3Limits.tailFetchBytes)
    return { startBytes, storedBytes };
  (Body as { destroy?: () => void } | undefined)?.destroy?.();
  throw new FirnError('unavailable', 'The storage answered with another range than asked for.', {
    detail: `${ContentRange} ${ContentLength}`,
  });
}
