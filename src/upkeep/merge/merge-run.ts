import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Claim } from '../../catalog/contract/work/job-records.ts';
import type { MergeCandidate, MergeReason, PackageRecord } from '../../catalog/contract/storage/package-records.ts';
import { mergeableMethods } from '../../checkpoint/options/quantization-config.ts';
import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import { chainCost } from '../../compress/ancestor/chain-cost.ts';
import { chainBytesMax, chainPackagesMax } from '../../compress/ancestor/restore-budget.ts';
import type { NativeCore } from '../../native/core.ts';
import { mergedPackageWidthMax, mergedPackageWidthMin } from '../../package/format-limits.ts';
import type { PackageLocation, Restorer } from '../../restore/restorer.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { Tracer } from '../../telemetry/tracer.ts';
import { planMerges, shareBytes } from './plan-merges.ts';
import { MergedPackageSource } from './merged-source.ts';
import { verifyPart } from './verify-merged.ts';
import { mergedPackageId, writeMergedPackage, type WrittenMergedPackage } from './write-merged.ts';

/** Kind of the jobs that merge old deltas of a run; the run is their subject. */
export const mergeJobKind = 'merge';

/** The newest checkpoints of a run are not merged: the next ones build on them, and they are read most. */
const newestKept = 4;
/** The same of a closed run: nothing builds on it any more, but its last checkpoint is what people read. */
const newestKeptClosed = 1;
/**
 * Packages of the newest checkpoint's chain from which on groups are also merged to make room in it: soon its length
 * would be at its limit, and later checkpoints would build on one further back, which takes several times the bytes.
 */
const nearlyFull = chainPackagesMax - 2;
/** How much more such a group may take than its packages did. */
const roomShare = 1 / 16;
/** Methods that have that limit. */
const limitedMethods: readonly string[] = ['residual'];
/** Candidates read in one query, oldest first. */
const candidatesPerQuery = 64;

export interface MergeContext {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly core: NativeCore;
  /**
   * Makes a restorer without cached blocks, because merging reads the symbols of every checkpoint and reads its own
   * output back.
   */
  readonly freshRestorer: () => Restorer;
  /** Bytes of symbols cached while a group is merged. */
  readonly cacheMaxBytes: number;
  readonly blockParallel: number;
  readonly tracer: Tracer;
}

/**
 * Queues the merging of a run's old deltas if there are some and it is not queued yet. Call it inside the transaction
 * that made a checkpoint of the run ready, or closed the run.
 */
export async function queueMerge(tx: Catalog, runId: string): Promise<void> {
  if ((await nextMerge(tx, runId)) === undefined) return;
  await tx.jobs.enqueue({ kind: mergeJobKind, subjectId: runId }).catch((error: unknown) => {
    if (!(error instanceof FirnError) || error.code !== 'conflict') throw error;
  });
}

/**
 * The handler of `merge` jobs. It merges the oldest group of mergeable deltas of a run, and queues itself again while
 * there are more, so that checkpoints waiting for their encode come first. Repeatable at any point: until its commit
 * nothing refers to the object that it writes. Rejects with the errors of catalog, store and core.
 */
export async function runMergeJob(
  ctx: MergeContext,
  runId: string,
  claim: Claim,
  signal: AbortSignal,
): Promise<{ readonly kind: 'done' }> {
  const planned = await nextMerge(ctx.catalog, runId);
  const merged = planned && (await mergeBest(ctx, planned, claim, signal));
  try {
    await ctx.catalog.transaction(async (tx) => {
      if (merged !== undefined) await tx.packages.merge(merged);
      else await leaveOut(tx, planned);
      await tx.jobs.complete(claim);
      await queueMerge(tx, runId);
    });
  } catch (error) {
    // The commit was refused, so nothing refers to the object. After any other failure the transaction may have
    // succeeded, and the object is left to the collection of orphans.
    if (merged !== undefined && error instanceof FirnError && error.code === 'conflict')
      await ctx.store.delete(merged.key).catch(() => undefined);
    throw error;
  }
  return { kind: 'done' };
}

/**
 * Leaves out the first checkpoint of a job that ended without a result: its bytes may be damaged, and later ones need
 * not wait for it.
 */
export async function markMergeEnded(tx: Catalog, runId: string): Promise<void> {
  await leaveOut(tx, await nextMerge(tx, runId));
}

async function leaveOut(tx: Catalog, planned: PlannedMerge | undefined): Promise<void> {
  if (planned !== undefined) await tx.packages.setMergeTried(planned.group[0]!.record.id, planned.reason);
}

interface PlannedMerge {
  readonly group: readonly MergeCandidate[];
  readonly reason: MergeReason;
  /** Fewest of the group that may be merged. */
  readonly widthMin: number;
}

async function nextMerge(catalog: Catalog, runId: string): Promise<PlannedMerge | undefined> {
  const limit = candidatesPerQuery;
  if ((await catalog.runs.get(runId))?.closedAt !== undefined) {
    // The chains of a closed run do not go on, so fewer than a whole group are not waited with.
    const methods = mergeableMethods;
    const left = await catalog.packages.mergeable(runId, { reason: 'bytes', newest: newestKeptClosed, limit, methods });
    const [group] = planMerges(left.map((candidate) => ({ ...candidate, grows: false })));
    return group && { group, reason: 'bytes', widthMin: mergedPackageWidthMin };
  }
  const newest = newestKept;
  const [saving] = planMerges(
    await catalog.packages.mergeable(runId, { reason: 'bytes', newest, limit, methods: mergeableMethods }),
  );
  if (saving !== undefined)
    return { group: saving, reason: 'bytes', widthMin: isLimited(saving[0]!) ? saving.length : mergedPackageWidthMin };
  return nextForRoom(catalog, runId);
}

/** A group in the chain of the run's newest checkpoint, if that is nearly full. A fork's begins in another run. */
async function nextForRoom(catalog: Catalog, runId: string): Promise<PlannedMerge | undefined> {
  const newest = await catalog.checkpoints.newestReady(runId);
  // A chain counts at most as many packages as it has links, so most are not read.
  if (newest?.packageId === undefined || (newest.result?.chainLength ?? Infinity) < nearlyFull) return undefined;
  const chain = await catalog.packages.chain(newest.packageId);
  if (chainCost(chain).packages < nearlyFull) return undefined;
  const inChain = new Set(chain.map(({ id }) => id));
  for (const id of await runsOf(catalog, chain)) {
    const candidates = await catalog.packages.mergeable(id, {
      reason: 'room',
      newest: newestKept,
      limit: candidatesPerQuery,
      methods: limitedMethods,
    });
    // The later a group, the less it grows, because less of it moved.
    const group = planMerges(
      candidates.filter(({ record }) => inChain.has(record.id)),
      mergedPackageWidthMax,
    ).at(-1);
    if (group !== undefined) return { group, reason: 'room', widthMin: group.length };
  }
  return undefined;
}

/** The runs of the checkpoints in a chain, in its order. */
async function runsOf(catalog: Catalog, chain: readonly PackageRecord[]): Promise<readonly string[]> {
  const found = await Promise.all(chain.map(({ checkpointId }) => catalog.checkpoints.get(checkpointId)));
  return [...new Set(found.flatMap((checkpoint) => (checkpoint === undefined ? [] : [checkpoint.runId])))];
}

/**
 * Whether its chain has a limit of packages. A part of a group would save few bytes there, and hardly any room, and
 * keep the rest from being merged with what comes after it.
 */
function isLimited({ checkpoint }: MergeCandidate): boolean {
  const method = checkpoint.result?.config?.method;
  return method !== undefined && limitedMethods.includes(method);
}

type Merged = Parameters<Catalog['packages']['merge']>[0];

/** The widest part of the group that pays, written and verified; undefined if none does. */
async function mergeBest(
  ctx: MergeContext,
  { group, reason, widthMin }: PlannedMerge,
  claim: Claim,
  signal: AbortSignal,
): Promise<Merged | undefined> {
  for (let width = group.length; width >= widthMin; width--) {
    signal.throwIfAborted();
    const merged = await mergeGroup(ctx, { reason, group: group.slice(0, width) }, claim, signal);
    if (merged !== undefined) return merged;
  }
  return undefined;
}

/** Undefined if the group cannot be merged or takes too much; no object is left then. */
async function mergeGroup(
  ctx: MergeContext,
  { group, reason }: Omit<PlannedMerge, 'widthMin'>,
  claim: Claim,
  signal: AbortSignal,
): Promise<Merged | undefined> {
  const records = group.map(({ record }) => record);
  const id = mergedPackageId(records.map((record) => record.id));
  const key = `packages/${id}-${claim.fence}`;
  const growthMax = reason === 'room' ? 1 + roomShare : 1;
  try {
    const chain = await ctx.catalog.packages.chain(records.at(-1)!.id);
    const ofGroup = { attributes: { 'firn.packages': group.length } };
    const written = await ctx.tracer.span('merge.write', ofGroup, () =>
      writeGroup(ctx, { chain, width: group.length, key, growthMax }, signal),
    );
    const merged = written && mergedFrom(records, { id, key, written, growthMax });
    if (merged !== undefined && isInBudget(group, { merged, older: chain.slice(group.length) })) {
      await ctx.tracer.span('merge.verify', ofGroup, () => verify(ctx, { group, chain, merged }, signal));
      return merged;
    }
  } catch (error) {
    await ctx.store.delete(key).catch(() => undefined);
    if (!saysNoGain(error)) throw error;
    return undefined;
  }
  await ctx.store.delete(key).catch(() => undefined);
  return undefined;
}

/** An object that takes too much is not written to its end. */
function saysNoGain(error: unknown): boolean {
  const code: FirnErrorCode = 'payload-too-large';
  return error instanceof FirnError && error.code === code;
}

interface GroupToWrite {
  /** Chain of the last checkpoint, newest first. */
  readonly chain: readonly PackageRecord[];
  readonly width: number;
  readonly key: string;
  /** Bytes that it may take, in those of the packages it replaces. */
  readonly growthMax: number;
}

async function writeGroup(
  ctx: MergeContext,
  { chain, width, key, growthMax }: GroupToWrite,
  signal: AbortSignal,
): Promise<WrittenMergedPackage | undefined> {
  const { core, store, cacheMaxBytes, blockParallel: parallel } = ctx;
  const opened = await ctx.freshRestorer().open(chain, signal);
  try {
    const before = chain.slice(0, width).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const sizeMaxBytes = Math.floor(growthMax * before);
    return await writeMergedPackage(
      new MergedPackageSource(opened, width),
      { store, key, sizeMaxBytes, replace: true },
      { core, parallel, cacheMaxBytes, signal },
    );
  } finally {
    await opened.close();
  }
}

interface WrittenGroup extends Pick<GroupToWrite, 'key' | 'growthMax'> {
  readonly id: string;
  readonly written: WrittenMergedPackage;
}

/** Undefined if it is not smaller than what it may take. */
function mergedFrom(
  records: readonly PackageRecord[],
  { id, key, written, growthMax }: WrittenGroup,
): Merged | undefined {
  const before = records.map(({ storedBytes }) => storedBytes);
  const { object, indexOffsetBytes, indexLengthBytes } = written;
  if (object.storedBytes >= growthMax * before.reduce((sum, bytes) => sum + bytes, 0)) return undefined;
  const shares = shareBytes(object.storedBytes, before);
  const parts = records.map((record, position) => ({ id: record.id, key: record.key, storedBytes: shares[position]! }));
  return { mergedPackageId: id, key, sizeBytes: object.sizeBytes, indexOffsetBytes, indexLengthBytes, parts };
}

/** Whether restoring each of the checkpoints stays inside the budget, although it reads the whole object. */
function isInBudget(
  group: readonly MergeCandidate[],
  { merged, older }: { readonly merged: Merged; readonly older: readonly PackageRecord[] },
): boolean {
  const before = chainCost(older);
  return group.every(({ checkpoint: { sequence, result } }) => {
    return (
      result !== undefined &&
      before.bytes + merged.sizeBytes <=
        chainBytesMax(before.baseBytes, { fullBytes: result.fullBytes ?? result.rawBytes, sequence })
    );
  });
}

interface GroupToVerify {
  readonly group: readonly MergeCandidate[];
  readonly chain: readonly PackageRecord[];
  readonly merged: Merged;
}

async function verify(ctx: MergeContext, { group, chain, merged }: GroupToVerify, signal: AbortSignal): Promise<void> {
  const [restorerBefore, restorerAfter] = [ctx.freshRestorer(), ctx.freshRestorer()];
  for (const [position, { record, checkpoint }] of group.entries()) {
    signal.throwIfAborted();
    const ofRecord = chain.slice(chain.findIndex(({ id }) => id === record.id));
    const before = await restorerBefore.open(ofRecord, signal);
    try {
      const after = await restorerAfter.open(
        [...partLocations(ofRecord, merged, position), ...ofRecord.slice(position + 1)],
        signal,
      );
      try {
        await verifyPart({ core: ctx.core, before, after, files: await ctx.catalog.files.list(checkpoint.id), signal });
      } finally {
        await after.close();
      }
    } finally {
      await before.close();
    }
  }
}

/** The checkpoints of the new object up to a position, newest first. */
function partLocations(
  chain: readonly PackageRecord[],
  { parts: _, mergedPackageId: __, ...object }: Merged,
  position: number,
): PackageLocation[] {
  return chain.slice(0, position + 1).map((record, i) => ({ ...record, ...object, position: position - i }));
}
