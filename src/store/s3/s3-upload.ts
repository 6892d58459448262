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

/** Name of the metadata that identifies one put of a key. */
const ticketName = 'firn-put';
/** Tries of aborting an upload while the caller waits; a sweep removes the rest. */
const abortTriesMax = 2;

export interface S3Target {
  readonly calls: S3Calls;
  readonly bucket: string;
  /** Name of the object in the bucket. */
  readonly name: string;
  /** Random. A put recognizes its own object by it, even if the answer was lost. */
  readonly ticket: string;
  /** Whether the request asks the server not to replace an existing object. */
  readonly unlessExists: boolean;
}

/** An existing object, and whether this put made it. */
export interface FoundObject {
  readonly sizeBytes: number;
  readonly isOwn: boolean;
}

/** Undefined if there is no such object. */
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

/** One request. `conflict` if the server refuses to replace an object. */
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

  /** `number` counts from 1. The caller must not change the bytes until this settles. */
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

  /** `conflict` if the server refuses to replace an object; not every server checks. */
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
 * Ignores an error that an earlier try caused. If the answer of a successful try was lost, the retry fails because the
 * object exists already, or because the upload is finished.
 */
async function forgiveOwn(target: S3Target, err: unknown, signal: AbortSignal | undefined): Promise<void> {
  if (!['PreconditionFailed', 'NoSuchUpload'].includes(s3CodeOf(err))) throw err;
  const found = await findObject(target, signal);
  if (found?.isOwn === true) return;
  throw err;
}

/** The SDK takes the length of the body from a Buffer. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
