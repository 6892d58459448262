import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../catalog/contract/file-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { FirnError, type FirnErrorCode } from '../checkpoint/firn-error.ts';
import { quoteName } from '../checkpoint/words/quote-name.ts';
import { missingShards } from './missing-shards.ts';
import { quoteNames } from '../graph/quote-names.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { IngestContext } from './ingest-context.ts';
import { runsPath } from './runs-path.ts';

/** Codes that refuse a checkpoint because tensors are missing. */
const lackingCodes: readonly FirnErrorCode[] = ['graph-missing-weights', 'layout-mismatch'];

/**
 * Runs a check of an open checkpoint's tensors. If it refuses them, the message begins with the shards that the index
 * names and that have not arrived.
 */
export async function namingMissingShards<T>(
  ctx: Pick<IngestContext, 'catalog' | 'store'>,
  {
    run,
    checkpoint,
    files,
  }: { readonly run: Run; readonly checkpoint: Checkpoint; readonly files: readonly CheckpointFile[] },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (err) {
    if (!(err instanceof FirnError) || !lackingCodes.includes(err.code)) throw err;
    // An index that cannot be read now leaves the refusal as it is.
    const [missing] = await missingShards(files, ({ rawKey }) => readObject(ctx.store, rawKey!)).catch(() => []);
    if (missing === undefined) throw err;
    const { indexPath, shards } = missing;
    const folder = `${await runsPath(ctx.catalog, run)}/${run.name}/checkpoints/${checkpoint.step}/files/`;
    const sentence =
      `The shard index ${quoteName(indexPath)} names ${quoteNames(shards)}, which ` +
      `${shards.length === 1 ? 'has' : 'have'} not arrived: ` +
      `PUT ${folder}${shards[0]}${shards.length > 1 ? ' and the others' : ''}, then commit again.`;
    throw new FirnError(err.code, `${sentence} ${err.message}`, { cause: err });
  }
}

async function readObject(store: ObjectStore, key: string): Promise<Uint8Array> {
  const reader = await store.open(key);
  try {
    return await reader.read(0, reader.sizeBytes);
  } finally {
    await reader.close();
  }
}
