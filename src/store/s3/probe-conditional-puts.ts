import { FirnError } from '../../checkpoint/firn-error.ts';
import { isUnsupported } from './s3-failure.ts';
import { putWhole, type S3Target } from './s3-upload.ts';

/**
 * Whether the server refuses to replace an object under `If-None-Match: *` (RFC 9110 section 13.1.2). Some servers
 * reject the header, and some ignore it. `target` names an absent object and sends the header; the object may exist
 * afterwards. Rejects with any other failure of the put.
 */
export async function probeConditionalPuts(
  target: Omit<S3Target, 'ticket'>,
  newTicket: () => string,
): Promise<boolean> {
  const body = Buffer.from('probe');
  try {
    await putWhole({ ...target, ticket: newTicket() }, body);
    await putWhole({ ...target, ticket: newTicket() }, body);
    return false;
  } catch (err) {
    if (err instanceof FirnError && err.code === 'conflict') return true;
    if (isUnsupported(err)) return false;
    throw err;
  }
}
