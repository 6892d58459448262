import type { QuantizableDtype } from '../../../checkpoint/dtype.ts';
import type { InshrinkeratorConfig } from '../../../checkpoint/options/methods/inshrinkerator-config.ts';
import { quantizedLayerType } from '../../../graph/layers/quantized-layer-type.ts';
import { lastConfig } from '../../ancestor/last-config.ts';
import type { Method, MethodWork, QuantizationBasis } from '../method.ts';
import type { Quantization } from '../quantized-model.ts';
import { codebookSeed } from './codebook-seed.ts';
import { heldWeights, type WeightSource } from './held-weights.ts';
import { InshrinkeratorQuantization } from './inshrinkerator-quantization.ts';
import { gatherStatistics, type ModelStatistics } from './model-statistics.ts';
import { Quantizer } from './quantizer.ts';

/**
 * The paper's method (Inshrinkerator): matrices and embeddings as levels of a codebook for each layer type and dtype.
 */
export const inshrinkeratorMethod: Method = {
  name: 'inshrinkerator',
  codingOf: ({ layerType, entry }, groupOf) => {
    const quantized = quantizedLayerType(layerType, entry);
    return quantized && { kind: 'levels', codebook: groupOf(quantized, entry.dtype as QuantizableDtype) };
  },
  ancestry: { kind: 'nearest', reusesBase: true },
  begin: (work) => {
    const scope = work.core.openDeviceScope();
    const source = heldWeights(work.source, scope);
    return {
      quantization: (basis) => quantizationBehind({ ...work, source }, basis),
      close: () => scope?.close(),
    };
  },
};

async function quantizationBehind(
  work: Omit<MethodWork, 'source'> & { readonly source: WeightSource },
  { model: { plan }, ancestor, candidates }: QuantizationBasis,
): Promise<Quantization> {
  const { source, core, run, checkpoint, given, warn, parallel, signal } = work;
  const statistics = await gatherStatistics(source, plan, core, { parallel, signal });
  if (statistics.sensitivityUnusable !== undefined) warn(statistics.sensitivityUnusable);
  const missing = given?.method === 'inshrinkerator' ? whatGivenConfigLacks(given, statistics) : undefined;
  if (missing !== undefined) warn(missing);
  const options = { clustering: run.search.clustering, seed: codebookSeed(run, checkpoint), parallel, signal };
  const quantizer = new Quantizer(source, plan, statistics, core, options);
  const hasSensitivity = statistics.sensitivity !== undefined;
  return new InshrinkeratorQuantization({
    source,
    plan,
    quantizer,
    ancestor,
    core,
    options: run.search,
    hasSensitivity,
    last: lastConfig(candidates),
  });
}

/**
 * A search never uses a metric that cannot be computed. A given config may; pruning then works as without gradients
 * (quantizer.ts).
 */
function whatGivenConfigLacks(given: InshrinkeratorConfig, { sensitivity }: ModelStatistics): string | undefined {
  if (given.pruneMetric !== 'sensitivity' || given.pruneFraction === 0 || sensitivity !== undefined) return undefined;
  return (
    'The given config prunes by sensitivity, but there are no gradients of the quantized tensors, so they were ' +
    'pruned by magnitude.'
  );
}
