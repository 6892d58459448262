import { FirnError } from '../checkpoint/firn-error.ts';

/**
 * Longest object key, in characters. As a file name it stays below the 255 bytes of common file systems even if every
 * letter is a capital.
 */
export const objectKeyLengthMax = 120;

const segment = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;

/**
 * A key is one or more parts of letters, digits, ".", "_" and "-", joined by "/"; a part starts with a letter or digit
 * and does not end with ".".
 */
export function isObjectKey(key: string): boolean {
  return key.length <= objectKeyLengthMax && key.split('/').every((part) => segment.test(part));
}

/** Throws `internal`: keys are made by Firn, never by a client. */
export function checkObjectKey(key: string): string {
  if (!isObjectKey(key))
    throw new FirnError('internal', 'An object key is not allowed.', {
      detail: JSON.stringify(key.slice(0, 2 * objectKeyLengthMax)),
    });
  return key;
}
