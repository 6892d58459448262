import type { Context } from 'hono';
import type { UploadRecord } from '../../catalog/contract/uploads/upload-records.ts';
import type { AppEnv } from '../app-env.ts';

/** Sets the tus header fields with the state of an upload. */
export function setUploadHeaders(
  c: Context<AppEnv>,
  { sizeBytes, receivedBytes, partBytes, metadata, isComplete, expiresAt }: UploadRecord,
): void {
  c.header('Cache-Control', 'no-store');
  c.header('Upload-Length', String(sizeBytes));
  if (partBytes === undefined) c.header('Upload-Offset', String(receivedBytes));
  if (metadata !== undefined) c.header('Upload-Metadata', metadata);
  if (!isComplete) c.header('Upload-Expires', expiresAt.toUTCString());
}
