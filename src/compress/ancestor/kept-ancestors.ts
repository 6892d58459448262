import type { Namesakes } from '../../package/tensor-place.ts';
import type { PackageChain } from '../../restore/chain/package-chain.ts';
import { Ancestor } from './ancestor.ts';
import type { AncestorUpload } from './ancestor-upload.ts';
import { findNamesakes } from './find-namesakes.ts';
import type { ModelSource } from '../upload/model-source.ts';
import type { CodingPlan } from '../plan/plan-codings.ts';

/**
 * Most ancestors kept open: those that one choice compares, three estimated ones and the base to reuse. Each takes the
 * indexes of its chain, most of which the chains share.
 */
const keptMax = 4;

/** What is open of a stored checkpoint. */
export interface OpenedChain {
  readonly chain: PackageChain;
  /** See {@link Ancestor.upload}. */
  readonly upload?: AncestorUpload | undefined;
}

interface Kept extends OpenedChain {
  namesakes?: readonly Namesakes[];
  known?: { readonly plan: CodingPlan; readonly ancestor: Ancestor };
}

/**
 * The ancestors that an encode opened last; their chains stay open until newer ones take their place. A search that
 * returns to an ancestor gets the same object, by which its method finds what it computed behind it. Close them at the
 * end.
 */
export class KeptAncestors {
  readonly #source: ModelSource;
  readonly #signal: AbortSignal | undefined;
  /** By package, the one requested last at the end. */
  readonly #kept = new Map<string, Kept>();

  constructor(source: ModelSource, signal?: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  /**
   * The stored checkpoint of a package, matched to the blocks of `plan`: the same object as before while it is kept and
   * the plan is the same. Undefined if `open` returns nothing; rejects with the errors of `open` and `findNamesakes`.
   */
  async along(
    packageId: string,
    plan: CodingPlan,
    open: () => Promise<OpenedChain | undefined>,
  ): Promise<Ancestor | undefined> {
    const kept = this.#kept.get(packageId) ?? (await this.#opened(open));
    if (kept === undefined) return undefined;
    this.#kept.delete(packageId);
    this.#kept.set(packageId, kept);
    const { files } = this.#source;
    if (kept.known?.plan === plan) return kept.known.ancestor;
    let ancestor = new Ancestor(kept.chain, files, plan, kept.namesakes, kept.upload);
    if (kept.namesakes === undefined) {
      kept.namesakes = await findNamesakes(files, ancestor, this.#signal);
      // Blocks are matched again only if tensors were renamed.
      if (kept.namesakes.some(({ size }) => size > 0))
        ancestor = new Ancestor(kept.chain, files, plan, kept.namesakes, kept.upload);
    }
    kept.known = { plan, ancestor };
    return ancestor;
  }

  /** Closes one, which is opened anew when it is requested again. */
  async forget(packageId: string): Promise<void> {
    const kept = this.#kept.get(packageId);
    this.#kept.delete(packageId);
    if (kept !== undefined) await closeChain(kept);
  }

  async close(): Promise<void> {
    const all = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.all(all.map(closeChain));
  }

  async #opened(open: () => Promise<OpenedChain | undefined>): Promise<Kept | undefined> {
    while (this.#kept.size >= keptMax) {
      const [packageId, oldest] = this.#kept.entries().next().value!;
      this.#kept.delete(packageId);
      await closeChain(oldest);
    }
    const opened = await open();
    return opened && { ...opened };
  }
}

async function closeChain({ chain, upload }: OpenedChain): Promise<void> {
  await chain.close();
  await upload?.close();
}
