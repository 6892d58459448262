import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { digestBytes } from '../../restore/digest-bytes.ts';
import { Downloads } from '../../restore/downloads.ts';
import type { Ancestor } from '../ancestor/ancestor.ts';
import type { NativeCore } from '../../native/core.ts';
import type { Restorer } from '../../restore/restorer.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { ModelSource, SourceFile } from '../upload/model-source.ts';
import { isDamage } from '../ancestor/open-ancestor.ts';
import { copiedFiles, isExactFile, type CodingPlan } from '../plan/plan-codings.ts';

/** Below this size in bytes, a file takes too little in a package to justify depending on another checkpoint. */
const referenceBytesMin = 512;

/** By digest: id of a file of the repository with these bytes. */
export type FileOrigins = ReadonlyMap<string, string>;

/**
 * By digest: files of the run's repository with the same bytes as uploaded ones, according to the catalog. Rejects with
 * its errors.
 */
export async function filesHolding(
  catalog: Catalog,
  { repositoryId }: Run,
  files: readonly SourceFile[],
): Promise<ReadonlyMap<string, CheckpointFile>> {
  const digests = new Set(files.filter(({ sizeBytes }) => sizeBytes >= referenceBytesMin).map(({ sha256 }) => sha256));
  return new Map((await catalog.files.holding(repositoryId, [...digests])).map((file) => [file.resultSha256!, file]));
}

/** Inputs of the search for references. */
export interface ReferenceSearch {
  readonly source: Pick<ModelSource, 'files'>;
  /** By digest of uploaded files: files of the repository with the same digest in the catalog. */
  readonly holding: ReadonlyMap<string, CheckpointFile>;
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly core: NativeCore;
  /** A restorer with caches of its own. */
  readonly freshRestorer: () => Restorer;
  readonly signal: AbortSignal;
}

/**
 * Numbers of the files that will normally be references: the repository has their bytes, or an earlier file of the
 * checkpoint does.
 */
export function expectedReferences(
  { holding, source: { files } }: Pick<ReferenceSearch, 'holding' | 'source'>,
  plan: CodingPlan,
): ReadonlySet<number> {
  const seen = new Set(holding.keys());
  const expected = new Set<number>();
  for (const [number, file] of files.entries()) {
    if (!isReferable(files, plan, number)) continue;
    if (seen.has(file.sha256)) expected.add(number);
    seen.add(file.sha256);
  }
  return expected;
}

/**
 * The files of `holding` with intact bytes. Each is read to its end and compared, because the uploaded bytes are given
 * up for the reference. A damaged file is left out, and the bytes are stored again. Rejects with the errors of catalog
 * and store.
 */
export async function findOrigins(search: ReferenceSearch, plan: CodingPlan): Promise<FileOrigins> {
  const { files } = search.source;
  const wanted = new Map(
    files.filter((_, number) => isReferable(files, plan, number)).map((file) => [file.sha256, file]),
  );
  const origins = new Map<string, string>();
  for (const [sha256, file] of wanted) {
    const origin = search.holding.get(sha256);
    if (origin !== undefined && (await isWhole(search, origin, file))) origins.set(sha256, origin.id);
  }
  return origins;
}

async function isWhole(
  { catalog, store, core, freshRestorer, signal }: ReferenceSearch,
  origin: CheckpointFile,
  { sizeBytes, sha256 }: SourceFile,
): Promise<boolean> {
  const checkpoint = await catalog.checkpoints.get(origin.checkpointId);
  if (checkpoint === undefined) return false;
  try {
    const opened = await new Downloads({ catalog, store, core, restorer: freshRestorer() }).openFile(
      checkpoint,
      origin,
    );
    try {
      const found = await digestBytes(opened.stream(0, opened.sizeBytes, signal));
      return found.sha256 === sha256 && found.sizeBytes === sizeBytes;
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/**
 * By file number: id of the file to refer to, of another checkpoint or of this one. A file that the ancestor has under
 * the same path is no reference: as a delta it takes a byte a block, and later checkpoints can be coded against it. Nor
 * is a file that is the original of another file's copies.
 */
export function referencesBeside(
  { source: { files }, rows }: Pick<ReferenceSearch, 'source'> & { readonly rows: readonly CheckpointFile[] },
  {
    plan,
    origins,
    ancestor,
  }: { readonly plan: CodingPlan; readonly origins: FileOrigins; readonly ancestor: Ancestor | undefined },
): ReadonlyMap<number, string> {
  const known = new Map(origins);
  const references = new Map<number, string>();
  const copied = copiedFiles(plan);
  for (const [number, file] of files.entries()) {
    if (!isReferable(files, plan, number)) continue;
    const origin = known.get(file.sha256);
    if (origin === undefined) known.set(file.sha256, rows.find(({ path }) => path === file.path)!.id);
    else if (!copied.has(number) && ancestor?.holds(number) !== true) references.set(number, origin);
  }
  return references;
}

/** Whether the file is large enough and restored exactly as uploaded. */
function isReferable(files: readonly SourceFile[], plan: CodingPlan, number: number): boolean {
  return files[number]!.sizeBytes >= referenceBytesMin && isExactFile(plan, number);
}
