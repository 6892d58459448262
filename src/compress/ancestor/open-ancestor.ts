import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import type { PackageChain } from '../../restore/chain/package-chain.ts';
import type { Ancestor } from './ancestor.ts';
import type { EncodeAttempt } from '../encode-attempt.ts';
import type { AncestorCandidate } from './find-ancestor.ts';
import type { CodingPlan } from '../plan/plan-codings.ts';

/** The ancestor chosen for a plan; its chain is open until the attempt looks at another. */
export interface OpenedAncestor {
  readonly candidate: AncestorCandidate;
  readonly ancestor: Ancestor;
}

/** What reading a damaged or missing package gives. */
const damageCodes: ReadonlySet<FirnErrorCode> = new Set<FirnErrorCode>(['corrupt-package', 'corrupt-object', 'not-found', 'unsupported-format']);

/** A candidate that shares this much of the plan is taken without a look at farther ones: one whose files are references to others' shares little or nothing. */
export const coverageEnough = 0.5;

/**
 * Runs `work` with the nearest candidate that shares blocks with the plan, most of them where there is one, and whose chain has room for another; without one where there is none. A
 * candidate that cannot be read is passed over, and work that meets damage is done once more without an ancestor: damaged bytes of one checkpoint
 * must not keep the later ones of its run from being stored. Rejects with the errors of catalog, store and `work`.
 */
export async function withAncestor<T>(
  attempt: EncodeAttempt,
  candidates: readonly AncestorCandidate[],
  plan: CodingPlan,
  work: (opened: OpenedAncestor | undefined) => Promise<T>,
): Promise<T> {
  let best: { readonly candidate: AncestorCandidate; readonly coverage: number } | undefined;
  for (const candidate of candidates) {
    try {
      const ancestor = await openAncestor(attempt, candidate, plan);
      const coverage = ancestor === undefined ? 0 : await coverageOf(ancestor, attempt.signal);
      if (ancestor !== undefined && coverage >= coverageEnough) return await work({ candidate, ancestor });
      if (coverage > (best?.coverage ?? 0)) best = { candidate, coverage };
    } catch (error) {
      if (!isDamage(error)) throw error;
      attempt.warn(cannotBeRead(candidate));
      return work(undefined);
    }
  }
  if (best === undefined) return work(undefined);
  try {
    return await work({ candidate: best.candidate, ancestor: (await openAncestor(attempt, best.candidate, plan))! });
  } catch (error) {
    if (!isDamage(error)) throw error;
    attempt.warn(cannotBeRead(best.candidate));
    return work(undefined);
  }
}

/** Share of the plan that an ancestor has a counterpart for; what has other names there counts where blocks alone are not enough. Rejects with the errors of restore. */
export async function coverageOf(ancestor: Ancestor, signal: AbortSignal): Promise<number> {
  const coverage = ancestor.coverage();
  return coverage >= coverageEnough ? coverage : (await ancestor.keeping(signal)).coverage();
}

/** A candidate along the plan's blocks, open until another is. Undefined when its chain has no room for another package or cannot be read. Rejects with the errors of catalog and store. */
export async function openAncestor(attempt: EncodeAttempt, candidate: AncestorCandidate, plan: CodingPlan): Promise<Ancestor | undefined> {
  const { packageId } = candidate.checkpoint;
  return packageId === undefined ? undefined : attempt.lastAncestor.along(packageId, plan, () => openChain(attempt, candidate, packageId));
}

async function openChain({ ctx, signal, warn }: EncodeAttempt, candidate: AncestorCandidate, packageId: string): Promise<PackageChain | undefined> {
  try {
    const packages = await ctx.catalog.packages.chain(packageId);
    // Asked for, since blocks of it may be in memory, whole, and the chain would have none to read from later.
    if ((await ctx.catalog.damage.among(packages.map(({ key }) => key))).length > 0) {
      warn(cannotBeRead(candidate));
      return undefined;
    }
    return packages.length >= ctx.chainLengthMax ? undefined : await ctx.restorer.open(packages, signal);
  } catch (error) {
    if (!isDamage(error)) throw error;
    warn(cannotBeRead(candidate));
    return undefined;
  }
}

/** Whether stored bytes are damaged or missing. */
export function isDamage(error: unknown): boolean {
  return error instanceof FirnError && damageCodes.has(error.code);
}

function cannotBeRead({ run, checkpoint }: AncestorCandidate): string {
  return `What is stored of ${run.name}@${checkpoint.step} could not be read, so this checkpoint does not build on it.`;
}
