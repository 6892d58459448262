import { DeleteObjectsCommand } from '@aws-sdk/client-s3';
import type { S3Calls } from './s3-calls.ts';
import { isUnsupported } from './s3-failure.ts';
import { s3Limits } from './s3-limits.ts';

export interface S3Deletion {
  readonly calls: S3Calls;
  readonly bucket: string;
  readonly deleteOne: (name: string) => Promise<void>;
}

/**
 * Deletes objects in batches of a thousand; deletes one by one those that a batch did not delete. Tries every object,
 * then rejects with the first failure.
 */
export async function deleteS3Objects(deletion: S3Deletion, names: readonly string[]): Promise<void> {
  const failures: unknown[] = [];
  for (let at = 0; at < names.length; at += s3Limits.deleteKeysMax) {
    const batch = names.slice(at, at + s3Limits.deleteKeysMax);
    for (const name of batch.length > 1 ? await deleteBatch(deletion, batch) : batch)
      await deletion.deleteOne(name).catch((err: unknown) => void failures.push(err));
  }
  if (failures.length > 0) throw failures[0];
}

/** Returns the names that were not deleted. */
async function deleteBatch({ calls, bucket }: S3Deletion, names: readonly string[]): Promise<readonly string[]> {
  const input = { Bucket: bucket, Delete: { Quiet: true, Objects: names.map((Key) => ({ Key })) } };
  try {
    const { Errors: refused = [] } = await calls.run(
      (client, signal) => client.send(new DeleteObjectsCommand(input), { abortSignal: signal }),
      {
        request: `delete ${names.length} objects`,
      },
    );
    const left = new Set(refused.map(({ Key: name }) => name));
    return names.filter((name) => left.has(name));
  } catch (err) {
    if (isUnsupported(err)) return names;
    throw err;
  }
}
