import type { Run } from '../../catalog/contract/run-records.ts';
import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import type { Restorer } from '../../restore/restorer.ts';
import type { ModelSource } from '../upload/model-source.ts';
import type { Ancestor } from './ancestor.ts';
import type { AncestorCandidate } from './find-ancestor.ts';
import { AncestorUpload, UploadGone, type UploadParts } from './ancestor-upload.ts';
import { KeptAncestors, type OpenedChain } from './kept-ancestors.ts';
import type { CodingPlan } from '../plan/plan-codings.ts';

/** The ancestor chosen for a plan; its chain stays open until several others are opened. */
export interface OpenedAncestor {
  readonly candidate: AncestorCandidate;
  readonly ancestor: Ancestor;
}

/** Errors from reading a damaged or missing package. */
const damageCodes: ReadonlySet<FirnErrorCode> = new Set<FirnErrorCode>([
  'corrupt-package',
  'corrupt-object',
  'not-found',
  'unsupported-format',
]);

/**
 * A candidate that shares this much of the plan is taken without looking at farther ones. A candidate with references
 * instead of its own blocks shares little or nothing.
 */
export const coverageEnough = 0.5;

export interface AncestorParts extends UploadParts {
  readonly restorer: Restorer;
  /** The run of the new checkpoint. */
  readonly run: Pick<Run, 'repositoryId'>;
  /** Most packages of a chain, including the new one. */
  readonly chainLengthMax: number;
  readonly source: ModelSource;
  readonly signal: AbortSignal;
  readonly warn: (sentence: string) => void;
}

/**
 * Opens stored checkpoints along the plan of a new one. The last few opened stay open until `close`.
 */
export class Ancestors {
  readonly #parts: AncestorParts;
  readonly #kept: KeptAncestors;
  /** Checkpoints whose uploads could not be read. */
  readonly #uploadsGone = new Set<string>();

  constructor(parts: AncestorParts) {
    this.#parts = parts;
    this.#kept = new KeptAncestors(parts.source, parts.signal);
  }

  /**
   * Runs `work` with the nearest candidate that shares at least half of the plan, else with the one that shares most of
   * it, if its chain has room for another package; without one if none shares any. Skips a candidate that cannot be
   * read. If `work` meets damage, repeats it without an ancestor: damaged bytes of one checkpoint must not prevent
   * later ones of its run from being stored. Rejects with the errors of catalog, store and `work`.
   */
  async withBest<T>(
    candidates: readonly AncestorCandidate[],
    plan: CodingPlan,
    work: (opened: OpenedAncestor | undefined) => Promise<T>,
  ): Promise<T> {
    let best: { readonly candidate: AncestorCandidate; readonly coverage: number } | undefined;
    for (const candidate of candidates) {
      try {
        const ancestor = await this.open(candidate, plan);
        const coverage = ancestor === undefined ? 0 : await coverageOf(ancestor, this.#parts.signal);
        if (ancestor !== undefined && coverage >= coverageEnough) return await this.#withUpload(candidate, plan, work);
        if (coverage > (best?.coverage ?? 0)) best = { candidate, coverage };
      } catch (error) {
        if (!isDamage(error)) throw error;
        this.#parts.warn(cannotBeRead(this.#parts.run, candidate));
        return work(undefined);
      }
    }
    if (best === undefined) return work(undefined);
    try {
      return await this.#withUpload(best.candidate, plan, work);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#parts.warn(cannotBeRead(this.#parts.run, best.candidate));
      return work(undefined);
    }
  }

  /** Runs `work` with a candidate that can be opened, once more without its upload if that turns out to be gone. */
  async #withUpload<T>(
    candidate: AncestorCandidate,
    plan: CodingPlan,
    work: (opened: OpenedAncestor) => Promise<T>,
  ): Promise<T> {
    const opened = async (): Promise<OpenedAncestor> => ({ candidate, ancestor: (await this.open(candidate, plan))! });
    try {
      return await work(await opened());
    } catch (error) {
      if (!(error instanceof UploadGone)) throw error;
      const { id, packageId } = candidate.checkpoint;
      this.#uploadsGone.add(id);
      await this.#kept.forget(packageId!);
      return work(await opened());
    }
  }

  /**
   * A candidate matched to the plan's blocks; open until several others are opened. Undefined when its chain has no
   * room for another package or cannot be read. Rejects with the errors of catalog and store.
   */
  async open(candidate: AncestorCandidate, plan: CodingPlan): Promise<Ancestor | undefined> {
    const { packageId } = candidate.checkpoint;
    return packageId === undefined
      ? undefined
      : this.#kept.along(packageId, plan, () => this.#openChain(candidate, packageId));
  }

  close(): Promise<void> {
    return this.#kept.close();
  }

  async #openChain(candidate: AncestorCandidate, packageId: string): Promise<OpenedChain | undefined> {
    const { catalog, restorer, run: own, chainLengthMax, signal, warn } = this.#parts;
    try {
      const packages = await catalog.packages.chain(packageId);
      // The damage record must be checked: blocks of the chain may be in memory, intact, while later reads from the
      // store would fail.
      if ((await catalog.damage.among(packages.map(({ key }) => key))).length > 0) {
        warn(cannotBeRead(own, candidate));
        return undefined;
      }
      if (packages.length >= chainLengthMax) return undefined;
      const chain = await restorer.open(packages, signal);
      try {
        return { chain, upload: await this.#openUpload(candidate) };
      } catch (error) {
        await chain.close();
        throw error;
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      warn(cannotBeRead(own, candidate));
      return undefined;
    }
  }

  /** Without the upload a checkpoint is rounded as if nothing were known of how its weights moved. */
  async #openUpload({ checkpoint }: AncestorCandidate): Promise<AncestorUpload | undefined> {
    if (this.#uploadsGone.has(checkpoint.id)) return undefined;
    try {
      return await AncestorUpload.open(this.#parts, checkpoint.id);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return undefined;
    }
  }
}

/**
 * Share of the plan that has a counterpart in an ancestor. Renamed tensors are looked up only if blocks alone do not
 * suffice. Rejects with the errors of restore.
 */
export async function coverageOf(ancestor: Ancestor, signal: AbortSignal): Promise<number> {
  const coverage = ancestor.coverage();
  return coverage >= coverageEnough ? coverage : (await ancestor.keeping(signal)).coverage();
}

/** Whether stored bytes are damaged or missing. */
export function isDamage(error: unknown): boolean {
  return error instanceof FirnError && damageCodes.has(error.code);
}

/** Who reads the run may not be allowed to see its base model, so that is not named. */
function cannotBeRead({ repositoryId }: AncestorParts['run'], { run, checkpoint }: AncestorCandidate): string {
  const name = run.repositoryId === repositoryId ? `${run.name}@${checkpoint.step}` : 'the base model';
  return `What is stored of ${name} could not be read, so this checkpoint does not build on it.`;
}
