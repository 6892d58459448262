import type {
  ContextCounts,
  ContextTables,
  ElementsOptions,
  NativeCore,
  QuantizedBlock,
  ResidualBlock,
  WeightBlock,
} from '../../../native/core.ts';
import {
  blockOrigins,
  blockSlots,
  contextSegments,
  latticeBlock,
  latticeSegments,
  type ResidualFile,
} from '../../../package/blocks/residual-block.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import { previousChain, previousState } from './lattice/previous-state.ts';
import { gptqTargets, type Rounding } from './lattice/gptq-targets.ts';
import type { GramMatrices } from '../gram-matrices.ts';
import type { ModelSource } from '../../upload/model-source.ts';
import type { ModelSymbols } from './lattice/symbol-cache.ts';
import type { BlockPlace } from '../../../package/blocks/block-plan.ts';

export interface ResidualCoderParts {
  readonly source: ModelSource;
  readonly ancestor: Ancestor | undefined;
  readonly core: NativeCore;
  /** Absent where the inputs of no matrix were measured. */
  readonly gramMatrices?: GramMatrices | undefined;
  /** What gradients of a tensor are multiplied with for weighing errors. */
  readonly gradientScale: (file: number, tensor: number) => number;
  readonly modelSymbols: ModelSymbols;
}

/** How a block is rounded. */
export interface BlockRounding {
  /** Of tensors without GPTQ, in 1/256 steps. */
  readonly deadZone: number;
  /** Of those with it, by tensor number. */
  readonly ofTensor: (tensor: number) => Rounding;
  /**
   * Of moves, by context (ContextCounts.symbolRates); without them every move has the rate that the dead zone says.
   */
  readonly rates?: Uint8Array | undefined;
}

/** What one pass over a block told. */
export interface BlockFindings extends Pick<QuantizedBlock, 'statistics' | 'errors'> {
  /** Elements with something before them to be compared with. */
  readonly compared: number;
}

/**
 * Quantizes the blocks of one quantized model, each behind its ancestors, and stores them. Caches the symbols of as
 * many as there is room for.
 */
export class ResidualCoder {
  private readonly parts: ResidualCoderParts;

  constructor(parts: ResidualCoderParts) {
    this.parts = parts;
  }

  /** Quantizes a block, counts its symbols, and measures it. */
  async quantize(
    file: ResidualFile,
    at: BlockPlace,
    rounding: BlockRounding,
    counts: ContextCounts,
    signal?: AbortSignal,
  ): Promise<BlockFindings> {
    const { modelSymbols, core } = this.parts;
    const key = keyOf(at);
    modelSymbols.delete(key);
    return this.withBlock(
      file,
      at,
      rounding,
      async (block, compared) => {
        const { statistics, errors, symbols } = await core.residualQuantize(
          block,
          { counts, keep: modelSymbols.hasRoom },
          signal,
        );
        if (symbols !== undefined) modelSymbols.set(key, symbols);
        return { statistics, errors, compared };
      },
      signal,
    );
  }

  /**
   * Sums that a block's errors follow from (native/lattice-error.ts), each weight counting alike. What `counts`
   * receives is of no use.
   */
  async errors(
    file: ResidualFile,
    at: BlockPlace,
    rounding: BlockRounding,
    counts: ContextCounts,
    signal?: AbortSignal,
  ): Promise<Float64Array> {
    const measure = async ({
      gradients: _,
      gradientDtype: __,
      gradientScales: ___,
      ...block
    }: ResidualBlock): Promise<Float64Array> =>
      (await this.parts.core.residualQuantize(block, { counts, keep: false }, signal)).errors;
    return this.withBlock(file, at, rounding, measure, signal);
  }

  /** Counts the symbols of a block that was quantized in the same way before; false when they were not kept. */
  async count(file: ResidualFile, at: BlockPlace, counts: ContextCounts, signal?: AbortSignal): Promise<boolean> {
    const { modelSymbols, core } = this.parts;
    const symbols = modelSymbols.get(keyOf(at));
    if (symbols === undefined) return false;
    await core.countCachedSymbols(symbols, contextSegments(file, at.block), counts, signal);
    return true;
  }

  /** The payload of a block that is rounded as it was quantized last. */
  async payload(
    file: ResidualFile,
    at: BlockPlace,
    rounding: BlockRounding,
    tables: ContextTables,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const { modelSymbols, core } = this.parts;
    const symbols = modelSymbols.get(keyOf(at));
    if (symbols !== undefined)
      return core.encodeCachedSymbols(symbols, contextSegments(file, at.block), tables, signal);
    return this.withBlock(file, at, rounding, (block) => core.residualEncode(block, tables, signal), signal);
  }

  /** What a block is rebuilt to, rounded as it was quantized last. */
  async elements(
    file: ResidualFile,
    at: BlockPlace,
    rounding: BlockRounding,
    options: ElementsOptions,
  ): Promise<Uint8Array> {
    if (at.block.coding.kind !== 'residual') throw new TypeError('not a residual block');
    const { dtype } = at.block.coding;
    const { core, modelSymbols, ancestor } = this.parts;
    // Looked up after the wait: another form may take the room meanwhile.
    const before = modelSymbols.has(keyOf(at)) ? await previousChain(ancestor, at, options.signal) : undefined;
    const symbols = modelSymbols.get(keyOf(at));
    if (symbols !== undefined) return core.residualMovedElements(symbols, behind(file, at, before), dtype, options);
    return this.withBlock(
      file,
      at,
      rounding,
      (block) => core.residualCodedElements(block, dtype, options),
      options.signal,
    );
  }

  /** What `use` makes of a block as the core takes it, and of how many of its elements have something before them. */
  private withBlock<T>(
    file: ResidualFile,
    at: BlockPlace,
    rounding: BlockRounding,
    use: (block: ResidualBlock, compared: number) => Promise<T>,
    signal?: AbortSignal,
  ) {
    const { source, gradientScale } = this.parts;
    const work = async (pair: WeightBlock): Promise<T> => {
      const { chain, segments, targets, isFirst } = await this.start(file, at, rounding, pair, signal);
      const scales =
        pair.gradients && Float32Array.from(at.block.segments, ({ tensor }) => gradientScale(at.file, tensor));
      const slots = blockSlots(file, at.block);
      const block = {
        ...pair,
        chain,
        segments,
        slots,
        deadZone: rounding.deadZone,
        rates: isFirst ? undefined : rounding.rates,
        targets,
        gradientScales: scales,
      };
      return use(block, isFirst ? 0 : at.block.elementCount);
    };
    return source.withWeights(at.file, at.block, work, signal);
  }

  /** Where a block starts, and where its weights are to move if that is not where they are. */
  private async start(
    file: ResidualFile,
    at: BlockPlace,
    { ofTensor, rates }: BlockRounding,
    { weights, weightDtype: dtype }: WeightBlock,
    signal?: AbortSignal,
  ) {
    const { core, ancestor, gramMatrices } = this.parts;
    const places = gramMatrices?.[at.file];
    if (places === undefined || !at.block.segments.some(({ tensor }) => places.has(tensor))) {
      const before = await previousChain(ancestor, at, signal);
      return { ...behind(file, at, before), targets: undefined, isFirst: before === undefined };
    }
    // Targets need the state itself.
    const previous = await previousState(ancestor, at, signal);
    const lattice = latticeBlock(file, at.block, previous);
    const isFirst = previous === undefined;
    const priced = isFirst ? undefined : rates;
    const targets = await gptqTargets(
      core,
      { block: at.block, lattice, weights, dtype, places, roundingOf: ofTensor, symbolRates: priced },
      signal,
    );
    return { chain: { links: [], start: lattice.previous }, segments: lattice.segments, targets, isFirst };
  }
}

/**
 * A block's parameters and where it starts: behind its ancestors, or at the origins of its tensors, which count in
 * their own units.
 */
function behind(
  file: ResidualFile,
  { block }: BlockPlace,
  before: ResidualBlock['chain'] | undefined,
): Pick<ResidualBlock, 'segments' | 'chain'> {
  const segments = latticeSegments(file, block);
  if (before !== undefined) return { segments, chain: before };
  return {
    segments: segments.map((segment) => ({ ...segment, shift: 0 })),
    chain: { links: [], start: blockOrigins(file, block) },
  };
}

function keyOf({ file, index }: BlockPlace): string {
  return `${file} ${index}`;
}
