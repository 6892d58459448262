import type { BlockWalk } from '../../restore/chain/decoders/block-decoder.ts';
import type { PlannedBlock } from '../../package/blocks/block-plan.ts';
import type { PackageIndex } from '../../package/package-index.ts';
import { codingRuleOf } from '../../package/codings/all-codings.ts';
import type { BlockReader } from '../../restore/chain/block-reader.ts';
import type { ChainLink, PackageChain } from '../../restore/chain/package-chain.ts';

/** One block in all checkpoints that are to be merged. */
export interface SharedBlock {
  readonly file: string;
  /** Number of the block in the last checkpoint. */
  readonly last: number;
  readonly planned: PlannedBlock;
}

/**
 * Consecutive checkpoints of one chain, opened for merging. `chain` ends with the last of them and stays open while
 * this is in use. It must not cache blocks between reads, because the symbols of every checkpoint are read.
 */
export class MergedPackageSource {
  /** Oldest first. */
  readonly links: readonly ChainLink[];
  readonly ancestor: PackageIndex;
  private readonly chain: PackageChain;

  constructor(chain: PackageChain, width: number) {
    this.chain = chain;
    this.links = chain.links.slice(0, width).reverse();
    this.ancestor = chain.links[width]!.package.index;
  }

  get indexes(): readonly PackageIndex[] {
    return this.links.map((link) => link.package.index);
  }

  /**
   * Every block that a merged package shares, in the order of the first checkpoint's files and blocks; undefined if the
   * checkpoints do not have the same ones.
   */
  sharedBlocks(): readonly SharedBlock[] | undefined {
    const [first] = this.links;
    const shared: SharedBlock[] = [];
    for (const [fileNumber, { path, content }] of first!.package.index.files.entries()) {
      if (content.type !== 'safetensors') continue;
      const numbers = this.numbersInLast(path);
      for (const [number, planned] of first!.package.plan(fileNumber)!.blocks.entries()) {
        if (!codingRuleOf(planned.coding).isShared) continue;
        const last = numbers.get(number);
        if (last === undefined) return undefined;
        shared.push({ file: path, last, planned });
      }
    }
    return this.links.every((link) => sharedBlockCount(link) === shared.length) ? shared : undefined;
  }

  /** The payloads of a block in those checkpoints. Rejects with `corrupt-package` and the errors of the store. */
  async payloads(block: SharedBlock, signal?: AbortSignal): Promise<Uint8Array[]> {
    const { steps } = this.walk(block);
    return Promise.all(
      steps
        .slice(0, this.links.length)
        .reverse()
        .map((step) => step.payload(signal)),
    );
  }

  /** The way to a block of the last checkpoint, which goes through all of them. */
  walk(block: SharedBlock): BlockWalk {
    return this.reader(block.file).walk(block.last);
  }

  private reader(path: string): BlockReader {
    return this.chain.blocks(path);
  }

  /** Maps the number of a block in the first checkpoint to its number in the last one. */
  private numbersInLast(path: string): Map<number, number> {
    const reader = this.reader(path);
    const numbers = new Map<number, number>();
    for (const [number, { coding }] of reader.file.plan.blocks.entries()) {
      const first = codingRuleOf(coding).isShared ? reader.earlierBlock(number, this.links.length - 1) : undefined;
      // The first checkpoint's block needs a previous block, too: contexts come from it.
      if (first !== undefined && reader.earlierBlock(number, this.links.length) !== undefined)
        numbers.set(first, number);
    }
    return numbers;
  }
}

function sharedBlockCount({ package: owner }: ChainLink): number {
  const blocks = owner.index.files.flatMap(({ content }, number) =>
    content.type === 'safetensors' ? owner.plan(number)!.blocks : [],
  );
  return blocks.filter(({ coding }) => codingRuleOf(coding).isShared).length;
}
