import { tensorSlots, type ResidualFile } from '../../../../package/blocks/residual-block.ts';
import type { StepScales } from '../../../../package/residual-tensor.ts';
import type { Ancestor } from '../../../ancestor/ancestor.ts';
import { distanceInSteps } from './distance-in-steps.ts';
import type { DeviceNames } from '../held-names.ts';
import { residualBlocks } from '../residual-blocks.ts';
import type { CodingPlan } from '../../../plan/plan-codings.ts';
import { inLatticeRange } from '../lattice/lattice-range.ts';
import type { EncodingOptions } from '../../quantized-model.ts';
import type { BlockPlace } from '../../../../package/blocks/block-plan.ts';
import { ResidualCoder, type ResidualCoderParts } from '../residual-coder.ts';
import { gatherMoments } from '../tensor-moments.ts';
import { stayingPut } from './staying-put.ts';

export interface DriftParts extends EncodingOptions, Pick<ResidualCoderParts, 'source' | 'core' | 'modelSymbols'> {
  readonly plan: CodingPlan;
  readonly ancestor: Ancestor;
  /** Absent without a device. */
  readonly deviceNames?: DeviceNames | undefined;
}

/**
 * Root mean square distance of matrix weights from the rebuilt ancestor, in its steps. Undefined if they have no matrix
 * in common, or if a tensor has outgrown the ancestor's units: training was then not resumed from the rebuilt weights.
 * Reads every weight once.
 */
export async function measureDrift(parts: DriftParts): Promise<number | undefined> {
  const { source, plan, ancestor } = parts;
  const scales = ancestor.index.residual?.scales;
  if (scales === undefined) return undefined;
  const files = source.files.map((_, file) => fileOf(parts, file, scales));
  if (await outgrows(parts, files)) return undefined;
  const places = [...residualBlocks(plan)].filter(
    (at) => ancestor.hasBlock(at.file, at.index) && isKnown(files[at.file], at),
  );
  const names = parts.deviceNames?.against(ancestor);
  const coder = new ResidualCoder({ ...parts, names, gramMatrices: undefined, gradientScale: () => 0 });
  const { signal } = parts;
  return distanceInSteps(places, {
    ...parts,
    files,
    errorsOf: (file, at, counts) => coder.errors(file, at, stayingPut, counts, signal),
  });
}

/** The file with the ancestor's records. */
function fileOf({ source, plan, ancestor }: DriftParts, file: number, scales: StepScales): ResidualFile {
  const { layout } = source.files[file]!;
  const tensors = new Set(plan.files[file]!.blocks.flatMap(({ segments }) => segments.map(({ tensor }) => tensor)));
  const records = [...tensors].flatMap((tensor) => {
    const record = ancestor.residualTensor(file, layout.tensors[tensor]!.name);
    return record === undefined ? [] : [[tensor, { ...record, shift: 0 }] as const];
  });
  const residuals = new Map(records);
  return { layout, residuals, scales, slots: tensorSlots(residuals, 0) };
}

/** Whether weights of a tensor that the ancestor has exceed the lattice's range in its units. */
async function outgrows(parts: DriftParts, files: readonly (ResidualFile | undefined)[]): Promise<boolean> {
  const moments = await gatherMoments(parts.source, parts.plan, parts);
  return moments.some((tensors, file) =>
    [...tensors].some(([tensor, { magnitudeMax }]) => {
      const record = files[file]?.residuals.get(tensor);
      return record !== undefined && !inLatticeRange(magnitudeMax, record.exponent);
    }),
  );
}

function isKnown(file: ResidualFile | undefined, { block }: BlockPlace): boolean {
  return file !== undefined && block.segments.every(({ tensor }) => file.residuals.has(tensor));
}
