import { dtypeBytes, type QuantizableDtype } from '../../../../checkpoint/dtype.ts';
import type { GptqPlace, GptqWeights, LatticeBlock, NativeCore } from '../../../../native/core.ts';
import type { PlannedBlock } from '../../../../package/blocks/block-plan.ts';
import { movementPull } from '../steps/movement-pull.ts';
import type { BlockMemory } from '../../../../restore/block-memory.ts';

/** How one tensor is rounded: the share of errors handed on, and the dead zone in 1/256 steps. */
export interface Rounding {
  readonly strength: number;
  readonly deadZone: number;
}

/** A block's weights in the upload that the ancestor was made of. */
export interface MovedWeights {
  /** All of the block, in its dtype. */
  readonly before: Uint8Array;
  /** By tensor: root mean square movement since then; others are rounded as if nothing were known. */
  readonly moves: ReadonlyMap<number, number>;
}

export interface GptqBlock {
  readonly block: PlannedBlock;
  readonly lattice: Required<LatticeBlock>;
  readonly weights: Uint8Array;
  readonly dtype: QuantizableDtype;
  /** By tensor number; other tensors are left as they are. */
  readonly places: ReadonlyMap<number, GptqPlace>;
  readonly roundingOf: (tensor: number) => Rounding;
  /** Rates of moves, by context (ContextCounts.symbolRates). */
  readonly symbolRates?: Uint8Array | undefined;
  /** Absent if the weights before are not known. */
  readonly moved?: MovedWeights | undefined;
  /** By number of a segment and factor of its matrix: what a device may hold of it. Absent without a device. */
  readonly heldOf?: ((segment: number, factor: GptqPlace['factor']) => GptqWeights['held']) | undefined;
}

/**
 * The block's weights as F32; weights of matrices in `places` are replaced by the values that GPTQ moves them to. They
 * may lie in memory taken from `memory`.
 */
export async function gptqTargets(
  core: NativeCore,
  request: GptqBlock,
  { signal, memory }: { readonly signal?: AbortSignal | undefined; readonly memory?: BlockMemory } = {},
): Promise<Uint8Array> {
  const { block, lattice, weights, dtype, places, roundingOf, symbolRates, moved, heldOf } = request;
  // A matrix that fills the block gives all of its targets: most blocks of a large model.
  const isWhole = block.segments.length === 1 && places.has(block.segments[0]!.tensor);
  const targets = isWhole ? undefined : new Uint8Array(await core.convert(weights, dtype, 'F32', signal));
  const elementBytes = dtypeBytes[dtype];
  let first = 0;
  for (const [index, { tensor, firstElement, elementCount }] of block.segments.entries()) {
    const place = places.get(tensor);
    const end = first + elementCount;
    if (place !== undefined) {
      const segment = lattice.segments[index]!;
      const distance = moved?.moves.get(tensor);
      const rounding = roundingOf(tensor);
      const found = await core.latticeTargets(
        {
          weights: weights.subarray(first * elementBytes, end * elementBytes),
          dtype,
          segment,
          previous: {
            values: lattice.previous.values.subarray(first, end),
            activity: lattice.previous.activity.subarray(first, end),
          },
          symbolRates,
          movement:
            distance === undefined
              ? undefined
              : {
                  before: moved!.before.subarray(first * elementBytes, end * elementBytes),
                  pull: movementPull(distance / (segment.step * 2 ** segment.exponent), rounding.deadZone),
                },
          place,
          firstElement,
          held: heldOf?.(index, place.factor),
          ...rounding,
        },
        { signal, into: isWhole ? memory?.take(elementCount * Float32Array.BYTES_PER_ELEMENT) : undefined },
      );
      const bytes = new Uint8Array(found.buffer, found.byteOffset, found.byteLength);
      if (targets === undefined) return bytes;
      targets.set(bytes, first * Float32Array.BYTES_PER_ELEMENT);
    }
    first = end;
  }
  return targets!;
}
