import { FirnError } from '../checkpoint/firn-error.ts';

/** A decoder's description of the damage in a package, or `accepted`. Any other error is thrown again. */
export function refusalOf(decode: () => unknown): string {
  try {
    decode();
  } catch (error) {
    if (error instanceof FirnError && error.code === 'corrupt-package') return String(error.detail);
    throw error;
  }
  return 'accepted';
}
