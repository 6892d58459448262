import type { AncestorCandidate } from './find-ancestor.ts';

/**
 * Trials that searches behind ancestors leave to one as a base, which then has to pass: what is stored exact takes more
 * than any base.
 */
const keptForBase = 4;

interface Counted {
  /** What a search may use; the same when it is repeated, so that it takes the same way. */
  readonly allowance: number;
  readonly trialCount: number;
}

/**
 * Trials of all searches of one try at a checkpoint, by what they built on: one that is repeated asks for what it
 * knows. Together at most `trialsMax`.
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

  /** Most trials of a search behind an ancestor, or as a base; may be 0 for an ancestor. */
  allowance(ancestor: AncestorCandidate | undefined): number {
    const known = this.counts.get(keyOf(ancestor));
    if (known !== undefined) return known.allowance;
    const kept = ancestor === undefined || this.counts.has(undefined) ? 0 : keptForBase;
    return Math.max(0, this.trialsMax - this.total - kept);
  }

  /** Counts a search as it ended. */
  add(ancestor: AncestorCandidate | undefined, trialCount: number): void {
    this.counts.set(keyOf(ancestor), { allowance: this.allowance(ancestor), trialCount });
  }
}

function keyOf(ancestor: AncestorCandidate | undefined): string | undefined {
  return ancestor?.checkpoint.id;
}
