import { FirnError } from './firn-error.ts';
import { quoteName } from './words/quote-name.ts';

/** Two paths of one checkpoint that clash: one is a folder that contains the other, such as "a" and "a/b". */
export type PathClash = readonly [string, string];

/**
 * The first clash among the paths, if any: a download to a disk could not store both files. Cost: the sum of the
 * depths.
 */
export function pathClash(paths: readonly string[]): PathClash | undefined {
  const all = new Set(paths);
  for (const path of paths) {
    const folder = foldersOf(path).find((each) => all.has(each));
    if (folder !== undefined) return [path, folder];
  }
  return undefined;
}

/** The folders that contain a path, outermost first: "a" and "a/b" for "a/b/c". */
export function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** The error `invalid-request`, naming both paths. */
export function pathClashError([path, other]: PathClash): FirnError {
  return new FirnError(
    'invalid-request',
    `The files ${quoteName(path)} and ${quoteName(other)} cannot be in one checkpoint: one is a folder of the other.`,
  );
}
