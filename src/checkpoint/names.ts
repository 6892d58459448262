import { FirnError } from './firn-error.ts';
import { quoteName } from './words/quote-name.ts';

/** Longest namespace, repository, run or eval set name, in characters. */
export const nameLengthMax = 96;
/** Longest path of a file inside a checkpoint, in characters. */
export const pathLengthMax = 1024;
/** Longest path of an uploaded file, in bytes of UTF-8: an entry of the catalog's index takes at most 2704. */
const pathBytesMax = 2048;

/**
 * Letters, digits, ".", "_" and "-", starting and ending with a letter or digit, without ".." and "--". This and the
 * patterns below are in the OpenAPI document; they have no lookahead, so that every dialect of regular expressions
 * reads them, and take time in proportion to the text.
 */
export const namePattern = '^[A-Za-z0-9](?:(?:\\.?(?:-\\.)*-?_)*\\.?(?:-\\.)*-?[A-Za-z0-9])*$';
/** Names that a run may not have: git or hub clients would take them for something else. */
export const reservedRunNamePattern = '^main$|^step-|\\.lock$';
/** One part of a path: anything but "." and "..", without slashes, backslashes and control characters. */
const pathPart =
  '(?:[^./\\\\\\x00-\\x1f\\x7f]|\\.[^./\\\\\\x00-\\x1f\\x7f]|\\.\\.[^/\\\\\\x00-\\x1f\\x7f])' +
  '[^/\\\\\\x00-\\x1f\\x7f]*';
/** Parts with a slash between two. */
export const filePathPattern = `^${pathPart}(?:/${pathPart})*$`;

const [name, reservedRunName, filePath] = [namePattern, reservedRunNamePattern, filePathPattern].map(
  (pattern) => new RegExp(pattern),
) as [RegExp, RegExp, RegExp];

export function isName(text: string): boolean {
  return text.length <= nameLengthMax && name.test(text);
}

export function isRunName(text: string): boolean {
  return isName(text) && !reservedRunName.test(text);
}

/** A run's name is a valid git ref component, never `main` or `step-*`. Throws `invalid-request`. */
export function checkRunName(name: string): string {
  if (!isRunName(name))
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

/** First parts of addresses that lead elsewhere, so that hub clients could push to such a namespace and not pull. */
const reservedNamespaces: ReadonlySet<string> = new Set([
  'api',
  'datasets',
  'healthz',
  'hub',
  'metrics',
  'models',
  'openapi.json',
  'problems',
  'readyz',
  'spaces',
  'v1',
]);

/** The namespace of a new repository. Throws `invalid-request`. */
export function checkNewNamespace(namespace: string): string {
  if (reservedNamespaces.has(checkName(namespace, 'namespace')))
    throw new FirnError(
      'invalid-request',
      `The namespace ${quoteName(namespace)} is not allowed: addresses begin with it.`,
    );
  return namespace;
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
  if (path.length > pathLengthMax || !filePath.test(path))
    throw new FirnError(
      'invalid-request',
      'The file path is not allowed: relative, forward slashes, no empty, "." or ".." part.',
    );
  return path;
}
