import type { HubPart } from '../../catalog/contract/hub/part-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { blobPrefix } from '../../ingest/ingest-context.ts';
import { CheckedBody } from '../../ingest/stage/checked-body.ts';
import type { Upload } from '../../ingest/stage/upload.ts';
import { openNamed } from '../../restore/open-named.ts';
import { hasBytes } from './has-bytes.ts';
import type { HubContext } from '../hub-context.ts';
import { receiveBlob } from './receive-blob.ts';
import { stageHubBytes } from './stage-hub-bytes.ts';

/** Smallest size of a part, in bytes, and most parts of a file; larger files have larger parts. */
const partBytesMin = 64 * 1024 * 1024;
const partsMax = 1000;
const mebibyte = 1024 * 1024;

/** Bytes of each part but the last of a file, which must arrive in parts of just this size. Pure. */
export function partBytesOf(sizeBytes: number): number {
  return Math.max(partBytesMin, Math.ceil(sizeBytes / partsMax / mebibyte) * mebibyte);
}

/** A part of a file that is known by its digest. */
export interface AnnouncedPart {
  readonly sha256: string;
  /** Size of the whole file. */
  readonly sizeBytes: number;
  /** From 1. */
  readonly number: number;
}

/**
 * Receives one part of a file; a part that arrives again replaces the earlier one. Errors: `length-mismatch` unless it
 * has the bytes of this part, those of the staging budget and the store.
 */
export async function receivePart(
  ctx: HubContext,
  repositoryId: string,
  { sha256, sizeBytes, number }: AnnouncedPart,
  upload: Upload,
): Promise<void> {
  const partBytes = partBytesOf(sizeBytes);
  const ofPart = Math.min(partBytes, sizeBytes - (number - 1) * partBytes);
  const body = new CheckedBody(upload, { announced: { sizeBytes: ofPart }, sizeMaxBytes: partBytes });
  const bytes = { prefix: blobPrefix, body, sizeMaxBytes: partBytes };
  await stageHubBytes(ctx, repositoryId, bytes, (tx, { key, storedBytes }) =>
    tx.hub.parts.put({ repositoryId, sha256, number, key, sizeBytes: ofPart, storedBytes }),
  );
}

/**
 * Puts the parts of a file together and drops them. Completing a file twice is no error. `upload-incomplete` while a
 * part is missing; `digest-mismatch` when the whole has another digest; then the parts stay, and can be sent again.
 */
export async function completeParts(
  ctx: HubContext,
  repositoryId: string,
  { sha256, sizeBytes }: Omit<AnnouncedPart, 'number'>,
  signal?: AbortSignal,
): Promise<void> {
  const parts = await ctx.catalog.hub.parts.list(repositoryId, sha256);
  const [blob] = await ctx.catalog.hub.blobs.find(repositoryId, [sha256]);
  if (parts.length === 0 && hasBytes(blob)) return;
  const count = Math.ceil(sizeBytes / partBytesOf(sizeBytes));
  if (parts.length < count)
    throw new FirnError('upload-incomplete', `${count - parts.length} of ${count} parts have not arrived.`);
  const body = joined(ctx, parts);
  const upload = { body, lengthBytes: sizeBytes, ...(signal && { signal }) };
  await receiveBlob(ctx, repositoryId, { sha256, sizeBytes }, upload);
  await ctx.catalog.hub.parts.drop(repositoryId, sha256);
}

async function* joined({ store }: HubContext, parts: readonly HubPart[]): AsyncGenerator<Uint8Array> {
  for (const { key, sizeBytes } of parts) {
    const reader = await openNamed(store, key);
    try {
      yield* reader.stream(0, sizeBytes);
    } finally {
      await reader.close();
    }
  }
}
