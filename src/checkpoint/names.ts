import { FirnError } from './firn-error.ts';
import { quoteName } from './quote-name.ts';

/** Longest namespace, repository, run or eval set name, in characters. */
export const nameLengthMax = 96;
/** Longest path of a file inside a checkpoint, in characters. */
export const pathLengthMax = 1024;
/** Longest path of an uploaded file, in bytes of UTF-8: an entry of the catalog's index takes at most 2704. */
const pathBytesMax = 2048;

const segment = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

export function isName(name: string): boolean {
  return name.length <= nameLengthMax && segment.test(name) && !name.includes('..') && !name.includes('--');
}

/** A run's name is a valid git ref component, never `main` or `step-*`. Throws `invalid-request`. */
export function checkRunName(name: string): string {
  const reserved = name === 'main' || name.startsWith('step-') || name.endsWith('.lock');
  if (!isName(name) || reserved)
    throw new FirnError(
      'invalid-request',
      'The run name is not allowed: letters, digits, ".", "_" and "-", not "main", "step-*" or "*.lock".',
    );
  return name;
}

/** Namespace, repository or eval set name. Throws `invalid-request`. */
export function checkName(name: string, what: string): string {
  if (!isName(name))
    throw new FirnError(
      'invalid-request',
      `The ${what} name is not allowed: letters, digits, ".", "_" and "-", at most ${nameLengthMax} characters.`,
    );
  return name;
}

/** Longest part of a path between two slashes, in bytes of UTF-8: the limit of common file systems. */
export const pathPartBytesMax = 255;

/**
 * Like `checkFilePath`, for files that arrive: each part must also be a name that a file on a disk can have. Throws
 * `invalid-request`.
 */
export function checkNewFilePath(path: string): string {
  const long = checkFilePath(path)
    .split('/')
    .find((part) => Buffer.byteLength(part) > pathPartBytesMax);
  if (long !== undefined)
    throw new FirnError(
      'invalid-request',
      `The file path is not allowed: ${quoteName(long)} has more than ${pathPartBytesMax} bytes, so no disk ` +
        'could take it.',
    );
  if (Buffer.byteLength(path) > pathBytesMax)
    throw new FirnError('invalid-request', `The file path is not allowed: it has more than ${pathBytesMax} bytes.`);
  return path;
}

/**
 * A relative path with forward slashes, no empty, "." or ".." segment, no control characters. Throws `invalid-request`.
 */
export function checkFilePath(path: string): string {
  const bad =
    path.length === 0 ||
    path.length > pathLengthMax ||
    /[\\\u0000-\u001f\u007f]/.test(path) ||
    path.split('/').some((part) => part === '' || part === '.' || part === '..');
  if (bad)
    throw new FirnError(
      'invalid-request',
      'The file path is not allowed: relative, forward slashes, no empty, "." or ".." part.',
    );
  return path;
}
