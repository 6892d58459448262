import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { FileDigests } from '../../catalog/contract/file-records.ts';
import type { FileEntry, HubCommit, TreeEntry } from '../../catalog/contract/hub/revision-records.ts';
import { gitBlobBytesMax } from '../../ingest/stage/checked-body.ts';
import type { LoadTree } from './folder.ts';
import { inGitOrder, pointerOid, treeOid } from './git-object.ts';

/** The files of a repository at one revision, which never change. */
export interface Snapshot {
  readonly commit: Omit<HubCommit, 'repositoryId' | 'requestSha256'>;
  /** Where the bytes of files come from: blobs of the repository, or files of a checkpoint. */
  readonly checkpoint?: Checkpoint;
  readonly load: LoadTree;
}

/** A file or folder with its path from the root. */
export type PlacedEntry = TreeEntry & { readonly path: string };

/** The entry at a path; the root is not one. */
export async function entryAt({ commit, load }: Snapshot, path: string): Promise<TreeEntry | undefined> {
  let treeId = commit.treeId;
  const parts = path.split('/');
  for (const [depth, name] of parts.entries()) {
    const entry = (await load(treeId)).find((each) => each.name === name);
    if (entry === undefined || depth === parts.length - 1) return entry;
    if (entry.kind === 'file') return undefined;
    treeId = entry.oid;
  }
  return undefined;
}

/** The entries of a folder, '' for the root; undefined if there is no such folder. */
export async function entriesOf(snapshot: Snapshot, path: string): Promise<readonly TreeEntry[] | undefined> {
  if (path === '') return snapshot.load(snapshot.commit.treeId);
  const folder = await entryAt(snapshot, path);
  return folder?.kind === 'folder' ? snapshot.load(folder.oid) : undefined;
}

/** Everything below a folder, folders before what is in them, in git's order. */
export async function* walk(
  { load }: Pick<Snapshot, 'load'>,
  entries: readonly TreeEntry[],
  folder = '',
): AsyncGenerator<PlacedEntry> {
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    yield { ...entry, path };
    if (entry.kind === 'folder') yield* walk({ load }, await load(entry.oid), path);
  }
}

interface Trees {
  readonly rootId: string;
  readonly byId: ReadonlyMap<string, readonly TreeEntry[]>;
}

/**
 * The trees of lists of files, for as long as these are kept (cached-trees.ts), so that each is made once. This is no
 * state: a list never changes, the trees are a function of it alone, and without the map they would only be made again.
 * The owner is the cache of lists; it counts the trees' memory with the list's.
 */
const treesOfFiles = new WeakMap<readonly FileDigests[], Trees>();

function treesOf(files: readonly FileDigests[]): Trees {
  const byId = new Map<string, readonly TreeEntry[]>();
  const placed = files.flatMap((file) => {
    const entry = entryOf(file);
    return entry === undefined ? [] : [{ parts: file.path.split('/'), entry }];
  });
  return { rootId: treeOf(placed, byId), byId };
}

/** The files of a ready checkpoint as a snapshot, named by its revision. Pure but for `load`. */
export function checkpointSnapshot(checkpoint: Checkpoint, files: readonly FileDigests[], runName: string): Snapshot {
  const trees = treesOfFiles.get(files) ?? treesOf(files);
  treesOfFiles.set(files, trees);
  const at = checkpoint.finishedAt ?? checkpoint.createdAt;
  return {
    checkpoint,
    load: async (id) => trees.byId.get(id) ?? [],
    commit: {
      id: checkpoint.revision!,
      treeId: trees.rootId,
      title: `${runName}: step ${checkpoint.step}`,
      message: '',
      author: runName,
      createdAt: at,
    },
  };
}

function entryOf(file: FileDigests): Omit<FileEntry, 'name'> | undefined {
  const { resultSha256: sha256, resultBytes: sizeBytes, gitSha1 } = file;
  // Files that only the search reads are not part of the result.
  if (sha256 === undefined || sizeBytes === undefined) return undefined;
  const isLarge =
    gitSha1 === undefined || sizeBytes > gitBlobBytesMax || sha256 !== file.sha256 || isWeights(file.path);
  return { kind: 'file', sizeBytes, sha256, isLarge, oid: isLarge ? pointerOid(sha256, sizeBytes) : gitSha1 };
}

/** Hubs hold weights as large files, whatever their size. */
function isWeights(path: string): boolean {
  return path.endsWith('.safetensors');
}

interface PlacedFile {
  readonly parts: readonly string[];
  readonly entry: Omit<FileEntry, 'name'>;
}

function treeOf(files: readonly PlacedFile[], trees: Map<string, readonly TreeEntry[]>): string {
  const folders = new Map<string, PlacedFile[]>();
  const entries: TreeEntry[] = [];
  for (const { parts, entry } of files) {
    const [name = '', ...rest] = parts;
    if (rest.length === 0) entries.push({ ...entry, name });
    else folders.set(name, [...(folders.get(name) ?? []), { parts: rest, entry }]);
  }
  for (const [name, inside] of folders) entries.push({ kind: 'folder', name, oid: treeOf(inside, trees) });
  const sorted = inGitOrder(entries);
  const id = treeOid(sorted);
  trees.set(id, sorted);
  return id;
}
