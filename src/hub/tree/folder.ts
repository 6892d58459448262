import type { FileEntry, Tree, TreeEntry } from '../../catalog/contract/hub/revision-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { inGitOrder, treeOid } from './git-object.ts';

/** The entries of a folder by the id of its tree. */
export type LoadTree = (id: string) => Promise<readonly TreeEntry[]>;

/** A change of one path: a file that it has from now on, or nothing. */
export type PathChange =
  | { readonly op: 'put'; readonly path: string; readonly file: Omit<FileEntry, 'kind' | 'name'> }
  | { readonly op: 'delete'; readonly path: string }
  | { readonly op: 'delete-folder'; readonly path: string };

/** The files that changes put in place, in order. Pure. */
export function addedFiles(
  changes: readonly PathChange[],
): { readonly path: string; readonly sha256: string; readonly sizeBytes: number }[] {
  return changes.flatMap((change) =>
    change.op === 'put' ? [{ path: change.path, sha256: change.file.sha256, sizeBytes: change.file.sizeBytes }] : [],
  );
}

/** Most files of one folder. Each is a row's part in the catalog, and git itself slows down far earlier. */
export const folderEntriesMax = 20_000;

/**
 * Applies changes, in order, to the tree of a commit and returns the new root with the trees that are new. Reads only
 * folders on the paths of the changes. A file in the place of a folder, or the other way round, replaces it. Deleting
 * what is absent is `not-found`; `payload-too-large` for more than `folderEntriesMax` entries.
 */
export async function changeFolder(
  load: LoadTree,
  rootId: string | undefined,
  changes: readonly PathChange[],
): Promise<{ readonly rootId: string; readonly trees: readonly Tree[] }> {
  const root = new OpenFolder(load, rootId);
  for (const change of changes) {
    const parts = change.path.split('/');
    await root.change(parts, change);
  }
  const trees: Tree[] = [];
  return { rootId: await root.close(trees), trees };
}

/** A folder that is being changed: its entries, and those of its folders that were opened. */
class OpenFolder {
  readonly #load: LoadTree;
  readonly #id: string | undefined;
  #entries: Map<string, TreeEntry> | undefined;
  readonly #open = new Map<string, OpenFolder>();

  constructor(load: LoadTree, id: string | undefined) {
    this.#load = load;
    this.#id = id;
  }

  async change([name = '', ...rest]: readonly string[], change: PathChange): Promise<void> {
    const entries = await this.#loaded();
    if (rest.length > 0) {
      const folder = await this.#folder(name, change.op === 'put');
      if (folder === undefined) throw absent(change.path);
      return folder.change(rest, change);
    }
    if (change.op === 'put') {
      this.#open.delete(name);
      entries.set(name, { kind: 'file', name, ...change.file });
      return checkCount(entries);
    }
    const opened = this.#open.get(name);
    const isFolder = opened === undefined ? entries.get(name)?.kind === 'folder' : !(await opened.isEmpty());
    const isFile = entries.get(name)?.kind === 'file';
    if (change.op === 'delete' ? !isFile : !isFolder) throw absent(change.path);
    entries.delete(name);
    this.#open.delete(name);
  }

  /** Whether nothing is left in it, after the changes so far. */
  async isEmpty(): Promise<boolean> {
    if ((await this.#loaded()).size > 0) return false;
    for (const folder of this.#open.values()) if (!(await folder.isEmpty())) return false;
    return true;
  }

  /** The id of the folder as it is now; trees that are new are added to `trees`. Empty folders vanish, as in git. */
  async close(trees: Tree[]): Promise<string> {
    if (this.#entries === undefined && this.#id !== undefined) return this.#id;
    const entries = await this.#loaded();
    for (const [name, folder] of this.#open) {
      const oid = await folder.close(trees);
      if (oid === emptyTreeId) entries.delete(name);
      else entries.set(name, { kind: 'folder', name, oid });
    }
    checkCount(entries);
    const sorted = inGitOrder([...entries.values()]);
    const id = treeOid(sorted);
    if (id !== this.#id) trees.push({ id, entries: sorted });
    return id;
  }

  async #loaded(): Promise<Map<string, TreeEntry>> {
    if (this.#entries === undefined) {
      const entries = this.#id === undefined ? [] : await this.#load(this.#id);
      this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    }
    return this.#entries;
  }

  async #folder(name: string, create: boolean): Promise<OpenFolder | undefined> {
    const opened = this.#open.get(name);
    if (opened !== undefined) return opened;
    const entries = await this.#loaded();
    const entry = entries.get(name);
    if (entry?.kind !== 'folder' && !create) return undefined;
    const folder = new OpenFolder(this.#load, entry?.kind === 'folder' ? entry.oid : undefined);
    // A file of this name makes room for the folder.
    entries.delete(name);
    this.#open.set(name, folder);
    return folder;
  }
}

const emptyTreeId = treeOid([]);

function checkCount({ size }: ReadonlyMap<string, TreeEntry>): void {
  if (size > folderEntriesMax)
    throw new FirnError('payload-too-large', `A folder may have at most ${folderEntriesMax} entries.`);
}

function absent(path: string): FirnError {
  return new FirnError('not-found', `There is no ${JSON.stringify(path)} to delete.`);
}
