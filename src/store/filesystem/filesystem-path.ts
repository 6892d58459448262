import { createHash } from 'node:crypto';
import { isObjectKey } from '../object-key.ts';

/**
 * File names below the store's folder: `objects/<two hex digits of the key's sha256>/<file name>`. The file name spells
 * the key: "/" becomes "+", a capital letter becomes "^" and its small letter. So keys stay distinct on file systems
 * that ignore case. 256 folders keep each of them small.
 */
export const shards: readonly string[] = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

export function shardOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 2);
}

export function fileNameOf(key: string): string {
  return key.replaceAll('/', '+').replace(/[A-Z]/g, (letter) => `^${letter.toLowerCase()}`);
}

/** The key that a file name spells; undefined for files that are not objects. */
export function keyOf(fileName: string): string | undefined {
  const key = fileName.replaceAll('+', '/').replace(/\^([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return isObjectKey(key) && fileNameOf(key) === fileName ? key : undefined;
}
