import type {
  CachedSymbols,
  ContextCounts,
  ContextTables,
  ElementsOptions,
  LatticeState,
  NativeCore,
  QuantizedBlock,
  ResidualBlock,
  WeightBlock,
} from '../../../native/core.ts';
import { SymbolsGoneError } from '../../../native/check/native-status.ts';
import {
  blockOrigins,
  blockSlots,
  contextSegments,
  inOwnUnits,
  latticeBlock,
  latticeSegments,
  placedState,
  type ResidualFile,
} from '../../../package/blocks/residual-block.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import { previousChain, previousState } from './lattice/previous-state.ts';
import { gptqTargets, type Rounding } from './lattice/gptq-targets.ts';
import type { GramMatrices } from '../gram-matrices.ts';
import { BlockMemory } from '../../../restore/block-memory.ts';
import type { ModelSource, WeightsOptions } from '../../upload/model-source.ts';
import type { ModelSymbols } from './lattice/symbol-cache.ts';
import type { BlockNames } from './held-names.ts';
import type { BlockPlace } from '../../../package/blocks/block-plan.ts';

export interface ResidualCoderParts {
  readonly source: ModelSource;
  readonly ancestor: Ancestor | undefined;
  readonly core: NativeCore;
  /** Absent if the inputs of no matrix were measured. */
  readonly gramMatrices?: GramMatrices | undefined;
  /** Factor for a tensor's gradients when they weigh errors. */
  readonly gradientScale: (file: number, tensor: number) => number;
  readonly modelSymbols: ModelSymbols;
  /** Whether errors are also summed with equal weights, for a bound on the weights. */
  readonly sumsPlainErrors?: boolean;
  /** Absent without a device. */
  readonly names?: BlockNames | undefined;
}

/** How a block is rounded. */
export interface BlockRounding {
  /** Dead zone of tensors without GPTQ, in 1/256 steps. */
  readonly deadZone: number;
  /** Rounding of tensors with GPTQ, by tensor number. */
  readonly ofTensor: (tensor: number) => Rounding;
  /**
   * Rates of moves, by context (ContextCounts.symbolRates); without them every move has the rate that the dead zone
   * implies.
   */
  readonly rates?: Uint8Array | undefined;
}

/** Results of one pass over a block. */
export interface BlockFindings extends Pick<QuantizedBlock, 'statistics' | 'errors' | 'plainErrors'> {
  /** Number of elements with a previous value to compare with. */
  readonly compared: number;
}

/**
 * Quantizes the blocks of one quantized model, each against its ancestors, and stores them. Caches symbols as far as
 * there is room.
 */
export class ResidualCoder {
  private readonly parts: ResidualCoderParts;
  /** For starting values and targets of blocks in work. */
  private readonly memory = new BlockMemory();

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
    const { modelSymbols, core, sumsPlainErrors: plain = false } = this.parts;
    const key = keyOf(at);
    modelSymbols.delete(key);
    return this.withBlock(
      file,
      at,
      rounding,
      async (block, compared) => {
        const { statistics, errors, plainErrors, symbols } = await core.residualQuantize(
          block,
          { counts, keep: modelSymbols.hasRoom, plain },
          signal,
        );
        if (symbols !== undefined) modelSymbols.set(key, symbols);
        return { statistics, errors, plainErrors, compared };
      },
      { signal },
    );
  }

  /**
   * Sums for a block's errors (native/lattice-error.ts), in which each weight counts alike. The counts added to
   * `counts` are to be ignored.
   */
  async errors(
    file: ResidualFile,
    at: BlockPlace,
    rounding: BlockRounding,
    counts: ContextCounts,
    signal?: AbortSignal,
  ): Promise<Float64Array> {
    const measure = async (block: ResidualBlock): Promise<Float64Array> =>
      (await this.parts.core.residualQuantize(block, { counts, keep: false }, signal)).errors;
    return this.withBlock(file, at, rounding, measure, { gradients: false, signal });
  }

  /** Counts the symbols of a block that was quantized in the same way before; false if they are no longer cached. */
  async count(file: ResidualFile, at: BlockPlace, counts: ContextCounts, signal?: AbortSignal): Promise<boolean> {
    const { core } = this.parts;
    const counted = await this.withSymbols(at, async (symbols) => {
      await core.countCachedSymbols(symbols, contextSegments(file, at.block), counts, signal);
      return true;
    });
    return counted === true;
  }

  /** The payload of a block, rounded as in its last quantization. */
  async payload(
    file: ResidualFile,
    at: BlockPlace,
    rounding: BlockRounding,
    tables: ContextTables,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const { core } = this.parts;
    const payload = await this.withSymbols(at, (symbols) =>
      core.encodeCachedSymbols(symbols, contextSegments(file, at.block), tables, signal),
    );
    if (payload !== undefined) return payload;
    return this.withBlock(file, at, rounding, (block) => core.residualEncode(block, tables, signal), {
      gradients: false,
      signal,
    });
  }

  /** The rebuilt elements of a block, rounded as in its last quantization. */
  async elements(
    file: ResidualFile,
    at: BlockPlace,
    rounding: BlockRounding,
    options: ElementsOptions,
  ): Promise<Uint8Array> {
    if (at.block.coding.kind !== 'residual') throw new TypeError('not a residual block');
    const { dtype } = at.block.coding;
    const { core, modelSymbols } = this.parts;
    // Symbols are looked up after the wait: another model may take the room meanwhile.
    const start = modelSymbols.has(keyOf(at)) ? await this.behind(file, at, options.signal) : undefined;
    const after = start && { ...start, held: this.parts.names?.block(at) };
    const elements =
      after && (await this.withSymbols(at, (symbols) => core.residualMovedElements(symbols, after, dtype, options)));
    if (elements !== undefined) return elements;
    return this.withBlock(file, at, rounding, (block) => core.residualCodedElements(block, dtype, options), {
      gradients: false,
      signal: options.signal,
    });
  }

  /** Calls `use` with a block's cached symbols; undefined if there are none, or a device has lost them. */
  private async withSymbols<T>(at: BlockPlace, use: (symbols: CachedSymbols) => Promise<T>): Promise<T | undefined> {
    const { modelSymbols } = this.parts;
    const symbols = modelSymbols.get(keyOf(at));
    if (symbols === undefined) return undefined;
    try {
      return await use(symbols);
    } catch (error) {
      if (!(error instanceof SymbolsGoneError)) throw error;
      if (modelSymbols.get(keyOf(at)) === symbols) modelSymbols.delete(keyOf(at));
      return undefined;
    }
  }

  /**
   * Calls `use` with a block in the core's form, and with the number of its elements that have a previous value. The
   * block is valid only until `use` ends. Only errors depend on gradients.
   */
  private withBlock<T>(
    file: ResidualFile,
    at: BlockPlace,
    rounding: BlockRounding,
    use: (block: ResidualBlock, compared: number) => Promise<T>,
    options: WeightsOptions,
  ) {
    const { source, gradientScale } = this.parts;
    const work = async (pair: WeightBlock): Promise<T> => {
      const { chain, segments, targets, along, isFirst } = await this.start(file, at, rounding, pair, options.signal);
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
        rounding: along,
        gradientScales: scales,
        held: this.parts.names?.block(at),
      };
      try {
        return await use(block, isFirst ? 0 : at.block.elementCount);
      } finally {
        if (!(chain.start instanceof Int32Array)) this.memory.give(chain.start.activity);
        if (targets !== undefined) this.memory.give(targets);
      }
    };
    return source.withWeights(at.file, at.block, work, options);
  }

  /**
   * The starting values of a block, and the targets of its weights if GPTQ changes them; or `along`, how the core finds
   * these itself, where a device may.
   */
  private async start(
    file: ResidualFile,
    at: BlockPlace,
    { ofTensor, rates }: BlockRounding,
    { weights, weightDtype: dtype }: WeightBlock,
    signal?: AbortSignal,
  ) {
    const { core, ancestor, gramMatrices, names } = this.parts;
    const places = gramMatrices?.[at.file];
    if (places === undefined || !at.block.segments.some(({ tensor }) => places.has(tensor)))
      return { ...(await this.behind(file, at, signal)), targets: undefined, along: undefined };
    const [segment] = at.block.segments;
    const place = at.block.segments.length === 1 ? places.get(segment!.tensor) : undefined;
    if (names !== undefined && place !== undefined) {
      const factorName = names.factor(place.factor);
      const along = { place, firstElement: segment!.firstElement, ...ofTensor(segment!.tensor), factorName };
      return { ...(await this.behind(file, at, signal)), targets: undefined, along };
    }
    // Targets need the state itself.
    const placed = await this.placed(file, at, signal);
    const previous = placed === undefined ? await previousState(ancestor, at, signal) : undefined;
    const lattice =
      placed === undefined
        ? latticeBlock(file, at.block, previous, this.memory)
        : { segments: inOwnUnits(latticeSegments(file, at.block)), previous: placed };
    const isFirst = (placed ?? previous) === undefined;
    const priced = isFirst ? undefined : rates;
    const targets = await gptqTargets(
      core,
      {
        block: at.block,
        lattice,
        weights,
        dtype,
        places,
        roundingOf: ofTensor,
        symbolRates: priced,
        heldOf: names && ((number, factor) => names.segment(at, number, factor)),
      },
      { signal, memory: this.memory },
    );
    const chain = { links: [], start: lattice.previous };
    return { chain, segments: lattice.segments, targets, along: undefined, isFirst };
  }

  /**
   * A block's parameters and its starting values: the chain of its ancestors; or, in its tensors' own units, the
   * ancestor's elements or the origins of its tensors. `isFirst`: these origins.
   */
  private async behind(
    file: ResidualFile,
    at: BlockPlace,
    signal?: AbortSignal,
  ): Promise<Pick<ResidualBlock, 'segments' | 'chain'> & { readonly isFirst: boolean }> {
    const segments = latticeSegments(file, at.block);
    const before = await previousChain(this.parts.ancestor, at, signal);
    if (before !== undefined) return { segments, chain: before, isFirst: false };
    const placed = await this.placed(file, at, signal);
    return {
      segments: inOwnUnits(segments),
      chain: { links: [], start: placed ?? blockOrigins(file, at.block) },
      isFirst: placed === undefined,
    };
  }

  /** The state of a block that starts from exact elements of the ancestor; undefined for other blocks. */
  private async placed(
    file: ResidualFile,
    { file: number, index, block }: BlockPlace,
    signal?: AbortSignal,
  ): Promise<LatticeState | undefined> {
    const { core, ancestor } = this.parts;
    const elements = await ancestor?.gatheredElements(number, index, signal);
    return elements && placedState(core, elements, { file, block }, signal);
  }
}

function keyOf({ file, index }: BlockPlace): string {
  return `${file} ${index}`;
}
