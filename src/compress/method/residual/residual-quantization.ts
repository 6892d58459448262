import { residualStepMin, type ResidualConfig } from '../../../checkpoint/options/methods/residual-config.ts';
import type { QuantizationConfig } from '../../../checkpoint/options/quantization-config.ts';
import type { Hysteresis, RoundingChoice } from '../../../checkpoint/options/methods/residual-search-options.ts';
import type { NativeCore } from '../../../native/core.ts';
import { firstStep, searchStep } from './steps/search-step.ts';
import type { FoundConfig, TrialRunner } from '../../../search/trial-runner.ts';
import { ByteCache } from '../../../restore/byte-cache.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import type { GramMatrices } from '../gram-matrices.ts';
import type { ModelSource } from '../../upload/model-source.ts';
import type { SymbolCache } from './lattice/symbol-cache.ts';
import { residualConditions } from './residual-conditions.ts';
import { residualBlocks } from './residual-blocks.ts';
import type { CodingPlan } from '../../plan/plan-codings.ts';
import type { EncodingOptions, Quantization } from '../quantized-model.ts';
import { quantizeResiduals, estimateResidualBytes, type ResidualModel } from './residual-model.ts';
import type { DeviceNames } from './held-names.ts';
import { planSteps } from './steps/residual-steps.ts';
import { ancestorInLatticeRange } from './lattice/ancestor-in-lattice-range.ts';
import { isResumed, type Resumption } from '../../ancestor/resumed-training.ts';
import { sampleBlocks } from '../../plan/sample-blocks.ts';
import { someOf } from '../../some-of.ts';
import { measureMovement } from './steps/measure-movement.ts';
import { measureMoves } from './steps/measure-moves.ts';
import { startedStepBound, stepBound } from './steps/step-bound.ts';
import { commonStepLimit } from './steps/tensor-limits.ts';
import { startedTensors } from './lattice/started-tensors.ts';
import { gatherMoments } from './tensor-moments.ts';

export interface ResidualParts extends EncodingOptions {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  readonly ancestor: Ancestor | undefined;
  readonly core: NativeCore;
  /** The config of the previous checkpoint. */
  readonly last: QuantizationConfig | undefined;
  readonly warn: (sentence: string) => void;
  readonly symbolCache: SymbolCache;
  readonly rounding: RoundingChoice;
  /** `fixed` if absent. */
  readonly hysteresis?: Hysteresis | undefined;
  /** Bound on every tensor's error, in standard deviations of its weights (`SearchOptions.weightErrorMax`). */
  readonly weightErrorMax?: number | undefined;
  /** Absent if the config is given: it is then used as it is. */
  readonly resumption?: Resumption | undefined;
  /** Absent if inputs cannot be measured. */
  readonly gramMatrices?: GramMatrices | undefined;
  /** Absent without a device. */
  readonly deviceNames?: DeviceNames | undefined;
}

/** Most quantized models cached: a search needs each one twice, for its bytes and for its quality. */
const formsKept = 16;

/**
 * The residual method (docs/decisions/0013-residual-method.md): every weight is quantized as the difference from the
 * rebuilt ancestor, in steps that one search finds. Reads the model once to choose steps.
 */
export async function residualQuantization(parts: ResidualParts): Promise<Quantization> {
  const { source, plan, last, rounding } = parts;
  const moments = await gatherMoments(source, plan, parts);
  const lastStep = last?.method === 'residual' ? last : undefined;
  let { ancestor } = parts;
  const planning = { lastScale: lastStep?.step, weightErrorMax: parts.weightErrorMax };
  let started = startedTensors(plan, ancestor);
  let records = planSteps(source.files, moments, { ...planning, ancestor, started });
  if (records === undefined || !(await ancestorInLatticeRange(parts, records))) {
    ancestor = undefined;
    started = startedTensors(plan, ancestor);
    records = planSteps(source.files, moments, planning)!;
  }
  const { resumption } = parts;
  // If training was resumed from a rebuilt checkpoint, now or recently, the rebuilt weights must not lag behind.
  const toNearest = rounding === 'nearest' || (resumption !== undefined && isResumed(resumption));
  const isPulled =
    ancestor !== undefined && rounding === 'nearest' && !(resumption !== undefined && isResumed(resumption));
  const { gramMatrices } = parts;
  const moves =
    isPulled && gramMatrices !== undefined
      ? await measureMoves({ ...parts, ancestor: ancestor!, gramMatrices })
      : undefined;
  const forms = new ByteCache<Promise<ResidualModel>>(formsKept);
  const names = parts.deviceNames?.against(ancestor);
  const modelParts = { ...parts, ancestor, records, moments, started, toNearest, names, moves };
  const quantize = (config: QuantizationConfig): Promise<ResidualModel> => {
    const { step } = own(config);
    const known = forms.get(String(step));
    if (known !== undefined) return known;
    const made = quantizeResiduals(modelParts, step);
    forms.set(String(step), made, 1);
    return made;
  };
  const isLimited = parts.weightErrorMax !== undefined;
  const stepLimit = isLimited || moves !== undefined ? commonStepLimit(modelParts, records) : undefined;
  const bound = stepBound({
    lastStep: lastStep?.step,
    ancestorStep: ancestor?.index.residual?.scales.matrices,
    toNearest,
    // Without limits of tensors the common step is all that keeps theirs from growing.
    follows: moves !== undefined && stepLimit !== undefined,
    resumption,
  });
  const movementBound = async (): Promise<number | undefined> => {
    if (started.every(({ size }) => size === 0)) return undefined;
    return startedStepBound(await measureMovement(modelParts));
  };
  const roughBytes = (config: QuantizationConfig): Promise<number> =>
    isSampled(plan) ? estimateResidualBytes(modelParts, own(config).step) : quantize(config).then(({ bytes }) => bytes);
  return {
    conditions: residualConditions({
      ancestor: ancestor?.index.id,
      gptq: parts.gramMatrices !== undefined,
      rounding: toNearest ? 'nearest' : 'archive',
      hysteresis: toNearest ? undefined : (parts.hysteresis ?? 'fixed'),
      isLimited: isLimited && stepLimit !== undefined,
      isPulled: moves !== undefined,
    }),
    describe: async (config, options) => {
      const chosen = await quantize(config);
      if (chosen.beyond.length > 0)
        parts.warn(
          `Tensors whose error is more than 1.5 times that of quantizing them afresh: ${someOf(chosen.beyond)}.`,
        );
      return {
        resumed: resumption?.here ?? false,
        ...(resumption !== undefined && { roundingError: await chosen.roundingError(options) }),
      };
    },
    quantize,
    estimateBytes: async (config) => (await quantize(config)).bytes,
    roughBytes,
    leastBytes: () => roughBytes({ method: 'residual', step: stepLimit ?? firstStep }),
    search: async (runner: TrialRunner): Promise<FoundConfig | undefined> => {
      const max = leastOf(leastOf(bound, await movementBound()), stepLimit);
      return searchStep({ last: lastStep?.step, isBase: ancestor === undefined, max, first: stepLimit }, runner);
    },
  };
}

/** The smaller of two bounds, each of which may be absent. */
function leastOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** Whether an estimate uses only a sample of the model. */
function isSampled(plan: CodingPlan): boolean {
  const all = [...residualBlocks(plan)];
  return sampleBlocks(all).blocks.length < all.length;
}

function own(config: QuantizationConfig): ResidualConfig {
  if (config.method !== 'residual') throw new TypeError(`a config of another method: ${config.method}`);
  return { ...config, step: Math.max(residualStepMin, config.step) };
}
