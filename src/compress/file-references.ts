import type { CheckpointFile } from '../catalog/catalog.ts';
import { digestBytes } from '../restore/digest-bytes.ts';
import { Downloads } from '../restore/downloads.ts';
import type { Ancestor } from './ancestor.ts';
import type { EncodeAttempt } from './encode-attempt.ts';
import type { SourceFile } from './model-source.ts';
import { isDamage } from './open-ancestor.ts';
import type { CodingPlan } from './plan-codings.ts';

/** Smaller files take less in a package than it is worth to depend on another checkpoint for, in bytes. */
const referenceBytesMin = 512;

/** By digest: the file of the repository that holds these bytes. */
export type FileOrigins = ReadonlyMap<string, string>;

/**
 * Files of the attempt's repository that hold the bytes of uploaded ones, each read to its end and compared: what a reference replaces is given up. One that is damaged is none, and the bytes
 * are stored again. Rejects with the errors of catalog and store.
 */
export async function findOrigins(attempt: EncodeAttempt, plan: CodingPlan): Promise<FileOrigins> {
  const { ctx, run, source } = attempt;
  const wanted = new Map(source.files.filter((_, number) => isReferable(source.files, plan, number)).map((file) => [file.sha256, file]));
  const origins = new Map<string, string>();
  for (const origin of await ctx.catalog.files.holding(run.repositoryId, [...wanted.keys()])) {
    const file = wanted.get(origin.resultSha256!)!;
    if (await isWhole(attempt, origin, file)) origins.set(file.sha256, origin.id);
  }
  return origins;
}

async function isWhole({ ctx, signal }: EncodeAttempt, origin: CheckpointFile, { sizeBytes, sha256 }: SourceFile): Promise<boolean> {
  const checkpoint = await ctx.catalog.checkpoints.get(origin.checkpointId);
  if (checkpoint === undefined) return false;
  const { catalog, store, core, freshRestorer } = ctx;
  try {
    const opened = await new Downloads({ catalog, store, core, restorer: freshRestorer() }).openFile(checkpoint, origin);
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
 * By file number: id of the file to refer to, of another checkpoint or of this one. A file that the ancestor holds under the same path is none: as a delta it takes a byte a block, and later checkpoints
 * can be coded against it.
 */
export function referencesBeside(
  { source: { files }, rows }: EncodeAttempt,
  { plan, origins, ancestor }: { readonly plan: CodingPlan; readonly origins: FileOrigins; readonly ancestor: Ancestor | undefined },
): ReadonlyMap<number, string> {
  const known = new Map(origins);
  const references = new Map<number, string>();
  for (const [number, file] of files.entries()) {
    if (!isReferable(files, plan, number)) continue;
    const origin = known.get(file.sha256);
    if (origin === undefined) known.set(file.sha256, rows.find(({ path }) => path === file.path)!.id);
    else if (ancestor?.holds(file) !== true) references.set(number, origin);
  }
  return references;
}

/** What comes back as it was uploaded. */
function isReferable(files: readonly SourceFile[], plan: CodingPlan, number: number): boolean {
  return files[number]!.sizeBytes >= referenceBytesMin && plan.files[number]!.codings.every(({ kind }) => kind === 'exact');
}
