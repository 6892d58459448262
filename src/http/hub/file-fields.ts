import type { FileEntry } from '../../catalog/contract/hub/revision-records.ts';
import { pointerBytes } from '../../hub/tree/git-object.ts';
import type { LastCommit } from '../../hub/tree/last-commits.ts';
import type { PlacedEntry } from '../../hub/tree/snapshot.ts';

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

/**
 * What `expand` adds to an entry: the commit that changed it last, null where that is too long ago to be looked for.
 * Files also have the state of the hub's virus scan, and nothing is scanned here.
 */
export function expandedFields(entry: PlacedEntry, last: LastCommit | undefined): object {
  return {
    ...entryFields(entry),
    lastCommit: last === undefined ? null : { id: last.id, title: last.title, date: last.createdAt.toISOString() },
    ...(entry.kind === 'file' && { securityFileStatus: unscanned }),
  };
}

/** Clients read all three keys, and take a file for safe only if its status is `safe`. */
const unscanned = { status: 'unscanned', avScan: null, pickleImportScan: null };
