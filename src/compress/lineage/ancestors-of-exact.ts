import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import type { NativeCore } from '../../native/core.ts';
import type { ModelSource } from '../upload/model-source.ts';
import type { Ancestor } from '../ancestor/ancestor.ts';
import { encodeExact } from '../encode/encode-package.ts';
import { expectedReferences } from './file-references.ts';
import { candidatesElsewhere, type AncestorCandidate } from '../ancestor/find-ancestor.ts';
import { mapBounded } from '../bounded-parallel.ts';
import { coverageEnough, coverageOf, isDamage, type Ancestors } from '../ancestor/open-ancestor.ts';
import type { ReusableBase } from './reusable-base.ts';
import type { CodingPlan } from '../plan/plan-codings.ts';
import type { BlockPlace } from '../../package/blocks/block-plan.ts';

/** Blocks of the sample by which a checkpoint of the repository is judged. */
const sampleBlocksMax = 16;
/** If fewer bytes than this have to be stored, building on another run does not pay. */
const lookBytesMin = 64 * 1024;
/**
 * A checkpoint of another run must save at least this share of the sample's own size: it cannot be removed as long as
 * this one exists.
 */
const savedShareMin = 1 / 8;

/** Inputs of the search for an ancestor of exact files. */
export interface ExactLineage {
  readonly catalog: Catalog;
  readonly core: NativeCore;
  readonly run: Run;
  readonly source: ModelSource;
  /** As returned by `filesHolding`. */
  readonly holding: ReadonlyMap<string, CheckpointFile>;
  readonly ancestors: Ancestors;
  readonly reusableBase: ReusableBase;
  readonly chainLengthMax: number;
  readonly parallel: number;
  readonly signal: AbortSignal;
}

/**
 * The candidates for a checkpoint that is stored exact, in the order in which they are to be tried. Usually these are
 * of its own run. If none of these shares half of the blocks (a run's first checkpoint, or one after references), it is
 * the checkpoint of the repository that saves most bytes of a sample of blocks, if it saves at least an eighth. Reads
 * those blocks; rejects with the errors of catalog, store and core.
 */
export async function ancestorsOfExact(
  work: ExactLineage,
  plan: CodingPlan,
  own: readonly AncestorCandidate[],
): Promise<readonly AncestorCandidate[]> {
  if (await hasLineage(work, plan, own)) return work.reusableBase.behind(plan, own);
  const sample = sampleOf(work, plan);
  if (sample.length === 0) return own;
  const alone = await codedBytes(work, sample);
  let best: { readonly candidate: AncestorCandidate; readonly bytes: number } | undefined;
  // Candidates of the own run come first: they win a tie.
  for (const candidate of [...own, ...(await candidatesElsewhere(work.catalog, work.run, own[0]?.checkpoint))]) {
    const bytes = await bytesBehind(work, { plan, sample, candidate });
    if (bytes !== undefined && bytes < (best?.bytes ?? alone)) best = { candidate, bytes };
  }
  return best !== undefined && best.bytes <= (1 - savedShareMin) * alone ? [best.candidate] : own;
}

/**
 * Whether the run has a checkpoint that shares half of the plan's blocks, or has a chain so long that a base is due.
 */
async function hasLineage(work: ExactLineage, plan: CodingPlan, own: readonly AncestorCandidate[]): Promise<boolean> {
  const { catalog, chainLengthMax } = work;
  for (const candidate of own) {
    const { packageId } = candidate.checkpoint;
    const stored = packageId === undefined ? undefined : await catalog.packages.get(packageId);
    if (stored !== undefined && stored.chainLength >= chainLengthMax) return true;
    if (await ignoringDamage(() => coversEnough(work, candidate, plan))) return true;
  }
  return false;
}

async function coversEnough(work: ExactLineage, candidate: AncestorCandidate, plan: CodingPlan): Promise<boolean> {
  const ancestor = await work.ancestors.open(candidate, plan);
  return ancestor !== undefined && (await coverageOf(ancestor, work.signal)) >= coverageEnough;
}

/**
 * Exact blocks, spread evenly over the bytes to store; always the same ones for the same upload. Empty if there is
 * little to store.
 */
function sampleOf(work: ExactLineage, plan: CodingPlan): BlockPlace[] {
  const references = expectedReferences(work, plan);
  const places: { readonly place: BlockPlace; readonly endBytes: number }[] = [];
  let bytes = 0;
  for (const [file, { blocks }] of plan.files.entries()) {
    if (references.has(file)) continue;
    const { sizeBytes } = work.source.files[file]!;
    const elements = blocks.reduce((sum, { elementCount }) => sum + elementCount, 0);
    for (const [index, block] of blocks.entries()) {
      if (block.coding.kind !== 'exact') continue;
      // Every element of a file has the same weight: it makes no difference here which dtypes are wider.
      bytes += (sizeBytes * block.elementCount) / elements;
      places.push({ place: { file, index, block }, endBytes: bytes });
    }
  }
  if (bytes < lookBytesMin) return [];
  const chosen = new Set<BlockPlace>();
  for (let i = 0; i < sampleBlocksMax; i++) {
    const at = ((i + 0.5) / sampleBlocksMax) * bytes;
    chosen.add(places.find(({ endBytes }) => endBytes > at)!.place);
  }
  return [...chosen];
}

interface SampleBehind {
  readonly plan: CodingPlan;
  readonly sample: readonly BlockPlace[];
  readonly candidate: AncestorCandidate;
}

/**
 * Bytes of the sample, coded against a candidate; undefined if the candidate shares nothing, has no room for another
 * package, or cannot be read.
 */
function bytesBehind(work: ExactLineage, { plan, sample, candidate }: SampleBehind): Promise<number | undefined> {
  return ignoringDamage(async () => {
    const ancestor = await work.ancestors.open(candidate, plan);
    if (ancestor === undefined) return undefined;
    const { plan: keeping } = await ancestor.keeping(work.signal);
    const inheritedShare = ({ file, block }: BlockPlace): number =>
      inheritedElements(keeping, file, block) / block.elementCount;
    if (!sample.some((at) => ancestor.hasBlock(at.file, at.index) || inheritedShare(at) > 0)) return undefined;
    return codedBytes(work, sample, { ancestor, share: (at) => 1 - inheritedShare(at) });
  });
}

function inheritedElements({ files }: CodingPlan, file: number, { segments }: BlockPlace['block']): number {
  return segments.reduce(
    (sum, { tensor, elementCount }) => sum + (files[file]!.codings[tensor]!.kind === 'inherited' ? elementCount : 0),
    0,
  );
}

interface CodedBehind {
  readonly ancestor: Ancestor;
  /** Share of a block that has to be stored. */
  readonly share: (at: BlockPlace) => number;
}

async function codedBytes(work: ExactLineage, sample: readonly BlockPlace[], behind?: CodedBehind): Promise<number> {
  const { source, core, signal, parallel } = work;
  const ancestor = behind?.ancestor;
  const sizeOf = async (at: BlockPlace): Promise<number> => {
    if (at.block.coding.kind !== 'exact') throw new TypeError('not an exact block');
    const share = behind?.share(at) ?? 1;
    return share === 0
      ? 0
      : share * (await encodeExact({ source, ancestor }, core, at, at.block.coding.elementKind, signal)).length;
  };
  let bytes = 0;
  for await (const size of mapBounded(sample, parallel, sizeOf)) bytes += size;
  return bytes;
}

/** Undefined if stored bytes are damaged: nothing builds on those. */
async function ignoringDamage<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}
