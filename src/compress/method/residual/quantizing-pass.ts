import {
  latticeCountsIndex,
  latticeErrorWords,
  latticeStatisticsWords,
  type ContextTables,
} from '../../../native/core.ts';
import { slotCount, type ResidualFile } from '../../../package/blocks/residual-block.ts';
import type { ResidualTensor } from '../../../package/residual-tensor.ts';
import type { Hysteresis } from '../../../checkpoint/options/methods/residual-search-options.ts';
import { distanceInSteps } from './steps/distance-in-steps.ts';
import { forEachBounded } from '../../bounded-parallel.ts';
import type { Rounding } from './lattice/gptq-targets.ts';
import { symbolRates } from './lattice/symbol-rates.ts';
import type { SymbolCache } from './lattice/symbol-cache.ts';
import type { CodingPlan } from '../../plan/plan-codings.ts';
import type { EncodingOptions } from '../quantized-model.ts';
import type { BlockPlace } from '../../../package/blocks/block-plan.ts';
import { ResidualCoder, type BlockFindings, type BlockRounding, type ResidualCoderParts } from './residual-coder.ts';
import type { ModelMoments } from './tensor-moments.ts';
import { type Attempts, attemptOf, roundingsOf, waysOf, hasGramMatrix, baseDeadZone } from './rounding-attempts.ts';
import type { TensorSums } from './tensor-errors.ts';

export interface ResidualModelParts
  extends EncodingOptions, Omit<ResidualCoderParts, 'modelSymbols' | 'gradientScale'> {
  readonly plan: CodingPlan;
  readonly records: readonly ReadonlyMap<number, ResidualTensor>[];
  readonly moments: ModelMoments;
  /** By file: the tensors that start from exact weights of the ancestor. */
  readonly started: readonly ReadonlySet<number>[];
  readonly symbolCache: SymbolCache;
  /** `fixed` if absent. A base, and weights that are rounded to the nearest step, have no rates. */
  readonly hysteresis?: Hysteresis | undefined;
  /** Weights are rounded to the nearest step, without offsets, so that the rebuilt model does not lag behind. */
  readonly toNearest: boolean;
  /** Bound on every tensor's error, in standard deviations of its weights; no bound if undefined. */
  readonly weightErrorMax?: number | undefined;
}

export interface PassResult {
  readonly tables: ContextTables;
  /** Share of weights that moved; undefined if no weight had a previous value. */
  readonly migration: number | undefined;
  /** By file, by tensor. */
  readonly sums: readonly ReadonlyMap<number, TensorSums>[];
}

/**
 * Quantizes blocks with one way of rounding after another. A block with the same rounding as before is not quantized
 * again while its symbols are cached.
 */
export class QuantizingPass {
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
   * Measures rates of moves under the first rounding of every tensor; they apply from then on. Without an ancestor
   * there are none.
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

  /**
   * Root mean square of the matrices' rounding errors, in steps, after a pass with these attempts. Blocks are rounded
   * again only if the pass did not sum their errors with equal weights.
   */
  roundingError(
    files: readonly (ResidualFile | undefined)[],
    attempts: Attempts,
    options: EncodingOptions,
  ): Promise<number | undefined> {
    const { core } = this.parts;
    const numbers = new Map(this.places.map((at, number) => [at, number]));
    return distanceInSteps(this.places, {
      ...options,
      core,
      files,
      errorsOf: async (file, at, counts) => {
        const found = this.found[numbers.get(at)!];
        const summed = found?.rounding === describeRounding(attempts, at) ? found.findings.plainErrors : undefined;
        return summed ?? this.coder.errors(file, at, this.roundingOf(attempts, at), counts, options.signal);
      },
    });
  }

  /** Tensors without GPTQ in one block share one dead zone, the narrowest that any of them needs. */
  roundingOf(attempts: Attempts, { file, block }: BlockPlace): BlockRounding {
    const ofTensor = (tensor: number): Rounding => {
      const ways = roundingsOf(this.parts, file, tensor);
      const { strength, deadZone } = ways[Math.min(attemptOf(attempts, file, tensor).tries, ways.length - 1)]!;
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

  /** Sums in the order of blocks: errors are floating-point numbers, and decisions depend on them. */
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
        const addErrors = (total: Float64Array, sums: Float64Array): void =>
          total.forEach((_, word) => (total[word]! += sums[s * latticeErrorWords + word]!));
        const total = sums[file]!.get(tensor) ?? {
          statistics: new BigInt64Array(statistics.length),
          errors: new Float64Array(latticeErrorWords),
          plainErrors: new Float64Array(latticeErrorWords),
        };
        statistics.forEach((sum, word) => (total.statistics[word]! += sum));
        addErrors(total.errors, findings.errors);
        if (findings.plainErrors !== undefined) addErrors(total.plainErrors, findings.plainErrors);
        sums[file]!.set(tensor, total);
        if (findings.compared > 0) for (let j = 0; j < 3; j++) moved += Number(statistics[latticeCountsIndex + j]!);
      }
    }
    return { sums, migration: compared === 0 ? undefined : moved / compared };
  }
}

/** Identifies everything that the symbols of a block depend on, except the common step. */
function describeRounding(attempts: Attempts, { file, block }: BlockPlace): string {
  return block.segments
    .map(({ tensor }) => {
      const { tries, finer } = attemptOf(attempts, file, tensor);
      return `${tries}-${finer}`;
    })
    .join(' ');
}
