import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { HubCommit, TreeEntry } from '../../catalog/contract/hub/revision-records.ts';
import type { LoadTree } from './folder.ts';
import type { Snapshot } from './snapshot.ts';

/** Commits read in one query. */
const pageCommits = 100;

/** How far back is looked, so that a client has its answer within seconds. */
export interface HistoryLimits {
  readonly commits: number;
  /** Entries of the folders that are read. */
  readonly entries: number;
}

const limitsOfRequest: HistoryLimits = { commits: 1000, entries: 1_000_000 };

/** What a commit is known by where a path names it. */
export type LastCommit = Pick<HubCommit, 'id' | 'title' | 'createdAt'>;

/**
 * For each path of a snapshot: the newest commit that changed it. A folder changes with what is in it. Reads only
 * folders that lead to the paths and differ between two commits. A path that has not changed within the limits is left
 * out.
 */
export async function lastCommits(
  catalog: Pick<Catalog, 'hub'>,
  repositoryId: string,
  { commit, checkpoint }: Pick<Snapshot, 'commit' | 'checkpoint'>,
  { paths, limits = limitsOfRequest }: { readonly paths: readonly string[]; readonly limits?: HistoryLimits },
): Promise<ReadonlyMap<string, LastCommit>> {
  // A checkpoint that was pushed without a commit has no history.
  if (checkpoint !== undefined) return new Map(paths.map((path) => [path, commit]));
  const wanted = new WantedFolder(paths.map((path) => ({ path, parts: path.split('/') })));
  const trees = new RecentTrees(catalog, repositoryId);
  const found = new Map<string, LastCommit>();
  let count = 0;
  for await (const [each, beforeId] of historyOf(catalog, repositoryId, commit.id)) {
    if (wanted.isEmpty || count === limits.commits || trees.entriesRead > limits.entries) break;
    count += 1;
    const changed = await wanted.takeChanged(trees.load, { treeId: each.treeId, beforeId });
    for (const path of changed) found.set(path, each);
    trees.forgetOlder();
  }
  return found;
}

/** The commits from `id` back, each with the tree of the commit before it. */
async function* historyOf(
  { hub: { revisions } }: Pick<Catalog, 'hub'>,
  repositoryId: string,
  id: string,
): AsyncGenerator<readonly [commit: HubCommit, beforeId: string | undefined]> {
  for (let next: string | undefined = id; next !== undefined;) {
    const page: readonly HubCommit[] = await revisions.history(repositoryId, next, pageCommits + 1);
    for (const [i, commit] of page.entries()) {
      const before = page[i + 1];
      if (before !== undefined || commit.parentId === undefined) yield [commit, before?.treeId];
    }
    const last = page.at(-1);
    // The last one of a page is the first one of the next, which has its parent, too.
    next = page.length > 1 && last?.parentId !== undefined ? last.id : undefined;
  }
}

/** Trees of a repository; those of a commit are kept until the next one was compared with it. */
class RecentTrees {
  readonly #catalog: Pick<Catalog, 'hub'>;
  readonly #repositoryId: string;
  #recent = new Map<string, readonly TreeEntry[]>();
  #current = new Map<string, readonly TreeEntry[]>();
  entriesRead = 0;

  constructor(catalog: Pick<Catalog, 'hub'>, repositoryId: string) {
    this.#catalog = catalog;
    this.#repositoryId = repositoryId;
  }

  readonly load: LoadTree = async (id) => {
    const entries = this.#current.get(id) ?? this.#recent.get(id) ?? (await this.#read(id));
    this.#current.set(id, entries);
    return entries;
  };

  forgetOlder(): void {
    this.#recent = this.#current;
    this.#current = new Map();
  }

  async #read(id: string): Promise<readonly TreeEntry[]> {
    const [tree] = await this.#catalog.hub.revisions.trees(this.#repositoryId, [id]);
    this.entriesRead += tree?.entries.length ?? 0;
    return tree?.entries ?? [];
  }
}

interface WantedPath {
  readonly path: string;
  /** What is left of it below a folder; empty for the folder itself. */
  readonly parts: readonly string[];
}

/** Paths in a folder whose last change is not known yet. */
class WantedFolder {
  readonly #below = new Map<string, WantedFolder>();
  #path: string | undefined;

  constructor(paths: readonly WantedPath[]) {
    const below = new Map<string, WantedPath[]>();
    for (const { path, parts } of paths) {
      const [name, ...rest] = parts;
      if (name === undefined) this.#path = path;
      else addTo(below, name, { path, parts: rest });
    }
    for (const [name, each] of below) this.#below.set(name, new WantedFolder(each));
  }

  get isEmpty(): boolean {
    return this.#path === undefined && this.#below.size === 0;
  }

  /** The paths below that differ between two trees of the folder. They are not wanted any more. */
  async takeChanged(
    load: LoadTree,
    { treeId, beforeId }: { readonly treeId: string | undefined; readonly beforeId: string | undefined },
  ): Promise<string[]> {
    if (treeId === beforeId) return [];
    const changed: string[] = [];
    const [entries, before] = [await entriesByName(load, treeId), await entriesByName(load, beforeId)];
    for (const [name, below] of this.#below) {
      const [now, then] = [entries.get(name), before.get(name)];
      if (now?.oid === then?.oid) continue;
      if (below.#path !== undefined) changed.push(below.#path);
      below.#path = undefined;
      changed.push(...(await below.takeChanged(load, { treeId: folderId(now), beforeId: folderId(then) })));
      if (below.isEmpty) this.#below.delete(name);
    }
    return changed;
  }
}

async function entriesByName(load: LoadTree, treeId: string | undefined): Promise<ReadonlyMap<string, TreeEntry>> {
  return new Map((treeId === undefined ? [] : await load(treeId)).map((entry) => [entry.name, entry]));
}

function folderId(entry: TreeEntry | undefined): string | undefined {
  return entry?.kind === 'folder' ? entry.oid : undefined;
}

function addTo(groups: Map<string, WantedPath[]>, name: string, path: WantedPath): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, [path]);
  else group.push(path);
}
