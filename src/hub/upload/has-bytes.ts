import type { HubBlob } from '../../catalog/contract/hub/blob-records.ts';

/** Whether a blob is there with its bytes; a deleted or lossy checkpoint may have given them up. Pure. */
export function hasBytes(blob: HubBlob | undefined): blob is HubBlob {
  return blob !== undefined && (blob.rawKey !== undefined || blob.fileId !== undefined);
}
