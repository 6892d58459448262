import { tensorSlots, type ResidualFile } from '../../../../package/blocks/residual-block.ts';
import type { ResidualTensor } from '../../../../package/residual-tensor.ts';
import type { EncodingOptions } from '../../quantized-model.ts';
import type { CodingPlan } from '../../../plan/plan-codings.ts';
import { ModelSymbols } from '../lattice/symbol-cache.ts';
import { residualBlocks } from '../residual-blocks.ts';
import { ResidualCoder, type ResidualCoderParts } from '../residual-coder.ts';
import { distanceInSteps } from './distance-in-steps.ts';
import { stayingPut } from './staying-put.ts';

export interface MovementParts extends EncodingOptions, Pick<ResidualCoderParts, 'source' | 'core' | 'ancestor'> {
  readonly plan: CodingPlan;
  /** By file, by tensor: the records that the search starts from. */
  readonly records: readonly ReadonlyMap<number, ResidualTensor>[];
}

/**
 * Root mean square distance of matrix weights from the exact ones that they start from, in their steps at scale 0;
 * undefined if no matrix starts so. Reads a sample of the weights and of the ancestor's.
 */
export async function measureMovement(parts: MovementParts): Promise<number | undefined> {
  const { source, plan, ancestor, records } = parts;
  const places = [...residualBlocks(plan)].filter((at) => ancestor?.isGathered(at.file, at.index) === true);
  const files = source.files.map(({ layout }, file): ResidualFile => {
    const residuals = records[file]!;
    return { layout, residuals, scales: { matrices: 0, vectors: 0 }, slots: tensorSlots(residuals, 0) };
  });
  const coder = new ResidualCoder({
    ...parts,
    modelSymbols: new ModelSymbols(0),
    gramMatrices: undefined,
    gradientScale: () => 0,
  });
  const { signal } = parts;
  return distanceInSteps(places, {
    ...parts,
    files,
    errorsOf: (file, at, counts) => coder.errors(file, at, stayingPut, counts, signal),
  });
}
