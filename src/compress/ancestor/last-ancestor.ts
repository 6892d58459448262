import type { PackageChain } from '../../restore/chain/package-chain.ts';
import { Ancestor } from './ancestor.ts';
import type { ModelSource } from '../upload/model-source.ts';
import type { CodingPlan } from '../plan/plan-codings.ts';

/**
 * The ancestor that an encode opened last; its chain stays open until another takes its place. The chosen ancestor was
 * usually the last one estimated, so its caches are reused. Close it at the end.
 */
export class LastAncestor {
  readonly #source: ModelSource;
  #last:
    | {
        readonly packageId: string;
        readonly chain: PackageChain;
        known?: { readonly plan: CodingPlan; readonly ancestor: Ancestor };
      }
    | undefined;

  constructor(source: ModelSource) {
    this.#source = source;
  }

  /**
   * The stored checkpoint of a package, matched to the blocks of `plan`: the same object as before if it was requested
   * last. Undefined if `open` returns nothing; rejects with the errors of `open`.
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
    if (last.known?.plan !== plan) last.known = { plan, ancestor: new Ancestor(last.chain, this.#source.files, plan) };
    return last.known.ancestor;
  }

  async close(): Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    await last?.chain.close();
  }
}
