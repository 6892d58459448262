import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { absentWhen } from '../../checkpoint/absent-when.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { deleteS3Objects } from './delete-s3-objects.ts';
import { KeyTurns } from './key-turns.ts';
import { contentSize, contentSizeOrCorrupt, FrameWriter, storedSize } from '../frame/object-frame.ts';
import { checkObjectKey, isObjectKey } from '../object-key.ts';
import type { ListedObject, ObjectReader, ObjectStore, PutOptions, StoredObject } from '../object-store.ts';
import { openS3Object } from './open-s3-object.ts';
import { probeConditionalPuts } from './probe-conditional-puts.ts';
import { probePrefix, probeStore } from '../watch/probe-store.ts';
import { S3Calls } from './s3-calls.ts';
import { s3Limits } from './s3-limits.ts';
import type { S3StoreOptions } from './s3-options.ts';
import { S3PartWriter } from './s3-part-writer.ts';
import { findObject, type S3Target } from './s3-upload.ts';
import { Slots } from '../slots.ts';
import { sweepS3Uploads } from './sweep-s3-uploads.ts';
import { throwIfAborted, untilAborted } from '../until-aborted.ts';

/**
 * Objects in a bucket. The object's name is the prefix and the key; its content is the framed bytes
 * (store/frame/object-frame.ts). A put is one request, or a multipart upload that is completed after the last part. It
 * is acknowledged once the server reports the object with the right size. At the start the store probes whether the
 * server refuses to replace objects. If it does not, and always for multipart uploads, only puts of the same process
 * exclude each other: two processes that put one key at once replace each other's object. So keys for which this
 * matters are random or contain a claim. Rejects with `unavailable` when the server does not answer, `internal` when it
 * refuses.
 */
export async function openS3Store(options: S3StoreOptions): Promise<ObjectStore> {
  if (options.partBytes < s3Limits.partBytesMin)
    throw new FirnError('internal', `A part has at least ${s3Limits.partBytesMin} bytes.`);
  const calls = new S3Calls(options);
  try {
    return new S3Store(options, calls, options.conditionalPuts ?? (await probe(options, calls)));
  } catch (err) {
    calls.destroy();
    throw err;
  }
}

async function probe({ bucket, prefix }: S3StoreOptions, calls: S3Calls): Promise<boolean> {
  const name = `${prefix}${probePrefix}${randomUUID()}`;
  const conditional = await probeConditionalPuts({ calls, bucket, name, unlessExists: true }, randomUUID);
  await deleteOne(calls, bucket, name);
  return conditional;
}

async function deleteOne(calls: S3Calls, bucket: string, name: string): Promise<void> {
  await calls
    .run(
      (client, signal) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key: name }), { abortSignal: signal }),
      { request: `delete ${name}` },
    )
    .catch(absentWhen('not-found'));
}

class S3Store implements ObjectStore {
  readonly #options: S3StoreOptions;
  readonly #calls: S3Calls;
  readonly #conditionalPuts: boolean;
  readonly #parts: Slots;
  readonly #turns = new KeyTurns();
  /** Ids of this process's multipart uploads. */
  readonly #uploads = new Set<string>();

  constructor(options: S3StoreOptions, calls: S3Calls, conditionalPuts: boolean) {
    this.#options = options;
    this.#calls = calls;
    this.#conditionalPuts = conditionalPuts;
    this.#parts = new Slots({ count: options.parallelParts, waitingMax: s3Limits.waitingMax });
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject> {
    const target = this.#target(key, options.replace !== true);
    let uploadId: string | undefined;
    const onUpload = (id: string): void => {
      uploadId = id;
      this.#uploads.add(id);
    };
    const writer = new S3PartWriter(
      { target, partBytes: this.#options.partBytes, slots: this.#parts, onUpload },
      options.signal,
    );
    try {
      throwIfAborted(options.signal);
      const frame = new FrameWriter(this.#options.crc32c);
      await gather(body, frame, writer, options.sizeMaxBytes);
      await writer.write(frame.finish());
      await writer.finish((last) => this.#turns.take(key, () => this.#commit(target, last, options, writer)));
      return { key, sizeBytes: frame.contentBytes, storedBytes: storedSize(frame.contentBytes) };
    } catch (err) {
      await writer.abort(err);
      throw err;
    } finally {
      writer.close();
      if (uploadId !== undefined) this.#uploads.delete(uploadId);
    }
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    const found = await findObject(this.#target(key, false));
    return found && { key, sizeBytes: contentSizeOrCorrupt(found.sizeBytes), storedBytes: found.sizeBytes };
  }

  open(key: string): Promise<ObjectReader> {
    const { bucket, idleMs, crc32c } = this.#options;
    return openS3Object({ calls: this.#calls, bucket, name: this.#nameOf(key), idleMs, crc32c });
  }

  delete(key: string): Promise<void> {
    return deleteOne(this.#calls, this.#options.bucket, this.#nameOf(key));
  }

  deleteMany(keys: readonly string[]): Promise<void> {
    const { bucket } = this.#options;
    const names = keys.map((key) => this.#nameOf(key));
    return deleteS3Objects(
      { calls: this.#calls, bucket, deleteOne: (name) => deleteOne(this.#calls, bucket, name) },
      names,
    );
  }

  /** An object of a size that no framed object can have is listed as empty, so that a sweep can find it. */
  async *list(prefix: string): AsyncGenerator<ListedObject> {
    const { bucket, pageMax } = this.#options;
    const input = {
      Bucket: bucket,
      Prefix: this.#options.prefix + prefix,
      ...(pageMax === undefined ? {} : { MaxKeys: pageMax }),
    };
    for (let token: string | undefined; ;) {
      const page = await this.#calls.run(
        (client, signal) =>
          client.send(
            new ListObjectsV2Command({ ...input, ...(token === undefined ? {} : { ContinuationToken: token }) }),
            { abortSignal: signal },
          ),
        { request: `list ${input.Prefix}` },
      );
      for (const { Key: name = '', Size: storedBytes = 0, LastModified: modifiedAt = new Date() } of page.Contents ??
        []) {
        const key = name.slice(this.#options.prefix.length);
        if (isObjectKey(key)) yield { key, sizeBytes: contentSize(storedBytes) ?? 0, storedBytes, modifiedAt };
      }
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      if (token === undefined) return;
    }
  }

  sweepUnfinished(before: Date, signal?: AbortSignal): Promise<number> {
    const { bucket, prefix, pageMax } = this.#options;
    return sweepS3Uploads(
      { calls: this.#calls, bucket, prefix, pageMax, isOwn: (id) => this.#uploads.has(id) },
      before,
      signal,
    );
  }

  probe(): Promise<void> {
    return probeStore(this);
  }

  async close(): Promise<void> {
    this.#calls.destroy();
  }

  #nameOf(key: string): string {
    return this.#options.prefix + checkObjectKey(key);
  }

  #target(key: string, unlessExists: boolean): S3Target {
    const { bucket } = this.#options;
    return {
      calls: this.#calls,
      bucket,
      name: this.#nameOf(key),
      ticket: randomUUID(),
      unlessExists: unlessExists && this.#conditionalPuts,
    };
  }

  /** Runs the last step of a put while it holds the key, then checks the stored object. */
  async #commit(
    target: S3Target,
    last: () => Promise<void>,
    { replace, signal }: PutOptions,
    { writtenBytes }: S3PartWriter,
  ): Promise<void> {
    if (replace !== true && (await findObject(target, signal)) !== undefined)
      throw new FirnError('conflict', 'An object of this key exists.');
    await last();
    const found = await findObject(target, signal);
    if (found?.isOwn === false && replace === true) return;
    if (found?.isOwn === false) throw new FirnError('conflict', 'An object of this key exists.');
    if (found?.sizeBytes !== writtenBytes)
      throw new FirnError('unavailable', 'The storage did not keep an object as it was sent.', {
        detail: `${target.name}: ${found?.sizeBytes}, not ${writtenBytes}`,
      });
  }
}

async function gather(
  body: AsyncIterable<Uint8Array>,
  frame: FrameWriter,
  writer: S3PartWriter,
  sizeMaxBytes: number,
): Promise<void> {
  for await (const piece of untilAborted(body, writer.signal)) {
    if (frame.contentBytes + piece.length > sizeMaxBytes)
      throw new FirnError('payload-too-large', `The content is larger than ${sizeMaxBytes} bytes.`);
    frame.add(piece);
    await writer.write(piece);
  }
}
