import { FirnError } from '../../checkpoint/firn-error.ts';
import { isUnsupported } from './s3-failure.ts';
import { putWhole, type S3Target } from './s3-upload.ts';

/**
 * Whether the server refuses to replace an object when asked to (`If-None-Match: *`, RFC 9110 section 13.1.2): some
 * refuse the question, and some do not hear it. `target` names an object that is not there, and asks; it may be there
 * afterwards. Rejects with what else keeps an object from being put.
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
