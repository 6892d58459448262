import type { FileEntry } from '../../catalog/contract/hub/revision-records.ts';
import { pointerBytes } from '../../hub/git-object.ts';
import type { PlacedEntry } from '../../hub/snapshot.ts';

/** What clients read about a file that git would hold as a pointer; nothing for others. */
export function largeFileOf({ isLarge, sha256, sizeBytes }: FileEntry): object {
  return isLarge ? { lfs: { oid: sha256, sha256, size: sizeBytes, pointerSize: pointerBytes(sha256, sizeBytes) } } : {};
}

/** A file or folder as `tree` and `paths-info` show it. */
export function entryFields(entry: PlacedEntry): object {
  const { path, oid } = entry;
  return entry.kind === 'folder'
    ? { type: 'directory', oid, size: 0, path }
    : { type: 'file', oid, size: entry.sizeBytes, path, ...largeFileOf(entry) };
}
