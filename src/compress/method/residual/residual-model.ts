import {
  latticeCountsIndex,
  latticeErrorWords,
  latticeStatisticsWords,
  type ContextTables,
  type LatticeSegment,
} from '../../../native/core.ts';
import { latticeError } from '../../../native/lattice-error.ts';
import { latticeSegment, slotCount, type ResidualFile } from '../../../package/blocks/residual-block.ts';
import {
  scaleOf,
  stepsPerOctave,
  unitGain,
  type ResidualTensor,
  type StepScales,
} from '../../../package/residual-tensor.ts';
import type { BlockMemory } from '../../../restore/block-memory.ts';
import type { Hysteresis } from '../../../checkpoint/options/search-options.ts';
import { dtypeBytes } from '../../../checkpoint/dtype.ts';
import { effectiveRank } from '../../../graph/layers/layer-type-of.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import { distanceInSteps } from './steps/distance-in-steps.ts';
import { forEachBounded } from '../../bounded-parallel.ts';
import type { Rounding } from './lattice/gptq-targets.ts';
import { fitResidualTensor } from './fit-residual-tensor.ts';
import { symbolRates } from './lattice/symbol-rates.ts';
import { ModelSymbols, type SymbolCache } from './lattice/symbol-cache.ts';
import { residualBlocks } from './residual-blocks.ts';
import type { CodingPlan } from '../../plan/plan-codings.ts';
import type { PackageEncoding, EncodingOptions, QuantizedModel } from '../quantized-model.ts';
import type { BlockPlace } from '../../../package/blocks/block-plan.ts';
import { ResidualCoder, type BlockFindings, type BlockRounding, type ResidualCoderParts } from './residual-coder.ts';
import { sampleBlocks } from '../../plan/sample-blocks.ts';
import type { ModelMoments } from './tensor-moments.ts';

export interface ResidualModelParts
  extends EncodingOptions, Omit<ResidualCoderParts, 'modelSymbols' | 'gradientScale'> {
  readonly plan: CodingPlan;
  readonly records: readonly ReadonlyMap<number, ResidualTensor>[];
  readonly moments: ModelMoments;
  readonly symbolCache: SymbolCache;
  /** `fixed` where absent. A base, and weights that are rounded to the nearest step, have no rates. */
  readonly hysteresis?: Hysteresis | undefined;
  /** Weights are rounded to the nearest step, without offsets, so that what is rebuilt does not lag behind. */
  readonly toNearest: boolean;
}

interface Roundings {
  readonly withGptq: readonly Rounding[];
  readonly plain: readonly Rounding[];
}

/**
 * How a tensor's weights are rounded, first to last, until its error is inside {@link errorRatioMax}: errors handed on
 * at their full share, and a dead zone just under what makes the squared error 1.5 times that of rounding. After the
 * last, its step becomes finer: in a small tensor a few weights decide, and chance may be against any one step.
 */
const roundings: Readonly<Record<'deadZone' | 'nearest', Roundings>> = {
  deadZone: {
    withGptq: [
      { strength: 1, deadZone: 156 },
      { strength: 0.6, deadZone: 152 },
      { strength: 0.3, deadZone: 142 },
      { strength: 0, deadZone: 128 },
    ],
    plain: [
      { strength: 0, deadZone: 156 },
      { strength: 0, deadZone: 142 },
      { strength: 0, deadZone: 128 },
    ],
  },
  nearest: {
    withGptq: [1, 0.6, 0.3, 0].map((strength) => ({ strength, deadZone: 128 })),
    plain: [{ strength: 0, deadZone: 128 }],
  },
};
/**
 * Then steps are made finer: by a 1/32 octave so many times, which is enough where chance was against one step, and
 * after that by octaves, for a tensor that nothing but its very values are near to.
 */
const finerSmall = 24;
const finerOctaves = 12;
/**
 * With GPTQ, at most, in a base: its weights are seldom within a step of zero, and a wide zone costs more error than it
 * gives. Measured: 2 % fewer bytes than 156.
 */
const baseDeadZone = 140;
/** Most weighted squared error of a tensor, in that of quantizing it afresh with the same step. */
const errorRatioMax = 1.5;

/** One checkpoint under one step: every residual tensor's record, and what its blocks would take. */
export class ResidualModel implements QuantizedModel {
  /** Of the quantized part, tables included. */
  readonly bytes: number;
  /** Names of tensors whose error is more than {@link errorRatioMax} of quantizing them afresh in every way tried. */
  readonly beyond: readonly string[];
  private readonly ancestor: Ancestor | undefined;
  private readonly pass: QuantizingPass;
  private readonly built: BuiltModel;

  constructor(ancestor: Ancestor | undefined, pass: QuantizingPass, built: BuiltModel) {
    this.ancestor = ancestor;
    this.pass = pass;
    this.built = built;
    this.bytes = built.tables.totalBits() / 8;
    this.beyond = built.beyond;
  }

  async elements(at: BlockPlace, signal?: AbortSignal, memory?: BlockMemory): Promise<Uint8Array> {
    const { files, attempts } = this.built;
    const { coding, elementCount } = at.block;
    const into = coding.kind === 'residual' ? memory?.take(elementCount * dtypeBytes[coding.dtype]) : undefined;
    return this.pass.coder.elements(files[at.file]!, at, this.pass.roundingOf(attempts, at), { into, signal });
  }

  /** Root mean square of what rounding leaves of the weights of matrices, in steps; undefined without a matrix. */
  roundingError(options: EncodingOptions): Promise<number | undefined> {
    const { files, attempts } = this.built;
    return this.pass.roundingError(files, attempts, options);
  }

  async encoding(ancestor: Ancestor | undefined, { external = new Set() }: EncodingOptions): Promise<PackageEncoding> {
    if (ancestor?.index.id !== this.ancestor?.index.id && this.ancestor !== undefined)
      throw new TypeError('a residual model is stored against the ancestor it was made with');
    const { attempts, scales } = this.built;
    const { files, tables, migration } = await this.without(external);
    return {
      formatVersion: 2,
      ancestor: this.ancestor,
      migration,
      codebooks: [],
      tableSets: [],
      ...(files.some((file) => file !== undefined) && { residual: { tables: tables.serialize(), scales } }),
      residualTensors: files.map((file) => file?.residuals ?? new Map<number, ResidualTensor>()),
      payload: (at, signal) =>
        this.pass.coder.payload(files[at.file]!, at, this.pass.roundingOf(attempts, at), tables, signal),
    };
  }

  /** The files that a package holds: tensors of the others have no slots in its tables. */
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
}

/** By file, by tensor: how many ways of rounding it were not good enough. */
type Attempts = readonly ReadonlyMap<number, number>[];

/**
 * Quantizes a checkpoint with a common step, in 1/32 octaves, in one pass: symbols do not depend on reconstruction
 * offsets and gains, and these and the errors follow from sums over the symbols. Where a tensor's error is too far
 * above that of quantizing it afresh, it is rounded in the next way of {@link roundings}; then the blocks concerned are
 * quantized again.
 */
export async function quantizeResiduals(parts: ResidualModelParts, step: number): Promise<ResidualModel> {
  const scales = scalesOf(step);
  const pass = new QuantizingPass(parts, coderOf(parts, parts.symbolCache.take()), [...residualBlocks(parts.plan)]);
  let attempts: Attempts = parts.source.files.map(() => new Map<number, number>());
  if (parts.hysteresis === 'priced' && !parts.toNearest)
    await pass.rate(residualFiles(parts, scales, attempts), attempts);
  for (;;) {
    const planned = residualFiles(parts, scales, attempts);
    const { tables, migration, sums } = await pass.run(planned, attempts);
    const files = fitted(parts, planned, sums);
    const beyond = tensorsBeyond(files, sums);
    const again = beyond.filter(
      ({ file, tensor }) => attemptOf(attempts, file, tensor) < attemptsMax(parts, file, tensor),
    );
    if (again.length === 0) {
      const names = beyond.map(({ file, tensor }) => parts.source.files[file]!.layout.tensors[tensor]!.name);
      return new ResidualModel(parts.ancestor, pass, { scales, files, tables, attempts, migration, beyond: names });
    }
    const next = attempts.map((byTensor) => new Map(byTensor));
    for (const { file, tensor } of again) next[file]!.set(tensor, attemptOf(attempts, file, tensor) + 1);
    attempts = next;
  }
}

/**
 * About what the model of a step would take, from an evenly spread sample of its blocks, each rounded in the first of
 * its ways; of a small model, from all. Steps that would have to be made finer, which are those of few tensors, are
 * not.
 */
export async function estimateResidualBytes(parts: ResidualModelParts, step: number): Promise<number> {
  const coder = coderOf(parts, new ModelSymbols(0));
  const { blocks, scale } = sampleBlocks([...residualBlocks(parts.plan)]);
  const attempts: Attempts = parts.source.files.map(() => new Map<number, number>());
  const { tables } = await new QuantizingPass(parts, coder, blocks).run(
    residualFiles(parts, scalesOf(step), attempts),
    attempts,
  );
  const tableBytes = tables.serialize().length;
  return (tables.totalBits() / 8 - tableBytes) * scale + tableBytes;
}

/** Vectors are few, and more depends on each: their steps only ever shrink with the others. */
function scalesOf(step: number): StepScales {
  return { matrices: step, vectors: Math.min(0, step) };
}

function coderOf(parts: ResidualModelParts, modelSymbols: ModelSymbols): ResidualCoder {
  return new ResidualCoder({
    ...parts,
    modelSymbols,
    gradientScale: (file, tensor) => gradientScale(parts, file, tensor),
  });
}

function attemptOf(attempts: Attempts, file: number, tensor: number): number {
  return attempts[file]!.get(tensor) ?? 0;
}

function roundingsOf(
  parts: Pick<ResidualModelParts, 'gramMatrices' | 'toNearest'>,
  file: number,
  tensor: number,
): readonly Rounding[] {
  const { withGptq, plain } = waysOf(parts);
  return hasGramMatrix(parts, file, tensor) ? withGptq : plain;
}

function waysOf({ toNearest }: Pick<ResidualModelParts, 'toNearest'>): Roundings {
  return toNearest ? roundings.nearest : roundings.deadZone;
}

function attemptsMax(parts: ResidualModelParts, file: number, tensor: number): number {
  return roundingsOf(parts, file, tensor).length - 1 + finerSmall + finerOctaves;
}

/** By how many 1/32 octaves a step is finer after so many tries of it. */
function finerBy(tries: number): number {
  return tries <= finerSmall ? Math.max(0, tries) : finerSmall + (tries - finerSmall) * stepsPerOctave;
}

/** The records of a form, each with the step of its attempt. */
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
          const finer = finerBy(attemptOf(attempts, number, tensor) - roundingsOf(parts, number, tensor).length + 1);
          return [tensor, finer === 0 ? record : { ...record, stepCode: Math.max(0, record.stepCode - finer) }];
        }),
      );
      return residuals.size === 0 ? undefined : { layout, residuals, scales, firstSlot: 0 };
    }),
  );
}

/** Files with the slots that their tensors have in a package of just these. */
function numbered(files: readonly (ResidualFile | undefined)[]): (ResidualFile | undefined)[] {
  let firstSlot = 0;
  return files.map((file) => {
    if (file === undefined) return undefined;
    const placed = { ...file, firstSlot };
    firstSlot += file.residuals.size;
    return placed;
  });
}

function hasGramMatrix(
  { gramMatrices }: Pick<ResidualModelParts, 'gramMatrices'>,
  file: number,
  tensor: number,
): boolean {
  return gramMatrices?.[file]?.has(tensor) ?? false;
}

/** Sums over all blocks of a tensor. */
interface TensorSums {
  readonly statistics: BigInt64Array;
  readonly errors: Float64Array;
}

interface PassResult {
  readonly tables: ContextTables;
  /** Share of weights that moved; undefined where there was nothing to move from. */
  readonly migration: number | undefined;
  /** By file, by tensor. */
  readonly sums: readonly ReadonlyMap<number, TensorSums>[];
}

/**
 * Quantizes blocks, rounded in one way after the other; those that are rounded as before are not quantized again as far
 * as their symbols are cached.
 */
class QuantizingPass {
  readonly coder: ResidualCoder;
  private readonly parts: ResidualModelParts;
  /** See {@link BlockRounding}. */
  private rates: Uint8Array | undefined;
  private readonly places: readonly BlockPlace[];
  private readonly found: ({ readonly rounding: string; readonly findings: BlockFindings } | undefined)[] = [];

  constructor(parts: ResidualModelParts, coder: ResidualCoder, places: readonly BlockPlace[]) {
    this.parts = parts;
    this.coder = coder;
    this.places = places;
  }

  /** Blocks of files that are left out are neither counted nor summed. */
  async run(files: readonly (ResidualFile | undefined)[], attempts: Attempts): Promise<PassResult> {
    const { core, parallel, signal } = this.parts;
    const counts = core.createContextCounts();
    await forEachBounded(this.places.entries(), parallel, async ([i, at]) => {
      const file = files[at.file];
      if (file === undefined) return;
      const rounding = describeRounding(attempts, at);
      if (this.found[i]?.rounding === rounding && (await this.coder.count(file, at, counts, signal))) return;
      this.found[i] = {
        rounding,
        findings: await this.coder.quantize(file, at, this.roundingOf(attempts, at), counts, signal),
      };
    });
    const slots = files.reduce((total, file) => total + (file?.residuals.size ?? 0), 0);
    return { tables: await counts.build({ slots: slotCount(slots) }, signal), ...this.totals(files) };
  }

  /**
   * Prices of moves under the first rounding of every tensor; from then on they hold. Without an ancestor there are
   * none.
   */
  async rate(files: readonly (ResidualFile | undefined)[], attempts: Attempts): Promise<void> {
    const { ancestor } = this.parts;
    const behind = this.places.filter((at) => ancestor?.hasBlock(at.file, at.index));
    if (behind.length === 0) return;
    this.rates = await symbolRates(behind, {
      ...this.parts,
      coder: this.coder,
      files,
      roundingOf: (at) => this.roundingOf(attempts, at),
    });
  }

  roundingError(
    files: readonly (ResidualFile | undefined)[],
    attempts: Attempts,
    options: EncodingOptions,
  ): Promise<number | undefined> {
    const { core } = this.parts;
    return distanceInSteps(this.places, {
      ...options,
      core,
      coder: this.coder,
      files,
      roundingOf: (at) => this.roundingOf(attempts, at),
    });
  }

  /** Tensors without GPTQ in one block have one dead zone, the narrowest that any of them needs. */
  roundingOf(attempts: Attempts, { file, block }: BlockPlace): BlockRounding {
    const ofTensor = (tensor: number): Rounding => {
      const ways = roundingsOf(this.parts, file, tensor);
      const { strength, deadZone } = ways[Math.min(attemptOf(attempts, file, tensor), ways.length - 1)]!;
      const isFed = hasGramMatrix(this.parts, file, tensor);
      return {
        strength,
        deadZone: isFed && this.parts.ancestor === undefined ? Math.min(deadZone, baseDeadZone) : deadZone,
      };
    };
    const plain = block.segments.filter(({ tensor }) => !hasGramMatrix(this.parts, file, tensor));
    return {
      deadZone: Math.min(
        waysOf(this.parts).plain[0]!.deadZone,
        ...plain.map(({ tensor }) => ofTensor(tensor).deadZone),
      ),
      ofTensor,
      rates: this.rates,
    };
  }

  /** Added up in the order of blocks: errors are floating point numbers, and decide. */
  private totals(files: readonly (ResidualFile | undefined)[]): Pick<PassResult, 'migration' | 'sums'> {
    const sums = files.map(() => new Map<number, TensorSums>());
    let compared = 0;
    let moved = 0;
    for (const [i, { file, block }] of this.places.entries()) {
      if (files[file] === undefined) continue;
      const { findings } = this.found[i]!;
      compared += findings.compared;
      for (const [s, { tensor }] of block.segments.entries()) {
        const statistics = findings.statistics.subarray(s * latticeStatisticsWords, (s + 1) * latticeStatisticsWords);
        const errors = findings.errors.subarray(s * latticeErrorWords, (s + 1) * latticeErrorWords);
        const total = sums[file]!.get(tensor) ?? {
          statistics: new BigInt64Array(statistics.length),
          errors: new Float64Array(errors.length),
        };
        statistics.forEach((sum, word) => (total.statistics[word]! += sum));
        errors.forEach((sum, word) => (total.errors[word]! += sum));
        sums[file]!.set(tensor, total);
        if (findings.compared > 0) for (let j = 0; j < 3; j++) moved += Number(statistics[latticeCountsIndex + j]!);
      }
    }
    return { sums, migration: compared === 0 ? undefined : moved / compared };
  }
}

/** Tells apart all that the symbols of a block depend on but the common step. */
function describeRounding(attempts: Attempts, { file, block }: BlockPlace): string {
  return block.segments.map(({ tensor }) => attemptOf(attempts, file, tensor)).join(' ');
}

/** Records with the offsets and gains that this checkpoint's weights ask for. */
function fitted(
  parts: ResidualModelParts,
  files: readonly (ResidualFile | undefined)[],
  sums: PassResult['sums'],
): (ResidualFile | undefined)[] {
  return files.map((file, number) => {
    if (file === undefined) return undefined;
    const residuals = new Map(
      [...file.residuals].map(([tensor, record]) => {
        // What a weight's error is made up for with must be what it is rebuilt to.
        if (hasGramMatrix(parts, number, tensor))
          return [tensor, { ...record, offsets: [0, 0], gain: unitGain }] as const;
        const { name, shape } = file.layout.tensors[tensor]!;
        const known = parts.ancestor?.residualTensor(number, name);
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

function segmentOf({ scales, layout }: ResidualFile, tensor: number, record: ResidualTensor): LatticeSegment {
  return latticeSegment(record, { elementCount: 1, scale: scaleOf(scales, layout.tensors[tensor]!.shape) });
}

/** The tensors whose error is beyond {@link errorRatioMax}. */
function tensorsBeyond(
  files: readonly (ResidualFile | undefined)[],
  sums: PassResult['sums'],
): { file: number; tensor: number }[] {
  return files.flatMap((residual, file) =>
    [...(residual?.residuals ?? [])]
      .filter(([tensor, record]) => {
        const { error, fresh } = latticeError(sums[file]!.get(tensor)!.errors, segmentOf(residual!, tensor, record));
        return error > errorRatioMax * fresh;
      })
      .map(([tensor]) => ({ file, tensor })),
  );
}

/**
 * 0 without gradients: all elements weigh alike then. A gradient of the tensor's root mean square has weight 16: none
 * is then large enough to be cut, which the core does at 2^40.
 */
function gradientScale({ moments }: ResidualModelParts, file: number, tensor: number): number {
  const { gradientSumOfSquares, elementCount } = moments[file]!.get(tensor)!;
  return gradientSumOfSquares > 0 ? 4 / Math.sqrt(gradientSumOfSquares / elementCount) : 0;
}
