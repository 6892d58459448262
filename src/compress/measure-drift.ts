import { effectiveRank } from '../graph/layer-type-of.ts';
import { latticeErrorWords } from '../native/core.ts';
import { latticeError } from '../native/lattice-error.ts';
import { latticeSegment, type ResidualFile } from '../package/residual-block.ts';
import { scaleOf, type StepScales } from '../package/residual-tensor.ts';
import type { Ancestor } from './ancestor.ts';
import { forEachBounded } from './bounded-parallel.ts';
import { residualBlocks, type CodingPlan } from './plan-codings.ts';
import type { BlockPlace, FormOptions } from './quantized-form.ts';
import { ResidualCoder, type ResidualCoderParts } from './residual-coder.ts';

/** Blocks looked at, spread evenly: 8 M weights tell a mean well enough. */
const blocksMax = 64;
/** Four steps: a weight nearer than that is taken for one that stays put. One beyond counts with what is left after its move. */
const widestDeadZone = 1024;

export interface DriftParts extends FormOptions, Pick<ResidualCoderParts, 'source' | 'core' | 'shelf'> {
  readonly plan: CodingPlan;
  readonly ancestor: Ancestor;
}

/** How far the weights of matrices are from what the ancestor rebuilds: the root mean square, in its steps. Undefined where they have no matrix in common. */
export async function measureDrift(parts: DriftParts): Promise<number | undefined> {
  const { source, core, plan, ancestor, parallel, signal } = parts;
  const scales = ancestor.index.residual?.scales;
  if (scales === undefined) return undefined;
  const files = source.files.map((_, file) => fileOf(parts, file, scales));
  const coder = new ResidualCoder({ ...parts, feedback: undefined, gradientScale: () => 0 });
  const shared = [...residualBlocks(plan)].filter((at) => files[at.file] !== undefined && isKnown(files[at.file]!, at) && ancestor.hasBlock(at.file, at.index));
  const every = Math.max(1, Math.ceil(shared.length / blocksMax));
  const looked = shared.filter((_, i) => i % every === 0);
  const sums: { readonly squares: number; readonly count: number }[] = [];
  await forEachBounded(looked.entries(), parallel, async ([i, at]) => {
    const file = files[at.file]!;
    const errors = await coder.distances(file, at, { deadZone: widestDeadZone, counts: core.createContextCounts() }, signal);
    sums[i] = blockSum(file, at, errors);
  });
  const count = sums.reduce((total, block) => total + block.count, 0);
  const squares = sums.reduce((total, block) => total + block.squares, 0);
  return count === 0 ? undefined : Math.sqrt(squares / count);
}

/** The file with the ancestor's records. */
function fileOf({ source, plan, ancestor }: DriftParts, file: number, scales: StepScales): ResidualFile | undefined {
  const { layout } = source.files[file]!;
  const tensors = new Set(plan.files[file]!.blocks.flatMap(({ segments }) => segments.map(({ tensor }) => tensor)));
  const records = [...tensors].flatMap((tensor) => {
    const record = ancestor.residualTensor(file, layout.tensors[tensor]!.name);
    return record === undefined ? [] : [[tensor, { ...record, shift: 0 }] as const];
  });
  return records.length === 0 ? undefined : { layout, residuals: new Map(records), scales, firstSlot: 0 };
}

function isKnown({ residuals }: ResidualFile, { block }: BlockPlace): boolean {
  return block.segments.every(({ tensor }) => residuals.has(tensor));
}

function blockSum(file: ResidualFile, { block }: BlockPlace, errors: Float64Array): { squares: number; count: number } {
  let squares = 0;
  let count = 0;
  for (const [s, { tensor, elementCount }] of block.segments.entries()) {
    const { shape } = file.layout.tensors[tensor]!;
    if (effectiveRank(shape) <= 1) continue;
    const segment = latticeSegment(file.residuals.get(tensor)!, { elementCount, scale: scaleOf(file.scales, shape) });
    squares += latticeError(errors.subarray(s * latticeErrorWords, (s + 1) * latticeErrorWords), segment).error / segment.step ** 2;
    count += elementCount;
  }
  return { squares, count };
}
