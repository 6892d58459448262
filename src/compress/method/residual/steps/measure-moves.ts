import { forEachBounded } from '../../../bounded-parallel.ts';
import type { Ancestor } from '../../../ancestor/ancestor.ts';
import type { GramMatrices } from '../../gram-matrices.ts';
import type { EncodingOptions } from '../../quantized-model.ts';
import type { CodingPlan } from '../../../plan/plan-codings.ts';
import type { ModelSource } from '../../../upload/model-source.ts';
import type { BlockPlace } from '../../../../package/blocks/block-plan.ts';
import { residualBlocks } from '../residual-blocks.ts';

export interface MovesParts extends EncodingOptions {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  readonly ancestor: Ancestor;
  readonly gramMatrices: GramMatrices;
}

/**
 * By file, by tensor: root mean square distance of the weights from those that the ancestor was made of. Tensors
 * without a distance are missing: those that are not rounded with feedback, and those that the ancestor's upload does
 * not have or that do not build on the ancestor.
 */
export type TensorMoves = readonly ReadonlyMap<number, number>[];

/** Most blocks of a tensor that are read. */
const blocksMax = 16;

/** Undefined if the ancestor's upload is not kept. Rejects with the errors of store and core. */
export async function measureMoves(parts: MovesParts): Promise<TensorMoves | undefined> {
  const { source, plan, ancestor, gramMatrices, parallel, signal } = parts;
  const { upload } = ancestor;
  if (upload === undefined) return undefined;
  const blocksOf = source.files.map(() => new Map<number, BlockPlace[]>());
  for (const at of residualBlocks(plan))
    for (const { tensor } of at.block.segments)
      if (gramMatrices[at.file]!.has(tensor))
        blocksOf[at.file]!.set(tensor, [...(blocksOf[at.file]!.get(tensor) ?? []), at]);
  const moves = source.files.map(() => new Map<number, number>());
  const tensors = blocksOf.flatMap((byTensor, file) => [...byTensor].map(([tensor, all]) => ({ file, tensor, all })));
  await forEachBounded(tensors, parallel, async ({ file, tensor, all }) => {
    if (all.some(({ index }) => ancestor.isGathered(file, index) || !ancestor.hasBlock(file, index))) return;
    const apart = Math.ceil(all.length / blocksMax);
    let squares = 0;
    let count = 0;
    for (const at of all.filter((_, i) => i % apart === 0)) {
      const before = await upload.elements(source.files[file]!, at.block, signal);
      if (before === undefined) return;
      const [now, then] = await Promise.all(
        [await source.readBlock(file, at.block, signal), before].map((elements) => source.widen(at, elements, signal)),
      );
      let first = 0;
      for (const segment of at.block.segments) {
        if (segment.tensor === tensor) {
          squares += sumOfSquares(
            floats(now!, first, segment.elementCount),
            floats(then!, first, segment.elementCount),
          );
          count += segment.elementCount;
        }
        first += segment.elementCount;
      }
    }
    const mean = squares / count;
    if (Number.isFinite(mean)) moves[file]!.set(tensor, Math.sqrt(mean));
  });
  return moves;
}

/** Copied if they are not aligned. */
function floats(bytes: Uint8Array, first: number, count: number): Float32Array {
  const start = bytes.byteOffset + first * Float32Array.BYTES_PER_ELEMENT;
  return start % Float32Array.BYTES_PER_ELEMENT === 0
    ? new Float32Array(bytes.buffer, start, count)
    : new Float32Array(Uint8Array.from(bytes.subarray(4 * first, 4 * (first + count))).buffer);
}

function sumOfSquares(now: Float32Array, before: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < now.length; i++) sum += (now[i]! - before[i]!) ** 2;
  return sum;
}
