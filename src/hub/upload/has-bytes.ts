import type { HubBlob } from '../../catalog/contract/hub/blob-records.ts';

/** Whether a blob is there with its bytes; they may have gone with a deleted checkpoint. Pure. */
export function hasBytes(blob: HubBlob | undefined): blob is HubBlob {
  return blob !== undefined && (blob.rawKey !== undefined || blob.fileId !== undefined);
}
