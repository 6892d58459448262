import { createHash } from 'node:crypto';
import type { HubCommit, TreeEntry } from '../../catalog/contract/hub/revision-records.ts';

/** Modes of entries in git's trees. */
const modes = { file: '100644', folder: '40000' } as const;

/** Git's id of a file of these bytes, 40 hex digits. Pure. */
export function blobOid(bytes: Uint8Array): string {
  return objectOid('blob', bytes);
}

/**
 * Git's id of the pointer that stands for a large file in a git repository (Git LFS specification, version 1). Pure.
 */
export function pointerOid(sha256: string, sizeBytes: number): string {
  return blobOid(Buffer.from(pointerText(sha256, sizeBytes)));
}

/** Bytes of that pointer. Pure. */
export function pointerBytes(sha256: string, sizeBytes: number): number {
  return pointerText(sha256, sizeBytes).length;
}

/** Text of that pointer. Pure. */
export function pointerText(sha256: string, sizeBytes: number): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${sizeBytes}\n`;
}

/** Entries in git's order: by bytes of the name, a folder's as if it ended in a slash. Pure. */
export function inGitOrder(entries: readonly TreeEntry[]): TreeEntry[] {
  const key = ({ kind, name }: TreeEntry): Buffer => Buffer.from(kind === 'folder' ? `${name}/` : name);
  return entries
    .map((entry) => ({ entry, key: key(entry) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ entry }) => entry);
}

/** Git's id of a folder; the entries must be in git's order. Pure. */
export function treeOid(entries: readonly TreeEntry[]): string {
  const lines = entries.flatMap(({ kind, name, oid }) => [
    Buffer.from(`${modes[kind]} ${name}\0`),
    Buffer.from(oid, 'hex'),
  ]);
  return objectOid('tree', Buffer.concat(lines));
}

/** Git's id of a commit by one author, at a whole second, in UTC. Pure. */
export function commitOid({
  treeId,
  parentId,
  title,
  message,
  author,
  createdAt,
}: Omit<HubCommit, 'id' | 'repositoryId' | 'requestSha256'>): string {
  const who = `${author} <${author}> ${Math.floor(createdAt.getTime() / 1000)} +0000`;
  const parent = parentId === undefined ? '' : `parent ${parentId}\n`;
  const text = message === '' ? title : `${title}\n\n${message}`;
  return objectOid('commit', Buffer.from(`tree ${treeId}\n${parent}author ${who}\ncommitter ${who}\n\n${text}`));
}

function objectOid(type: 'blob' | 'tree' | 'commit', bytes: Uint8Array): string {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
}
