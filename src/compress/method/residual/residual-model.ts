import type { ContextTables } from '../../../native/core.ts';
import { tensorSlots, type ResidualFile } from '../../../package/blocks/residual-block.ts';
import { unitGain, type ResidualTensor, type StepScales } from '../../../package/residual-tensor.ts';
import type { BlockMemory } from '../../../restore/block-memory.ts';
import { dtypeBytes } from '../../../checkpoint/dtype.ts';
import { effectiveRank } from '../../../graph/layers/layer-type-of.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import { fitResidualTensor } from './fit-residual-tensor.ts';
import { ModelSymbols } from './lattice/symbol-cache.ts';
import { residualBlocks } from './residual-blocks.ts';
import type { PackageEncoding, EncodingOptions, QuantizedModel } from '../quantized-model.ts';
import type { BlockPlace } from '../../../package/blocks/block-plan.ts';
import { ResidualCoder } from './residual-coder.ts';
import { sampleBlocks } from '../../plan/sample-blocks.ts';
import type { TensorPlace } from '../../../package/tensor-place.ts';
import {
  type Attempts,
  type Attempt,
  attemptOf,
  nextAttempts,
  roundingsOf,
  finerBy,
  hasGramMatrix,
} from './rounding-attempts.ts';
import { stepCodeLimit } from './steps/tensor-limits.ts';
import { tensorsBeyond, errorsOfWeights, segmentOf } from './tensor-errors.ts';
import { type ResidualModelParts, type PassResult, QuantizingPass } from './quantizing-pass.ts';

/** One checkpoint under one step: the record of every residual tensor, and the size of its blocks. */
export class ResidualModel implements QuantizedModel {
  /** Bytes of the quantized part, including tables. */
  readonly bytes: number;
  /** Names of tensors with an error of more than {@link errorRatioMax}, whatever way of rounding was tried. */
  readonly beyond: readonly string[];
  /** See {@link QuantizedModel}; under the finest steps that {@link finerOfBoundMax} allows. */
  readonly weightExcess: number | undefined;
  private readonly ancestor: Ancestor | undefined;
  private readonly pass: QuantizingPass;
  private readonly built: BuiltModel;

  constructor(ancestor: Ancestor | undefined, pass: QuantizingPass, built: BuiltModel) {
    this.ancestor = ancestor;
    this.pass = pass;
    this.built = built;
    this.bytes = built.tables.totalBits() / 8;
    this.beyond = built.beyond;
    this.weightExcess = built.weightExcess;
  }

  async elements(at: BlockPlace, signal?: AbortSignal, memory?: BlockMemory): Promise<Uint8Array> {
    const { files, attempts } = this.built;
    const { coding, elementCount } = at.block;
    const into = coding.kind === 'residual' ? memory?.take(elementCount * dtypeBytes[coding.dtype]) : undefined;
    return this.pass.coder.elements(files[at.file]!, at, this.pass.roundingOf(attempts, at), { into, signal });
  }

  /** Root mean square of the matrices' rounding errors, in steps; undefined without a matrix. */
  roundingError(options: EncodingOptions): Promise<number | undefined> {
    const { files, attempts } = this.built;
    return this.pass.roundingError(files, attempts, options);
  }

  async encoding(ancestor: Ancestor | undefined, { external = new Set() }: EncodingOptions): Promise<PackageEncoding> {
    if (ancestor?.index.id !== this.ancestor?.index.id && this.ancestor !== undefined)
      throw new TypeError('a residual model is stored against the ancestor it was made with');
    const { attempts, scales } = this.built;
    const { files, tables, migration } = await this.without(external);
    const left = this.pass.coder.leave();
    return {
      formatVersion: 2,
      ancestor: this.ancestor,
      migration,
      codebooks: [],
      tableSets: [],
      ...(files.some((file) => file !== undefined) && { residual: { tables: tables.serialize(), scales } }),
      residualTensors: files.map((file) => file?.residuals ?? new Map<number, ResidualTensor>()),
      payload: (at, signal) =>
        this.pass.coder.payload(files[at.file]!, at, this.pass.roundingOf(attempts, at), { tables, left, signal }),
      keepStates: left && ((stored) => left.keep(stored)),
    };
  }

  /** The model with the package's files only: tensors of other files have no slots in its tables. */
  private async without(external: ReadonlySet<number>): Promise<Pick<BuiltModel, 'files' | 'tables' | 'migration'>> {
    const { files, attempts } = this.built;
    if (files.every((file, number) => file === undefined || !external.has(number))) return this.built;
    const held = numbered(files.map((file, number) => (external.has(number) ? undefined : file)));
    return { files: held, ...(await this.pass.run(held, attempts)) };
  }
}

interface BuiltModel {
  readonly scales: StepScales;
  readonly files: readonly (ResidualFile | undefined)[];
  readonly tables: ContextTables;
  readonly attempts: Attempts;
  readonly migration: number | undefined;
  readonly beyond: readonly string[];
  readonly weightExcess: number | undefined;
}

/**
 * Quantizes a checkpoint with a common step, in 1/32 octaves, in one pass: symbols do not depend on reconstruction
 * offsets and gains, and these and the errors are computed from sums over the symbols. A tensor with too large an error
 * is rounded in the next way of {@link roundings}, and its blocks are quantized again.
 */
export async function quantizeResiduals(parts: ResidualModelParts, step: number): Promise<ResidualModel> {
  const scales = scalesOf(step);
  const pass = new QuantizingPass(parts, coderOf(parts, parts.symbolCache.take()), [...residualBlocks(parts.plan)]);
  let attempts: Attempts = parts.source.files.map(() => new Map<number, Attempt>());
  if (parts.hysteresis === 'priced' && !parts.toNearest)
    await pass.rate(residualFiles(parts, scales, attempts), attempts);
  for (;;) {
    const planned = residualFiles(parts, scales, attempts);
    const { tables, migration, sums } = await pass.run(planned, attempts);
    const files = fitted(parts, planned, sums);
    const beyond = tensorsBeyond(files, sums);
    const { outside, excess } = errorsOfWeights(parts, files, sums);
    const next = nextAttempts(parts, attempts, { beyond, outside });
    if (next === undefined) {
      const names = (places: readonly TensorPlace[]): string[] =>
        places.map(({ file, tensor }) => parts.source.files[file]!.layout.tensors[tensor]!.name);
      return new ResidualModel(parts.ancestor, pass, {
        ...{ scales, files, tables, attempts, migration },
        beyond: names(beyond),
        weightExcess: excess,
      });
    }
    attempts = next;
  }
}

/**
 * Estimates the bytes of a step's model from an evenly spread sample of its blocks (all blocks of a small model), each
 * with the first way of rounding. It ignores that a few tensors may need a finer step.
 */
export async function estimateResidualBytes(parts: ResidualModelParts, step: number): Promise<number> {
  const coder = coderOf(parts, new ModelSymbols(0));
  const { blocks, scale } = sampleBlocks([...residualBlocks(parts.plan)]);
  const attempts: Attempts = parts.source.files.map(() => new Map<number, Attempt>());
  const { tables } = await new QuantizingPass(parts, coder, blocks).run(
    residualFiles(parts, scalesOf(step), attempts),
    attempts,
  );
  const tableBytes = tables.serialize().length;
  return (tables.totalBits() / 8 - tableBytes) * scale + tableBytes;
}

/** Vectors are few, and each matters more: their steps never grow with the common step, they only shrink. */
function scalesOf(step: number): StepScales {
  return { matrices: step, vectors: Math.min(0, step) };
}

function coderOf(parts: ResidualModelParts, modelSymbols: ModelSymbols): ResidualCoder {
  return new ResidualCoder({
    ...parts,
    modelSymbols,
    sumsPlainErrors: parts.weightErrorMax !== undefined,
    gradientScale: (file, tensor) => gradientScale(parts, file, tensor),
  });
}

/** The records of a model, each with the step of its attempt, within {@link stepCodeLimit}. */
function residualFiles(
  parts: ResidualModelParts,
  scales: StepScales,
  attempts: Attempts,
): (ResidualFile | undefined)[] {
  return numbered(
    parts.source.files.map(({ layout }, number) => {
      const records = parts.records[number]!;
      const residuals = new Map(
        [...records].map(([tensor, record]) => {
          const { tries, finer: ofBound } = attemptOf(attempts, number, tensor);
          const finer = finerBy(tries - roundingsOf(parts, number, tensor).length + 1) + ofBound;
          const stepCode = Math.max(
            0,
            Math.min(record.stepCode, stepCodeLimit(parts, number, tensor, record, scales)) - finer,
          );
          return [tensor, stepCode === record.stepCode ? record : { ...record, stepCode }];
        }),
      );
      return residuals.size === 0 ? undefined : { layout, residuals, scales };
    }),
  );
}

/** Files with the slots of their tensors in a package that consists of just these files. */
function numbered(files: readonly (Omit<ResidualFile, 'slots'> | undefined)[]): (ResidualFile | undefined)[] {
  let tensorsBefore = 0;
  return files.map((file) => {
    if (file === undefined) return undefined;
    const placed = { ...file, slots: tensorSlots(file.residuals, tensorsBefore) };
    tensorsBefore += file.residuals.size;
    return placed;
  });
}

/** Records with the offsets and gains that fit this checkpoint's weights. */
function fitted(
  parts: ResidualModelParts,
  files: readonly (ResidualFile | undefined)[],
  sums: PassResult['sums'],
): (ResidualFile | undefined)[] {
  return files.map((file, number) => {
    if (file === undefined) return undefined;
    const residuals = new Map(
      [...file.residuals].map(([tensor, record]) => {
        // GPTQ compensates errors of rebuilt values, so offsets and gains must not change these afterwards.
        if (hasGramMatrix(parts, number, tensor))
          return [tensor, { ...record, offsets: [0, 0], gain: unitGain }] as const;
        const { name, shape } = file.layout.tensors[tensor]!;
        const known = parts.started[number]!.has(tensor)
          ? unitGain
          : parts.ancestor?.residualTensor(number, name)?.gain;
        const { step } = segmentOf(file, tensor, record);
        const fit = fitResidualTensor(record, sums[number]!.get(tensor)!.statistics, {
          step,
          known,
          isMatrix: effectiveRank(shape) > 1,
        });
        return [tensor, parts.toNearest ? { ...fit, offsets: [0, 0] as const } : fit] as const;
      }),
    );
    return { ...file, residuals };
  });
}

/**
 * 0 without gradients: all elements then have equal weight. A gradient equal to the tensor's root mean square has
 * weight 16, so none reaches 2^40, the core's limit.
 */
function gradientScale({ moments }: ResidualModelParts, file: number, tensor: number): number {
  const { gradientSumOfSquares, elementCount } = moments[file]!.get(tensor)!;
  return gradientSumOfSquares > 0 ? 4 / Math.sqrt(gradientSumOfSquares / elementCount) : 0;
}
