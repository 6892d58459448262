import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { isForkOf, type AncestorCandidate } from '../ancestor/find-ancestor.ts';
import { isDamage, type Ancestors } from '../ancestor/open-ancestor.ts';
import { unmovedShare, uploadOf } from '../ancestor/unmoved-share.ts';
import { isQuantized, type CodingPlan } from '../plan/plan-codings.ts';
import type { ModelSource } from '../upload/model-source.ts';

/**
 * If less of the model's bytes did not move, the base is not reused: that saves little, and what moved far takes more
 * than in a new base.
 */
const unmovedShareMin = 1 / 8;

export interface ReusableBaseParts {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly run: Run;
  readonly source: ModelSource;
  readonly ancestors: Ancestors;
  /** Most packages of a chain, including the new one. */
  readonly chainLengthMax: number;
  readonly signal: AbortSignal;
}

/**
 * Finds the base that a checkpoint reuses instead of being stored as one: if a good part of the model did not move, the
 * base of the nearest checkpoint's chain, which holds those tensors
 * (docs/decisions/0049-unmoved-tensors-across-bases.md).
 */
export class ReusableBase {
  readonly #parts: ReusableBaseParts;
  /** By checkpoint: the share that did not move since it was uploaded. */
  readonly #sinceUpload = new Map<string, Promise<number>>();

  constructor(parts: ReusableBaseParts) {
    this.#parts = parts;
  }

  /**
   * The base to reuse for a plan. Undefined if little is unmoved, if the base is of another run that this one is no
   * fork of, or if the bytes to compare with are gone or damaged. Quantized weights are compared with the upload of the
   * nearest candidate, because stored ones are rounded; exact ones with the base itself. Reads the tensors of both;
   * rejects with the errors of catalog and store.
   */
  async find(plan: CodingPlan, [nearest]: readonly AncestorCandidate[]): Promise<AncestorCandidate | undefined> {
    const base = nearest && (await this.#baseOf(nearest));
    if (base === undefined) return undefined;
    try {
      const share = isQuantized(plan) ? await this.#shareSinceUpload(nearest!) : await this.#shareSince(base, plan);
      return share >= unmovedShareMin ? base : undefined;
    } catch (error) {
      if (!isDamage(error)) throw error;
      return undefined;
    }
  }

  /**
   * The candidates, with the base to reuse behind them if the nearest one's chain has no room for another package. For
   * methods that take the first candidate with room. Rejects as `find`.
   */
  async behind(plan: CodingPlan, candidates: readonly AncestorCandidate[]): Promise<readonly AncestorCandidate[]> {
    const { catalog, chainLengthMax } = this.#parts;
    const packageId = candidates[0]?.checkpoint.packageId;
    const stored = packageId === undefined ? undefined : await catalog.packages.get(packageId);
    if (stored === undefined || stored.chainLength < chainLengthMax) return candidates;
    const reusable = await this.find(plan, candidates);
    return reusable === undefined ? candidates : [...candidates, reusable];
  }

  /** Undefined for a checkpoint without a package, or if the base is not of the run or one that it was forked from. */
  async #baseOf({ checkpoint: { packageId } }: AncestorCandidate): Promise<AncestorCandidate | undefined> {
    if (packageId === undefined) return undefined;
    const { catalog, run } = this.#parts;
    const base = (await catalog.packages.chain(packageId)).at(-1)!;
    const checkpoint = await catalog.checkpoints.get(base.checkpointId);
    const holder = checkpoint && (await catalog.runs.get(checkpoint.runId));
    if (checkpoint === undefined || holder === undefined) return undefined;
    return (await isForkOf(catalog, run, holder.id)) ? { checkpoint, run: holder } : undefined;
  }

  #shareSinceUpload({ checkpoint: { id } }: AncestorCandidate): Promise<number> {
    const known = this.#sinceUpload.get(id) ?? this.#measureSinceUpload(id);
    this.#sinceUpload.set(id, known);
    return known;
  }

  async #measureSinceUpload(checkpointId: string): Promise<number> {
    const { source, signal } = this.#parts;
    return unmovedShare(source.files, await uploadOf(this.#parts, checkpointId), signal);
  }

  async #shareSince(base: AncestorCandidate, plan: CodingPlan): Promise<number> {
    const { ancestors, source, signal } = this.#parts;
    const ancestor = await ancestors.open(base, plan);
    if (ancestor === undefined) return 0;
    return unmovedShare(
      source.files,
      async ({ path }) => ({
        tensorOf: (entry) => ancestor.namesake(path, entry, signal),
        close: async () => undefined,
      }),
      signal,
    );
  }
}
