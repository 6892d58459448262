import { forEachBounded } from '../../../bounded-parallel.ts';
import type { Ancestor } from '../../../ancestor/ancestor.ts';
import type { GramMatrices } from '../../gram-matrices.ts';
import type { EncodingOptions } from '../../quantized-model.ts';
import type { CodingPlan } from '../../../plan/plan-codings.ts';
import type { ModelSource } from '../../../upload/model-source.ts';
import { floatsOf, squaredDistance } from '../../../upload/squared-distance.ts';
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
      if (gramMatrices[at.file]!.has(tensor)) {
        const known = blocksOf[at.file]!.get(tensor);
        if (known === undefined) blocksOf[at.file]!.set(tensor, [at]);
        else known.push(at);
      }
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
      const now = floatsOf(await source.widen(at, await source.readBlock(file, at.block, signal), signal));
      const then = floatsOf(await source.widen(at, before, signal));
      let first = 0;
      for (const segment of at.block.segments) {
        const end = first + segment.elementCount;
        if (segment.tensor === tensor) {
          squares += squaredDistance(now, then, first, end);
          count += segment.elementCount;
        }
        first = end;
      }
    }
    const mean = squares / count;
    if (Number.isFinite(mean)) moves[file]!.set(tensor, Math.sqrt(mean));
  });
  return moves;
}
