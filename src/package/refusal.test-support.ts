import { FirnError } from '../checkpoint/firn-error.ts';

/** What a decoder says of a package that it takes for damaged, or `accepted`. Throws what is no such refusal. */
export function refusalOf(decode: () => unknown): string {
  try {
    decode();
  } catch (error) {
    if (error instanceof FirnError && error.code === 'corrupt-package') return String(error.detail);
    throw error;
  }
  return 'accepted';
}
