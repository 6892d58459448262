import type { QuantizableDtype } from '../../checkpoint/dtype.ts';
import { defaultStateOptions, type StateOptions } from '../../checkpoint/options/state-options.ts';
import type { LayerType, QuantizedLayerType } from '../../checkpoint/layer-type.ts';
import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { quantizedLayerType } from '../../graph/layers/quantized-layer-type.ts';
import type { PlannedBlock } from '../../package/blocks/block-plan.ts';
import { codingBehind } from '../../package/blocks/copied-tensors.ts';
import { isExactCoding, isWeightCoding, type TensorCoding } from '../../package/package-index.ts';
import { planTensors } from '../../package/blocks/plan-file.ts';
import { forEachBounded } from '../bounded-parallel.ts';
import type { ModelSource, SourceFile } from '../upload/model-source.ts';
import { planState } from './plan-state.ts';
import type { BlockPlace } from '../../package/blocks/block-plan.ts';

/** All tensors of one layer type and dtype: one codebook, one pruning quantile. */
export interface QuantizedGroup {
  readonly layerType: QuantizedLayerType;
  readonly dtype: QuantizableDtype;
}

export interface PlannedFile {
  readonly codings: readonly TensorCoding[];
  readonly blocks: readonly PlannedBlock[];
}

export interface CodingPlan {
  /** By codebook number. */
  readonly groups: readonly QuantizedGroup[];
  /** In the order of the source's files. */
  readonly files: readonly PlannedFile[];
  /** Tensors kept exact because they hold NaN or infinite weights, in the order of the files. */
  readonly nonFinite: readonly string[];
}

/** Decides for every tensor whether it is quantized: a quantized layer type, a float dtype, and finite weights only. */
export async function planCodings(
  source: ModelSource,
  layerTypes: ReadonlyMap<string, LayerType>,
  options: PlanOptions,
): Promise<CodingPlan> {
  const keepExact = options.keepExact ?? new Set();
  const { codingOf, state = defaultStateOptions } = options;
  const first = plan(source.files, layerTypes, { keepExact, codingOf, state });
  const nonFinite = await findNonFinite(source, first, options);
  if (nonFinite.size === 0) return first;
  const inOrder = source.files
    .flatMap((file) => file.layout.tensors.map((entry) => entry.name))
    .filter((name) => nonFinite.has(name));
  return {
    ...plan(source.files, layerTypes, { keepExact: new Set([...keepExact, ...nonFinite]), codingOf, state }),
    nonFinite: [...new Set(inOrder)],
  };
}

/** A tensor of the model. */
export interface ModelTensor {
  readonly entry: TensorEntry;
  readonly layerType: LayerType;
}

/**
 * How a method codes a tensor of the model; undefined for one that it leaves exact. `groupOf`: the number of the
 * codebook of a layer type and dtype.
 */
export type WeightCoding = (
  tensor: ModelTensor,
  groupOf: (layerType: QuantizedLayerType, dtype: QuantizableDtype) => number,
) => TensorCoding | undefined;

export interface PlanOptions {
  readonly parallel: number;
  /** Decides which tensors are quantized, and how they are coded. */
  readonly codingOf: WeightCoding;
  readonly signal?: AbortSignal;
  /** Model tensors that are not to be quantized whatever their layer. */
  readonly keepExact?: ReadonlySet<string>;
  /** How optimizer files are coded: exact by default. */
  readonly state?: StateOptions | undefined;
}

/** Whether a model tensor's layer, dtype and size would have it quantized. */
export function wouldBeQuantized(
  name: string,
  files: readonly SourceFile[],
  layerTypes: ReadonlyMap<string, LayerType>,
): boolean {
  const entry = files
    .filter((file) => file.role === 'model')
    .flatMap((file) => file.layout.tensors)
    .find((tensor) => tensor.name === name);
  const type = layerTypes.get(name);
  return entry !== undefined && type !== undefined && quantizedLayerType(type, entry) !== undefined;
}

/** Everything exact but the optimizer state that a run wants otherwise. */
export function planExact(
  files: readonly SourceFile[],
  layerTypes: ReadonlyMap<string, LayerType>,
  state: StateOptions = defaultStateOptions,
): CodingPlan {
  const ofState = planState(files, state).codings;
  const planned = files.map((file, number) =>
    planFile(
      file,
      file.layout.tensors.map((entry, tensor) => ofState[number]!.get(tensor) ?? exactCoding(file, entry, layerTypes)),
    ),
  );
  return { groups: [], nonFinite: [], files: planned };
}

function plan(
  files: readonly SourceFile[],
  layerTypes: ReadonlyMap<string, LayerType>,
  {
    keepExact,
    codingOf,
    state,
  }: { readonly keepExact: ReadonlySet<string>; readonly codingOf: WeightCoding; readonly state: StateOptions },
): CodingPlan {
  const groups: QuantizedGroup[] = [];
  const groupOf = (layerType: QuantizedLayerType, dtype: QuantizableDtype): number => {
    const known = groups.findIndex((group) => group.layerType === layerType && group.dtype === dtype);
    return known >= 0 ? known : groups.push({ layerType, dtype }) - 1;
  };
  const ofState = planState(files, state).codings;
  const planned = files.map((file, number) =>
    planFile(
      file,
      file.layout.tensors.map((entry, tensor): TensorCoding => {
        const optimizerState = ofState[number]!.get(tensor);
        if (optimizerState !== undefined) return optimizerState;
        const type = layerTypes.get(entry.name);
        if (file.role !== 'model' || type === undefined || keepExact.has(entry.name))
          return exactCoding(file, entry, layerTypes);
        return codingOf({ entry, layerType: type }, groupOf) ?? exactCoding(file, entry, layerTypes);
      }),
    ),
  );
  return { groups, files: planned, nonFinite: [] };
}

/** Layer types are those of the model's tensors; another file may use the same names for something else. */
function exactCoding(file: SourceFile, entry: TensorEntry, layerTypes: ReadonlyMap<string, LayerType>): TensorCoding {
  return { kind: 'exact', layerType: file.role === 'model' ? (layerTypes.get(entry.name) ?? 'buffer') : 'buffer' };
}

function planFile(file: SourceFile, codings: readonly TensorCoding[]): PlannedFile {
  const { blocks } = planTensors(file.layout, codings);
  return { codings, blocks };
}

async function findNonFinite(source: ModelSource, codingPlan: CodingPlan, options: PlanOptions): Promise<Set<string>> {
  const found = new Set<string>();
  await forEachBounded(quantizedBlocks(codingPlan), options.parallel, async ({ file, block }) => {
    if (isExactCoding(block.coding)) return;
    const moments = await source.moments(file, block, options.signal);
    for (const [i, { sumOfSquares }] of moments.entries()) {
      if (!Number.isFinite(sumOfSquares))
        found.add(source.files[file]!.layout.tensors[block.segments[i]!.tensor]!.name);
    }
  });
  return found;
}

/** Whether any weights are quantized. */
export function isQuantized(codingPlan: CodingPlan): boolean {
  return codingPlan.files.some(({ codings }) => codings.some(isWeightCoding));
}

/**
 * Whether a tensor comes back as it was uploaded: it is coded exactly, or kept, or a copy of one that is and of its own
 * dtype.
 */
export function isExactTensor({ files }: CodingPlan, file: number, tensor: number): boolean {
  const coding = files[file]!.codings[tensor]!;
  if (coding.kind === 'copy' && coding.widened === true) return false;
  return isExactCoding(codingBehind(coding, (number) => files[number]!.codings));
}

/** Whether all tensors of a file come back as they were uploaded. */
export function isExactFile(codingPlan: CodingPlan, file: number): boolean {
  return codingPlan.files[file]!.codings.every((_, tensor) => isExactTensor(codingPlan, file, tensor));
}

/**
 * Numbers of the files with tensors that tensors of other files are copies of: they cannot be left out of the package.
 */
export function copiedFiles(
  { files }: CodingPlan,
  external: ReadonlySet<number> | ReadonlyMap<number, unknown> = new Set(),
): Set<number> {
  const copied = new Set<number>();
  for (const [number, { codings }] of files.entries()) {
    if (external.has(number)) continue;
    for (const coding of codings) if (coding.kind === 'copy' && coding.file !== number) copied.add(coding.file);
  }
  return copied;
}

/**
 * The plan without masters beside tensors of files that are not in the package: these are exact blocks then, the same
 * ones.
 */
export function withoutExternal(codingPlan: CodingPlan, external: ReadonlySet<number>): CodingPlan {
  if (external.size === 0) return codingPlan;
  const files = codingPlan.files.map(({ codings, blocks }): PlannedFile => {
    const kept = codings.map((coding): TensorCoding => {
      const isLost =
        coding.kind === 'exact' && coding.modelWeights !== undefined && external.has(coding.modelWeights.file);
      return isLost ? { kind: 'exact', layerType: coding.layerType } : coding;
    });
    return { codings: kept, blocks };
  });
  return { ...codingPlan, files };
}

/** Every block of model weights that a method quantizes, with its place. */
export function* quantizedBlocks(codingPlan: CodingPlan): Generator<BlockPlace> {
  for (const [file, planned] of codingPlan.files.entries()) {
    for (const [index, block] of planned.blocks.entries())
      if (isWeightCoding(block.coding)) yield { file, index, block };
  }
}
