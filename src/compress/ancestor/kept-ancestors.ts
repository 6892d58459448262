import type { Namesakes } from '../../package/tensor-place.ts';
import type { PackageChain } from '../../restore/chain/package-chain.ts';
import { Ancestor } from './ancestor.ts';
import { findNamesakes } from './find-namesakes.ts';
import type { ModelSource } from '../upload/model-source.ts';
import type { CodingPlan } from '../plan/plan-codings.ts';

/**
 * The ancestor that an encode opened last; its chain stays open until another takes its place. The chosen ancestor was
 * usually the last one estimated, so its caches are reused. Close it at the end.
 */
export class LastAncestor {
  readonly #source: ModelSource;
  readonly #signal: AbortSignal | undefined;
  #last:
    | {
        readonly packageId: string;
        readonly chain: PackageChain;
        namesakes?: readonly Namesakes[];
        known?: { readonly plan: CodingPlan; readonly ancestor: Ancestor };
      }
    | undefined;

  constructor(source: ModelSource, signal?: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  /**
   * The stored checkpoint of a package, matched to the blocks of `plan`: the same object as before if it was requested
   * last. Undefined if `open` returns nothing; rejects with the errors of `open` and `findNamesakes`.
   */
  async along(
    packageId: string,
    plan: CodingPlan,
    open: () => Promise<PackageChain | undefined>,
  ): Promise<Ancestor | undefined> {
    if (this.#last?.packageId !== packageId) {
      await this.close();
      const chain = await open();
      if (chain === undefined) return undefined;
      this.#last = { packageId, chain };
    }
    const last = this.#last;
    const { files } = this.#source;
    if (last.known?.plan === plan) return last.known.ancestor;
    let ancestor = new Ancestor(last.chain, files, plan, last.namesakes);
    if (last.namesakes === undefined) {
      last.namesakes = await findNamesakes(files, ancestor, this.#signal);
      // Blocks are matched again only if tensors were renamed.
      if (last.namesakes.some(({ size }) => size > 0)) ancestor = new Ancestor(last.chain, files, plan, last.namesakes);
    }
    last.known = { plan, ancestor };
    return ancestor;
  }

  async close(): Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    await last?.chain.close();
  }
}
