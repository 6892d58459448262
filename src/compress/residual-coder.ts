import type { ContextCounts, ContextTables, ElementsOptions, NativeCore, QuantizedBlock, ResidualBlock } from '../native/core.ts';
import { blockOrigins, contextSegments, latticeBlock, latticeSegments, type ResidualFile } from '../package/residual-block.ts';
import type { Ancestor } from './ancestor.ts';
import { feedbackTargets, type Rounding } from './feedback-targets.ts';
import type { InputFeedback } from './input-feedback.ts';
import type { ModelSource } from './model-source.ts';
import type { MovesShelf } from './moves-memory.ts';
import type { BlockPlace } from './quantized-form.ts';

export interface ResidualCoderParts {
  readonly source: ModelSource;
  readonly ancestor: Ancestor | undefined;
  readonly core: NativeCore;
  /** Absent where the inputs of no matrix were measured. */
  readonly feedback?: InputFeedback | undefined;
  /** What gradients of a tensor are multiplied with for weighing errors. */
  readonly gradientScale: (file: number, tensor: number) => number;
  readonly shelf: MovesShelf;
}

/** How a block is rounded. */
export interface BlockRounding {
  /** Of tensors without feedback, in 1/256 steps. */
  readonly deadZone: number;
  /** Of those with it, by tensor number. */
  readonly ofTensor: (tensor: number) => Rounding;
}

/** What one pass over a block told. */
export interface BlockFindings extends Pick<QuantizedBlock, 'statistics' | 'errors'> {
  /** Elements with something before them to be compared with. */
  readonly compared: number;
}

/** Quantizes the blocks of one form, each behind its ancestors, and stores them. Keeps the moves of as many as there is room for. */
export class ResidualCoder {
  private readonly parts: ResidualCoderParts;

  constructor(parts: ResidualCoderParts) {
    this.parts = parts;
  }

  /** Quantizes a block, counts its symbols, and measures it. */
  async quantize(file: ResidualFile, at: BlockPlace, rounding: BlockRounding, counts: ContextCounts, signal?: AbortSignal): Promise<BlockFindings> {
    const { shelf, core } = this.parts;
    const key = keyOf(at);
    shelf.delete(key);
    const { block, compared } = await this.block(file, at, rounding, signal);
    const { statistics, errors, moves } = await core.residualQuantize(block, { counts, keep: shelf.hasRoom }, signal);
    if (moves !== undefined) shelf.set(key, moves);
    return { statistics, errors, compared };
  }

  /** Counts the symbols of a block that was quantized in the same way before; false when they were not kept. */
  async count(file: ResidualFile, at: BlockPlace, counts: ContextCounts, signal?: AbortSignal): Promise<boolean> {
    const { shelf, core } = this.parts;
    const moves = shelf.get(keyOf(at));
    if (moves === undefined) return false;
    await core.countMoves(moves, contextSegments(file, at.block), counts, signal);
    return true;
  }

  /** The payload of a block that is rounded as it was quantized last. */
  async payload(file: ResidualFile, at: BlockPlace, rounding: BlockRounding, tables: ContextTables, signal?: AbortSignal): Promise<Uint8Array> {
    const { shelf, core } = this.parts;
    const moves = shelf.get(keyOf(at));
    if (moves !== undefined) return core.encodeMoves(moves, contextSegments(file, at.block), tables, signal);
    return core.residualEncode((await this.block(file, at, rounding, signal)).block, tables, signal);
  }

  /** What a block is rebuilt to, rounded as it was quantized last. */
  async elements(file: ResidualFile, at: BlockPlace, rounding: BlockRounding, options: ElementsOptions): Promise<Uint8Array> {
    if (at.block.coding.kind !== 'residual') throw new TypeError('not a residual block');
    const { dtype } = at.block.coding;
    const { core, shelf, ancestor } = this.parts;
    // Looked up after the wait: another form may take the room meanwhile.
    const before = shelf.has(keyOf(at)) ? await ancestor?.residualChain(at.file, at.index, options.signal) : undefined;
    const moves = shelf.get(keyOf(at));
    if (moves !== undefined) return core.residualMovedElements(moves, behind(file, at, before), dtype, options);
    return core.residualCodedElements((await this.block(file, at, rounding, options.signal)).block, dtype, options);
  }

  /** A block as the core takes it. */
  private async block(file: ResidualFile, at: BlockPlace, { deadZone, ofTensor }: BlockRounding, signal?: AbortSignal) {
    const { source, ancestor, gradientScale } = this.parts;
    const places = this.parts.feedback?.[at.file];
    const hasFeedback = places !== undefined && at.block.segments.some(({ tensor }) => places.has(tensor));
    const pair = await source.readWeights(at.file, at.block, signal);
    const shared = {
      ...pair,
      slots: contextSegments(file, at.block).slots,
      deadZone,
      ...(pair.gradients !== undefined && { gradientScales: Float32Array.from(at.block.segments, ({ tensor }) => gradientScale(at.file, tensor)) }),
    };
    if (!hasFeedback) {
      const before = await ancestor?.residualChain(at.file, at.index, signal);
      return { block: { ...shared, ...behind(file, at, before) }, compared: before === undefined ? 0 : at.block.elementCount };
    }
    // Targets need the state itself.
    const previous = await ancestor?.residual(at.file, at.index, signal);
    const lattice = latticeBlock(file, at.block, previous);
    const { weights, weightDtype: dtype } = pair;
    const targets = await feedbackTargets(this.parts.core, { block: at.block, lattice, weights, dtype, places, roundingOf: ofTensor }, signal);
    const chain = { links: [], start: lattice.previous };
    return { block: { ...shared, targets, segments: lattice.segments, chain }, compared: previous === undefined ? 0 : at.block.elementCount };
  }
}

/** A block's parameters and where it starts: behind its ancestors, or at the origins of its tensors, which count in their own units. */
function behind(file: ResidualFile, { block }: BlockPlace, before: ResidualBlock['chain'] | undefined): Pick<ResidualBlock, 'segments' | 'chain'> {
  const segments = latticeSegments(file, block);
  if (before !== undefined) return { segments, chain: before };
  return { segments: segments.map((segment) => ({ ...segment, shift: 0 })), chain: { links: [], start: blockOrigins(file, block) } };
}

function keyOf({ file, index }: BlockPlace): string {
  return `${file} ${index}`;
}
