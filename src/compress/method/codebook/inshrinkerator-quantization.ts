import type { InshrinkeratorConfig } from '../../../checkpoint/options/methods/inshrinkerator-config.ts';
import type { QuantizationConfig } from '../../../checkpoint/options/quantization-config.ts';
import type { InshrinkeratorSearchOptions } from '../../../checkpoint/options/methods/inshrinkerator-search-options.ts';
import type { NativeCore } from '../../../native/core.ts';
import { searchConfig } from './search/search-config.ts';
import { configAlone } from '../../../search/trial-conditions.ts';
import type { FoundConfig, TrialRunner } from '../../../search/trial-runner.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import { estimateBytes } from './estimate-bytes.ts';
import { LevelModel } from './level-model.ts';
import type { CodingPlan } from '../../plan/plan-codings.ts';
import type { EncodingOptions, Quantization, QuantizedModel } from '../quantized-model.ts';
import type { Quantizer } from './quantizer.ts';
import type { WeightSource } from './held-weights.ts';

export interface InshrinkeratorParts {
  readonly source: WeightSource;
  readonly plan: CodingPlan;
  readonly quantizer: Quantizer;
  readonly ancestor: Ancestor | undefined;
  readonly core: NativeCore;
  readonly options: InshrinkeratorSearchOptions;
  readonly hasSensitivity: boolean;
  /** The config of the previous checkpoint. */
  readonly last: QuantizationConfig | undefined;
}

/** The paper's method: codebooks by layer type, and a search over its config cube. */
export class InshrinkeratorQuantization implements Quantization {
  /** Quality does not depend on the ancestor. */
  readonly conditions = configAlone;
  private readonly parts: InshrinkeratorParts;

  constructor(parts: InshrinkeratorParts) {
    this.parts = parts;
  }

  async quantize(config: QuantizationConfig): Promise<QuantizedModel> {
    const groups = await this.parts.quantizer.build(own(config));
    return new LevelModel({ ...this.parts, groups }, this.parts.plan);
  }

  estimateBytes(config: QuantizationConfig, options: EncodingOptions): Promise<number> {
    return estimateBytes(this.parts, own(config), options);
  }

  search(runner: TrialRunner): Promise<FoundConfig | undefined> {
    const { plan, options, hasSensitivity, last } = this.parts;
    const model = { hasEmbeddings: plan.groups.some((group) => group.layerType === 'embedding'), hasSensitivity };
    return searchConfig({ options, model, ...(last?.method === 'inshrinkerator' && { last }) }, runner);
  }
}

function own(config: QuantizationConfig): InshrinkeratorConfig {
  if (config.method !== 'inshrinkerator') throw new TypeError(`a config of another method: ${config.method}`);
  return config;
}
