import type { AncestorCandidate } from './find-ancestor.ts';

/**
 * Trials that searches with an ancestor leave for a search as a base. That search then has to pass: an exact checkpoint
 * takes more bytes than any base.
 */
const keptForBase = 4;

interface Counted {
  /** Most trials of a search; the same when the search is repeated, so that it takes the same path. */
  readonly allowance: number;
  readonly trialCount: number;
}

/**
 * Counts the trials of all searches of one attempt at a checkpoint, by the ancestor they build on. A repeated search
 * reuses its outcomes. Together at most `trialsMax`.
 */
export class TrialCounts {
  private readonly counts = new Map<string | undefined, Counted>();
  private readonly trialsMax: number;

  constructor({ trialsMax }: { readonly trialsMax: number }) {
    this.trialsMax = trialsMax;
  }

  /** Trials of all searches so far. */
  get total(): number {
    return [...this.counts.values()].reduce((sum, { trialCount }) => sum + trialCount, 0);
  }

  /** Most trials of a search with an ancestor, or as a base; may be 0 with an ancestor. */
  allowance(ancestor: AncestorCandidate | undefined): number {
    const known = this.counts.get(keyOf(ancestor));
    if (known !== undefined) return known.allowance;
    const kept = ancestor === undefined || this.counts.has(undefined) ? 0 : keptForBase;
    return Math.max(0, this.trialsMax - this.total - kept);
  }

  /** Counts the trials of a search that has ended. */
  add(ancestor: AncestorCandidate | undefined, trialCount: number): void {
    this.counts.set(keyOf(ancestor), { allowance: this.allowance(ancestor), trialCount });
  }
}

function keyOf(ancestor: AncestorCandidate | undefined): string | undefined {
  return ancestor?.checkpoint.id;
}
