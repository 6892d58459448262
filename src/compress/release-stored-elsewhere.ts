import type { Catalog } from '../catalog/contract/catalog.ts';

/** Releases the uploaded files of a checkpoint that are stored in another form, inside the caller's transaction. */
export async function releaseStoredElsewhere(tx: Catalog, checkpointId: string): Promise<void> {
  const rows = (await tx.files.list(checkpointId)).filter((row) => row.rawKey !== undefined && row.storage !== 'raw');
  await tx.files.releaseRaw(
    checkpointId,
    rows.map((row) => row.path),
  );
}
