import type { QuantizableDtype } from '../../../checkpoint/dtype.ts';
import type {
  CachedSymbols,
  CodedBlock,
  ContextCounts,
  ContextTables,
  ElementsOptions,
  HeldBlock,
  LatticeState,
  NativeCore,
  QuantizedBlock,
  ResidualBlock,
  SegmentRounding,
  WeightBlock,
} from '../../../native/core.ts';
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
import { blockStart, type BlockStart } from './lattice/block-start.ts';
import { previousChain, previousState } from './lattice/previous-state.ts';
import { gptqTargets, type Rounding } from './lattice/gptq-targets.ts';
import type { TensorMoves } from './steps/measure-moves.ts';
import type { GramMatrices } from '../gram-matrices.ts';
import { BlockMemory } from '../../../restore/block-memory.ts';
import type { ModelSource, WeightsOptions } from '../../upload/model-source.ts';
import type { ModelSymbols } from './lattice/symbol-cache.ts';
import { ifHeld, type BlockNames, type LeftStates } from './held-names.ts';
import type { BlockPlace } from '../../../package/blocks/block-plan.ts';

export interface ResidualCoderParts {
  readonly source: ModelSource;
  readonly ancestor: Ancestor | undefined;
  readonly core: NativeCore;
  /** Absent if the inputs of no matrix were measured. */
  readonly gramMatrices?: GramMatrices | undefined;
  /** Absent if weights before are not known. */
  readonly moves?: TensorMoves | undefined;
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

export interface PayloadOptions {
  readonly tables: ContextTables;
  /** Absent if no device is to hold what blocks leave behind. */
  readonly left?: LeftStates | undefined;
  readonly signal?: AbortSignal | undefined;
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
    const measure = async (block: CodedBlock): Promise<Float64Array> =>
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
    { tables, left: leftStates, signal }: PayloadOptions,
  ): Promise<Uint8Array> {
    const { core, names } = this.parts;
    const { segments, isFirst } = this.startOf(file, at);
    const left = leftStates && { name: leftStates.name(at), isFirst };
    const payload = await this.withSymbols(at, (symbols) =>
      core.encodeCachedSymbols(symbols, contextSegments(file, at.block), tables, {
        left: left && { ...left, before: names!.block(at).state, segments },
        signal,
      }),
    );
    if (payload !== undefined) return payload;
    const encode = (block: CodedBlock): Promise<Uint8Array> => core.residualEncode({ ...block, left }, tables, signal);
    return this.withBlock(file, at, rounding, encode, { gradients: false, signal });
  }

  /** Names for what a package's blocks leave behind on a device; undefined without one. */
  leave(): LeftStates | undefined {
    return this.parts.names?.leave();
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
    const { core, modelSymbols, names } = this.parts;
    const onDevice = await this.elementsOnDevice(file, at, dtype, options);
    if (onDevice !== undefined) return onDevice;
    // Symbols are looked up after the wait: another model may take the room meanwhile.
    const start = modelSymbols.has(keyOf(at)) ? await this.behind(file, at, options.signal) : undefined;
    const after = start && { ...start, held: names?.block(at) };
    const elements =
      after && (await this.withSymbols(at, (symbols) => core.residualMovedElements(symbols, after, dtype, options)));
    if (elements !== undefined) return elements;
    const code = (block: CodedBlock): Promise<Uint8Array> => core.residualCodedElements(block, dtype, options);
    return this.withBlock(file, at, rounding, code, { gradients: false, signal: options.signal });
  }

  /** The same from symbols and a state that a device holds, so that the chain is not read; undefined if it does not. */
  private async elementsOnDevice(
    file: ResidualFile,
    at: BlockPlace,
    dtype: QuantizableDtype,
    options: ElementsOptions,
  ): Promise<Uint8Array | undefined> {
    const { core, modelSymbols, names } = this.parts;
    const symbols = modelSymbols.get(keyOf(at));
    if (names === undefined || symbols?.memoryBytes !== 0) return undefined;
    const { segments } = this.startOf(file, at);
    return ifHeld(() => core.residualMovedElements(symbols, { segments, held: names.block(at) }, dtype, options));
  }

  /** Calls `use` with a block's cached symbols; undefined if there are none, or a device has lost them. */
  private async withSymbols<T>(at: BlockPlace, use: (symbols: CachedSymbols) => Promise<T>): Promise<T | undefined> {
    const { modelSymbols } = this.parts;
    const symbols = modelSymbols.get(keyOf(at));
    if (symbols === undefined) return undefined;
    const found = await ifHeld(() => use(symbols));
    if (found === undefined && modelSymbols.get(keyOf(at)) === symbols) modelSymbols.delete(keyOf(at));
    return found;
  }

  /**
   * Calls `use` with a block in the core's form, and with the number of its elements that have a previous value: first
   * with what a device may hold of it, if it was sent before, so that nothing is read. The block is valid only until
   * `use` ends. Only errors depend on gradients.
   */
  private async withBlock<T>(
    file: ResidualFile,
    at: BlockPlace,
    rounding: BlockRounding,
    use: (block: CodedBlock, compared: number) => Promise<T>,
    options: WeightsOptions,
  ): Promise<T> {
    const { source, names } = this.parts;
    const held = this.heldBlock(file, at, rounding, options);
    if (held !== undefined) {
      const compared = this.startOf(file, at).isFirst ? 0 : at.block.elementCount;
      const found = await ifHeld(() => use(held, compared));
      if (found !== undefined) return found;
      names!.sent(at, false);
    }
    const work = async (pair: WeightBlock): Promise<T> => {
      const { chain, segments, targets, along, isFirst } = await this.start(file, at, rounding, pair, options.signal);
      const block = {
        ...pair,
        chain,
        segments,
        slots: blockSlots(file, at.block),
        deadZone: rounding.deadZone,
        rates: isFirst ? undefined : rounding.rates,
        targets,
        rounding: along,
        gradientScales: pair.gradients && this.gradientScalesOf(at),
        held: names?.block(at),
      };
      try {
        return await use(block, isFirst ? 0 : at.block.elementCount);
      } finally {
        if (!(chain.start instanceof Int32Array)) this.memory.give(chain.start.activity);
        if (targets !== undefined) this.memory.give(targets);
      }
    };
    const done = await source.withWeights(at.file, at.block, work, options);
    names?.sent(at, true);
    return done;
  }

  /**
   * A block of which a device may hold the weights and the state. Undefined if its weights were not sent, and for
   * blocks of several tensors some of which are rounded along their inputs: targets of these are put together here.
   */
  private heldBlock(
    file: ResidualFile,
    at: BlockPlace,
    rounding: BlockRounding,
    { gradients = true }: WeightsOptions,
  ): HeldBlock | undefined {
    const { source, names } = this.parts;
    if (names?.wasSent(at) !== true) return undefined;
    const along = this.alongInputs(at, rounding);
    if (along === 'apart') return undefined;
    const { segments, isFirst } = this.startOf(file, at);
    return {
      weights: undefined,
      weightDtype: source.weightDtype(at.file, at.block),
      chain: isFirst ? { links: [], start: blockOrigins(file, at.block) } : undefined,
      segments,
      slots: blockSlots(file, at.block),
      deadZone: rounding.deadZone,
      rates: isFirst ? undefined : rounding.rates,
      rounding: along,
      gradientScales: gradients && source.hasGradientsOf(at.file, at.block) ? this.gradientScalesOf(at) : undefined,
      held: names.block(at),
    };
  }

  private gradientScalesOf({ file, block }: BlockPlace): Float32Array {
    return Float32Array.from(block.segments, ({ tensor }) => this.parts.gradientScale(file, tensor));
  }

  /**
   * How the core rounds a block along the inputs of its one matrix, where a device may; `apart` if the targets have to
   * be found before; undefined if nothing is rounded so.
   */
  private alongInputs({ file, block }: BlockPlace, { ofTensor }: BlockRounding): SegmentRounding | 'apart' | undefined {
    const { gramMatrices, names, moves } = this.parts;
    const places = gramMatrices?.[file];
    if (places === undefined || !block.segments.some(({ tensor }) => places.has(tensor))) return undefined;
    const [segment] = block.segments;
    const place = block.segments.length === 1 ? places.get(segment!.tensor) : undefined;
    if (names === undefined || place === undefined || moves?.[file]!.has(segment!.tensor) === true) return 'apart';
    const factorName = names.factor(place.factor);
    return { place, firstElement: segment!.firstElement, ...ofTensor(segment!.tensor), factorName };
  }

  /**
   * The starting values of a block, and the targets of its weights if GPTQ changes them; or `along`, how the core finds
   * these itself, where a device may.
   */
  private async start(
    file: ResidualFile,
    at: BlockPlace,
    rounding: BlockRounding,
    { weights, weightDtype: dtype }: WeightBlock,
    signal?: AbortSignal,
  ) {
    const { core, source, ancestor, gramMatrices, names } = this.parts;
    const along = this.alongInputs(at, rounding);
    if (along !== 'apart') return { ...(await this.behind(file, at, signal)), targets: undefined, along };
    // Targets need the state itself.
    const placed = await this.placed(file, at, signal);
    const previous = placed === undefined ? await previousState(ancestor, at, signal) : undefined;
    const lattice =
      placed === undefined
        ? latticeBlock(file, at.block, previous, this.memory)
        : { segments: inOwnUnits(latticeSegments(file, at.block)), previous: placed };
    const isFirst = (placed ?? previous) === undefined;
    const priced = isFirst ? undefined : rounding.rates;
    const moves = this.parts.moves?.[at.file];
    const isMoved = moves !== undefined && at.block.segments.some(({ tensor }) => moves.has(tensor));
    const before = isMoved ? await ancestor!.upload!.elements(source.files[at.file]!, at.block, signal) : undefined;
    const targets = await gptqTargets(
      core,
      {
        block: at.block,
        lattice,
        weights,
        dtype,
        places: gramMatrices![at.file]!,
        roundingOf: rounding.ofTensor,
        symbolRates: priced,
        moved: before && { before, moves: moves! },
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
  ): Promise<Pick<ResidualBlock, 'segments' | 'chain'> & BlockStart> {
    const start = this.startOf(file, at);
    const before = await previousChain(this.parts.ancestor, at, signal);
    if (before !== undefined) return { ...start, chain: before };
    const placed = await this.placed(file, at, signal);
    return { ...start, chain: { links: [], start: placed ?? blockOrigins(file, at.block) } };
  }

  private startOf(file: ResidualFile, at: BlockPlace): BlockStart {
    return blockStart(this.parts.ancestor, file, at);
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
