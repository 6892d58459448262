import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { isObjectKey } from '../object-key.ts';
import type { S3Calls } from './s3-calls.ts';
import { s3CodeOf } from './s3-failure.ts';
import { throwIfAborted } from '../until-aborted.ts';

export interface S3UploadSweep {
  readonly calls: S3Calls;
  readonly bucket: string;
  readonly prefix: string;
  readonly pageMax: number | undefined;
  /** Whether an upload belongs to this process. */
  readonly isOwn: (id: string) => boolean;
}

/**
 * Aborts multipart uploads below the prefix that began before `before`. Their parts take space that no listing of
 * objects shows. Returns their number.
 */
export async function sweepS3Uploads(
  { calls, bucket, prefix, pageMax, isOwn }: S3UploadSweep,
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  let next: Pick<ListMultipartUploadsCommandOutput, 'NextKeyMarker' | 'NextUploadIdMarker'> = {};
  for (;;) {
    const input = {
      Bucket: bucket,
      Prefix: prefix,
      ...(pageMax === undefined ? {} : { MaxUploads: pageMax }),
      ...markers(next),
    };
    const page = await calls.run(
      (client, trySignal) => client.send(new ListMultipartUploadsCommand(input), { abortSignal: trySignal }),
      {
        request: `list uploads ${prefix}`,
        signal,
      },
    );
    for (const { Key: name = '', UploadId: id, Initiated: began } of page.Uploads ?? []) {
      throwIfAborted(signal);
      if (
        id === undefined ||
        began === undefined ||
        began.getTime() >= before.getTime() ||
        isOwn(id) ||
        !isObjectKey(name.slice(prefix.length))
      )
        continue;
      await abortUpload(calls, { Bucket: bucket, Key: name, UploadId: id });
      removed += 1;
    }
    if (page.IsTruncated !== true || page.NextKeyMarker === undefined) return removed;
    next = page;
  }
}

function markers({
  NextKeyMarker,
  NextUploadIdMarker,
}: Pick<ListMultipartUploadsCommandOutput, 'NextKeyMarker' | 'NextUploadIdMarker'>): object {
  return {
    ...(NextKeyMarker === undefined ? {} : { KeyMarker: NextKeyMarker }),
    ...(NextUploadIdMarker === undefined ? {} : { UploadIdMarker: NextUploadIdMarker }),
  };
}

/** An upload that ended meanwhile is no failure. */
async function abortUpload(
  calls: S3Calls,
  input: { readonly Bucket: string; readonly Key: string; readonly UploadId: string },
): Promise<void> {
  try {
    await calls.run((client, signal) => client.send(new AbortMultipartUploadCommand(input), { abortSignal: signal }), {
      request: `abort ${input.Key}`,
    });
  } catch (err) {
    if (!(err instanceof FirnError) || s3CodeOf(err) !== 'NoSuchUpload') throw err;
  }
}
