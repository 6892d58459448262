import { FirnError, type FirnErrorCode } from '../checkpoint/firn-error.ts';
import type { PackageChain } from '../restore/package-chain.ts';
import { Ancestor } from './ancestor.ts';
import type { EncodeAttempt } from './encode-attempt.ts';
import type { AncestorCandidate } from './find-ancestor.ts';
import type { CodingPlan } from './plan-codings.ts';

/** The ancestor chosen for a plan, its chain open. Close it. */
export interface OpenedAncestor {
  readonly candidate: AncestorCandidate;
  readonly ancestor: Ancestor;
  close(): Promise<void>;
}

/** What reading a damaged or missing package gives. */
const damageCodes: ReadonlySet<FirnErrorCode> = new Set<FirnErrorCode>(['corrupt-package', 'corrupt-object', 'not-found', 'unsupported-format']);

/** Whether stored bytes could not be read as what they should be: a later checkpoint then does without them. */
export function isDamage(error: unknown): boolean {
  return error instanceof FirnError && damageCodes.has(error.code);
}

/** The nearest candidate that shares blocks with the plan and whose chain has room for another. One that cannot be read is passed over. Rejects with the errors of store and catalog. */
export async function openAncestor(attempt: EncodeAttempt, candidates: readonly AncestorCandidate[], plan: CodingPlan): Promise<OpenedAncestor | undefined> {
  for (const candidate of candidates) {
    try {
      const opened = await openCandidate(attempt, candidate, plan);
      if (opened !== undefined) return opened;
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
  return undefined;
}

async function openCandidate({ ctx, source, signal }: EncodeAttempt, candidate: AncestorCandidate, plan: CodingPlan): Promise<OpenedAncestor | undefined> {
  const { packageId } = candidate.checkpoint;
  if (packageId === undefined) return undefined;
  const packages = await ctx.catalog.packages.chain(packageId);
  if (packages.length >= ctx.chainLengthMax) return undefined;
  const chain = await ctx.restorer.open(packages, signal);
  let ancestor: Ancestor | undefined;
  try {
    ancestor = usableAncestor(chain, source.files, plan);
    return ancestor && { candidate, ancestor, close: () => chain.close() };
  } finally {
    if (ancestor === undefined) await chain.close();
  }
}

function usableAncestor(chain: PackageChain, files: EncodeAttempt['source']['files'], plan: CodingPlan): Ancestor | undefined {
  const ancestor = new Ancestor(chain, files, plan);
  return ancestor.coverage(plan) > 0 ? ancestor : undefined;
}
