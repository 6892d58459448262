import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { FileEntry } from '../../catalog/contract/hub/revision-records.ts';
import type { PackageRecord } from '../../catalog/contract/storage/package-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { walk, type Snapshot } from './snapshot.ts';

/** Most files of a revision that a pull lists. */
const filesMax = 100_000;
/** Digests in one query. */
const digestsPerQuery = 1000;

/** A file of a revision, and where a client that decodes packages finds its bytes. */
export interface PullFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Absent for a file that no package holds: it is downloaded as it is. */
  readonly package?: { readonly id: string; readonly path: string };
}

/** A package as an object to download. */
export interface PullPackage {
  /** The id in the package itself: the checkpoint's, or that of a merged package. */
  readonly id: string;
  /** Ids of the checkpoints' packages in it that the revision needs, oldest first; it can be downloaded by each. */
  readonly holds: readonly string[];
  readonly ancestorId?: string;
  readonly sizeBytes: number;
}

/** A package that the reader may download. */
export interface PlacedPackage extends PullPackage {
  /** The one it is downloaded from: that of the revision, or that of a base model. */
  readonly repository: Repository;
}

/** What a client downloads to rebuild a revision. Packages come after their ancestors. */
export interface Pull {
  readonly revision: string;
  readonly files: readonly PullFile[];
  readonly packages: readonly PlacedPackage[];
}

/**
 * The repository of each package of a chain, by package id; undefined if the reader may not read one of them. See
 * `readableChain`.
 */
export type ReadablePlaces = (packageId: string) => Promise<ReadonlyMap<string, Repository> | undefined>;

export type PullCatalog = Pick<Catalog, 'hub' | 'checkpoints' | 'files' | 'packages'>;

/**
 * Finds the packages from which the files of a snapshot can be rebuilt. Files stored as uploaded, those whose package
 * went with a deleted checkpoint, and those whose chain the reader may not read to its end have none.
 * `payload-too-large` beyond `filesMax` files.
 */
export async function planPull(
  catalog: PullCatalog,
  repository: Repository,
  snapshot: Snapshot,
  placesOf: ReadablePlaces,
): Promise<Pull> {
  const entries: { readonly path: string; readonly entry: FileEntry }[] = [];
  for await (const entry of walk(snapshot, await snapshot.load(snapshot.commit.treeId))) {
    if (entry.kind !== 'file') continue;
    entries.push({ path: entry.path, entry });
    if (entries.length > filesMax)
      throw new FirnError('payload-too-large', `The revision has more than ${filesMax} files.`);
  }
  const holders = new Holders(catalog);
  const stored =
    snapshot.checkpoint === undefined
      ? await filesOfBlobs(catalog, repository, entries)
      : await filesOfCheckpoint(catalog, snapshot.checkpoint);
  const files: PullFile[] = [];
  for (const { path, entry } of entries) {
    const file = stored.get(snapshot.checkpoint === undefined ? entry.sha256 : path);
    const holder = file && (await holders.of(file, entry.sha256));
    files.push({
      path,
      sizeBytes: entry.sizeBytes,
      sha256: entry.sha256,
      ...(holder !== undefined && { package: holder }),
    });
  }
  const wanted = new Set(files.flatMap((file) => file.package?.id ?? []));
  const { packages, withheld } = await chainsOf(catalog, wanted, placesOf);
  const shown = files.map(({ package: holder, ...file }) =>
    holder === undefined || withheld.has(holder.id) ? file : { ...file, package: holder },
  );
  return { revision: snapshot.commit.id, files: shown, packages };
}

async function filesOfCheckpoint(catalog: PullCatalog, { id }: Checkpoint): Promise<Map<string, CheckpointFile>> {
  return new Map((await catalog.files.list(id)).map((file) => [file.path, file]));
}

/** By digest: the file of a checkpoint that has the bytes of a committed file. */
async function filesOfBlobs(
  catalog: PullCatalog,
  { id }: Repository,
  entries: readonly { readonly entry: FileEntry }[],
): Promise<Map<string, CheckpointFile>> {
  const digests = [...new Set(entries.map(({ entry }) => entry.sha256))];
  const found = new Map<string, CheckpointFile>();
  for (let at = 0; at < digests.length; at += digestsPerQuery) {
    const blobs = await catalog.hub.blobs.find(id, digests.slice(at, at + digestsPerQuery));
    for (const { sha256, fileId } of blobs) {
      const file = fileId === undefined ? undefined : await catalog.files.get(fileId);
      if (file !== undefined) found.set(sha256, file);
    }
  }
  return found;
}

/** Finds the package that holds a file's bytes; looks at each checkpoint once. */
class Holders {
  readonly #catalog: PullCatalog;
  readonly #checkpoints = new Map<string, Promise<Checkpoint | undefined>>();

  constructor(catalog: PullCatalog) {
    this.#catalog = catalog;
  }

  async of(file: CheckpointFile, sha256: string): Promise<PullFile['package']> {
    const owner =
      file.storage === 'reference' && file.originId !== undefined ? await this.#catalog.files.get(file.originId) : file;
    if (owner?.storage !== 'package' || owner.resultSha256 !== sha256) return undefined;
    const known = this.#checkpoints.get(owner.checkpointId) ?? this.#catalog.checkpoints.get(owner.checkpointId);
    this.#checkpoints.set(owner.checkpointId, known);
    const checkpoint = await known;
    return checkpoint?.state === 'ready' && checkpoint.packageId !== undefined
      ? { id: checkpoint.packageId, path: owner.path }
      : undefined;
  }
}

/**
 * The objects that hold these packages and all their ancestors, each once, after its ancestors; and the ids of those
 * whose chain the reader may not read.
 */
async function chainsOf(
  catalog: PullCatalog,
  ids: ReadonlySet<string>,
  placesOf: ReadablePlaces,
): Promise<{ readonly packages: PlacedPackage[]; readonly withheld: ReadonlySet<string> }> {
  const chains: (readonly PackageRecord[])[] = [];
  const places = new Map<string, Repository>();
  const withheld = new Set<string>();
  for (const id of ids) {
    // An ancestor in a chain that may be read.
    if (places.has(id)) continue;
    const found = await placesOf(id);
    if (found === undefined) {
      withheld.add(id);
      continue;
    }
    found.forEach((repository, packageId) => places.set(packageId, repository));
    chains.push(await catalog.packages.chain(id));
  }
  // All that a merged package holds is of one run.
  const packages = packagesOf(chains).map((each) => ({ ...each, repository: places.get(each.holds[0]!)! }));
  return { packages, withheld };
}

/** Pure. Chains are given as the catalog gives them, base last. */
export function packagesOf(chains: readonly (readonly PackageRecord[])[]): PullPackage[] {
  const objects = new Map<string, { first: PackageRecord; records: Map<string, PackageRecord> }>();
  for (const chain of chains)
    for (const record of [...chain].reverse()) {
      const id = record.mergedPackageId ?? record.id;
      const object = objects.get(id) ?? { first: record, records: new Map<string, PackageRecord>() };
      object.records.set(record.id, record);
      objects.set(id, object);
    }
  return [...objects].map(([id, { first, records }]) => ({
    id,
    holds: [...records.values()].sort((a, b) => a.position - b.position).map((record) => record.id),
    ...(first.ancestorId !== undefined && { ancestorId: first.ancestorId }),
    sizeBytes: first.sizeBytes,
  }));
}
