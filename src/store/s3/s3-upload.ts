import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { S3Calls } from './s3-calls.ts';
import { s3CodeOf } from './s3-failure.ts';

/** Name of the metadata that tells one put of a key from another. */
const ticketName = 'firn-put';
/** Tries at giving up an upload while the caller waits; what stays is swept. */
const abortTriesMax = 2;

export interface S3Target {
  readonly calls: S3Calls;
  readonly bucket: string;
  /** Name of the object in the bucket. */
  readonly name: string;
  /** Random: by it a put knows its own object, also when an answer was lost. */
  readonly ticket: string;
  /** Whether the server is asked to refuse what would replace an object. */
  readonly unlessExists: boolean;
}

/** An object under a name, and whether this put made it. */
export interface FoundObject {
  readonly sizeBytes: number;
  readonly isOwn: boolean;
}

/** Undefined when absent. */
export async function findObject(
  { calls, bucket, name, ticket }: S3Target,
  signal?: AbortSignal,
): Promise<FoundObject | undefined> {
  try {
    const answer = await calls.run(
      (client, trySignal) =>
        client.send(new HeadObjectCommand({ Bucket: bucket, Key: name }), { abortSignal: trySignal }),
      {
        request: `head ${name}`,
        signal,
      },
    );
    return { sizeBytes: answer.ContentLength ?? 0, isOwn: answer.Metadata?.[ticketName] === ticket };
  } catch (err) {
    if (err instanceof FirnError && err.code === 'not-found') return undefined;
    throw err;
  }
}

/** One request. `conflict` when the server keeps what is there. */
export async function putWhole(target: S3Target, body: Uint8Array, signal?: AbortSignal): Promise<void> {
  const { calls, bucket, name, ticket, unlessExists } = target;
  const condition = unlessExists ? { IfNoneMatch: '*' } : {};
  await calls
    .run(
      (client, trySignal) => {
        const input = {
          Bucket: bucket,
          Key: name,
          Body: asBuffer(body),
          ContentLength: body.length,
          Metadata: { [ticketName]: ticket },
          ...condition,
        };
        return client.send(new PutObjectCommand(input), { abortSignal: trySignal });
      },
      { request: `put ${name}`, signal },
    )
    .catch((err: unknown) => forgiveOwn(target, err, signal));
}

/** A multipart upload. Complete or abort it. */
export class S3Upload {
  readonly id: string;
  readonly #target: S3Target;
  readonly #etags: string[] = [];

  private constructor(target: S3Target, id: string) {
    this.#target = target;
    this.id = id;
  }

  static async begin(target: S3Target, signal?: AbortSignal): Promise<S3Upload> {
    const { calls, bucket, name, ticket } = target;
    const { UploadId: id } = await calls.run(
      (client, trySignal) =>
        client.send(
          new CreateMultipartUploadCommand({ Bucket: bucket, Key: name, Metadata: { [ticketName]: ticket } }),
          { abortSignal: trySignal },
        ),
      { request: `begin ${name}`, signal },
    );
    if (id === undefined) throw new FirnError('internal', 'The storage began an upload without a name.');
    return new S3Upload(target, id);
  }

  /** `number` counts from 1. The bytes stay the caller's, unchanged until this settles. */
  async putPart(number: number, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    const { calls, bucket, name } = this.#target;
    const { ETag: etag } = await calls.run(
      (client, trySignal) => {
        const input = {
          Bucket: bucket,
          Key: name,
          UploadId: this.id,
          PartNumber: number,
          Body: asBuffer(bytes),
          ContentLength: bytes.length,
        };
        return client.send(new UploadPartCommand(input), { abortSignal: trySignal });
      },
      { request: `part ${number} of ${name}`, signal },
    );
    if (etag === undefined) throw new FirnError('internal', 'The storage took a part without saying so.');
    this.#etags[number - 1] = etag;
  }

  /** `conflict` when the server keeps what is there; not every server looks. */
  async complete(signal?: AbortSignal): Promise<void> {
    const { calls, bucket, name, unlessExists } = this.#target;
    const parts = this.#etags.map((ETag, i) => ({ ETag, PartNumber: i + 1 }));
    const condition = unlessExists ? { IfNoneMatch: '*' } : {};
    const input = { Bucket: bucket, Key: name, UploadId: this.id, MultipartUpload: { Parts: parts }, ...condition };
    await calls
      .run((client, trySignal) => client.send(new CompleteMultipartUploadCommand(input), { abortSignal: trySignal }), {
        request: `complete ${name}`,
        signal,
      })
      .catch((err: unknown) => forgiveOwn(this.#target, err, signal));
  }

  /** Never rejects. */
  async abort(): Promise<void> {
    const { calls, bucket, name } = this.#target;
    const input = { Bucket: bucket, Key: name, UploadId: this.id };
    await calls
      .run((client, trySignal) => client.send(new AbortMultipartUploadCommand(input), { abortSignal: trySignal }), {
        request: `abort ${name}`,
        triesMax: abortTriesMax,
      })
      .catch(() => undefined);
  }
}

/**
 * A try whose answer was lost may have done it: then the next one is told that the object exists, or that the upload is
 * over.
 */
async function forgiveOwn(target: S3Target, err: unknown, signal: AbortSignal | undefined): Promise<void> {
  if (!['PreconditionFailed', 'NoSuchUpload'].includes(s3CodeOf(err))) throw err;
  const found = await findObject(target, signal);
  if (found?.isOwn === true) return;
  throw err;
}

/** The SDK takes the length of a Buffer for its body's. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
