import { residualStepMin, type ResidualConfig } from '../../../checkpoint/options/methods/residual-config.ts';
import type { QuantizationConfig } from '../../../checkpoint/options/quantization-config.ts';
import type { Hysteresis, RoundingChoice } from '../../../checkpoint/options/search-options.ts';
import type { NativeCore } from '../../../native/core.ts';
import { searchStep } from '../../../search/search-step.ts';
import type { FoundConfig, TrialRunner } from '../../../search/trial-runner.ts';
import { ByteCache } from '../../../restore/byte-cache.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import type { InputFeedback } from '../input-feedback.ts';
import type { ModelSource } from '../../upload/model-source.ts';
import type { MovesMemory } from './moves-memory.ts';
import { residualBlocks } from './residual-blocks.ts';
import type { CodingPlan } from '../../plan/plan-codings.ts';
import type { FormOptions, Quantization } from '../quantized-form.ts';
import { buildResidualForm, estimateResidualForm, type ResidualForm } from './residual-form.ts';
import { planSteps } from './residual-steps.ts';
import { refines } from './refine-units.ts';
import { isResumed, type Resumption } from '../../ancestor/resumed-training.ts';
import { sampleBlocks } from '../../plan/sample-blocks.ts';
import { someOf } from '../../some-of.ts';
import { stepBound } from './step-bound.ts';
import { gatherMoments } from './tensor-moments.ts';

export interface ResidualParts extends FormOptions {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  readonly ancestor: Ancestor | undefined;
  readonly core: NativeCore;
  /** The config of the checkpoint before. */
  readonly last: QuantizationConfig | undefined;
  readonly warn: (sentence: string) => void;
  readonly moves: MovesMemory;
  readonly rounding: RoundingChoice;
  /** `fixed` where absent. */
  readonly hysteresis?: Hysteresis | undefined;
  /** Absent where the config is given: it is taken as it is. */
  readonly resumption?: Resumption | undefined;
  /** Absent where there is nothing to measure inputs with. */
  readonly feedback?: InputFeedback | undefined;
}

/** Forms kept: a search asks for each one twice, for its bytes and for its quality. */
const formsKept = 16;

/**
 * The residual method (docs/decisions/0013-residual-method.md): every weight is quantized as the difference to what the ancestor rebuilds, in steps
 * that one search finds. Reads the model once to choose steps.
 */
export async function residualQuantization(parts: ResidualParts): Promise<Quantization> {
  const { source, plan, last, rounding } = parts;
  const moments = await gatherMoments(source, plan, parts);
  const lastStep = last?.method === 'residual' ? last : undefined;
  let { ancestor } = parts;
  let records = planSteps(source.files, moments, ancestor, lastStep?.step);
  if (records === undefined || !(await refines(parts, records))) {
    ancestor = undefined;
    records = planSteps(source.files, moments, undefined, lastStep?.step)!;
  }
  const { resumption } = parts;
  // Where training was resumed from a rebuilt checkpoint, now or not long ago, nothing of what is trained may lag behind.
  const toNearest = rounding === 'nearest' || (resumption !== undefined && isResumed(resumption));
  const forms = new ByteCache<Promise<ResidualForm>>(formsKept);
  const formParts = { ...parts, ancestor, records, moments, toNearest };
  const form = (config: QuantizationConfig): Promise<ResidualForm> => {
    const { step } = own(config);
    const known = forms.get(String(step));
    if (known !== undefined) return known;
    const made = buildResidualForm(formParts, step);
    forms.set(String(step), made, 1);
    return made;
  };
  const max = stepBound({ lastStep: lastStep?.step, ancestorStep: ancestor?.index.residual?.scales.matrices, resumption });
  return {
    conditions: {
      ancestor: ancestor?.index.id ?? 'base',
      feedback: parts.feedback !== undefined,
      rounding: toNearest ? 'nearest' : 'dead-zone',
      // Weights that are rounded to the nearest value have no hysteresis.
      hysteresis: toNearest ? undefined : (parts.hysteresis ?? 'fixed'),
    },
    describe: async (config, options) => {
      const chosen = await form(config);
      if (chosen.beyond.length > 0) parts.warn(`Tensors whose error is more than 1.5 times that of quantizing them afresh: ${someOf(chosen.beyond)}.`);
      return { resumed: resumption?.here ?? false, ...(resumption !== undefined && { roundingError: await chosen.roundingError(options) }) };
    },
    form,
    estimateBytes: async (config) => (await form(config)).bytes,
    roughBytes: (config) => (isSampled(plan) ? estimateResidualForm(formParts, own(config).step) : form(config).then(({ bytes }) => bytes)),
    search: (runner: TrialRunner): Promise<FoundConfig | undefined> => searchStep({ last: lastStep?.step, isBase: ancestor === undefined, max }, runner),
  };
}

/** Whether an estimate looks at a part of the model only. */
function isSampled(plan: CodingPlan): boolean {
  const all = [...residualBlocks(plan)];
  return sampleBlocks(all).blocks.length < all.length;
}

function own(config: QuantizationConfig): ResidualConfig {
  if (config.method !== 'residual') throw new TypeError(`a config of another method: ${config.method}`);
  return { ...config, step: Math.max(residualStepMin, config.step) };
}
