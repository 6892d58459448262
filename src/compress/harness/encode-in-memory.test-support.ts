import type { LayerType } from '../../checkpoint/layer-type.ts';
import type { InshrinkeratorConfig } from '../../checkpoint/options/methods/inshrinkerator-config.ts';
import { loadCore } from '../../native/load-core.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import type { WrittenPackage } from '../../package/write-package.ts';
import { Restorer } from '../../restore/restorer.ts';
import { Ancestor } from '../ancestor/ancestor.ts';
import { encodePackage, type EncodedCheckpoint } from '../encode/encode-package.ts';
import { LevelModel } from '../method/codebook/level-model.ts';
import { memorySource } from './memory-source.test-support.ts';
import type { ModelSource } from '../upload/model-source.ts';
import { gatherStatistics } from '../method/codebook/model-statistics.ts';
import { inshrinkeratorMethod } from '../method/codebook/inshrinkerator-method.ts';
import { planCodings, type CodingPlan } from '../plan/plan-codings.ts';
import { Quantizer } from '../method/codebook/quantizer.ts';
import type { TestTensors } from './tiny-model.test-support.ts';

const core = loadCore();
const parallel = 2;

/** A model in memory, ready to be quantized. */
export interface PreparedSource {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  readonly quantizer: Quantizer;
}

export async function prepareSource(
  tensors: TestTensors,
  types: ReadonlyMap<string, LayerType>,
): Promise<PreparedSource> {
  const source = memorySource(core, tensors);
  const plan = await planCodings(source, types, { parallel, codingOf: inshrinkeratorMethod.codingOf });
  const statistics = await gatherStatistics(source, plan, core, { parallel });
  return {
    source,
    plan,
    quantizer: new Quantizer(source, plan, statistics, core, { clustering: 'kmeanspp', seed: 3n, parallel }),
  };
}

/** Encodes into `store` under the key `id`, a hex digit; everything exact without a config. */
export async function encodeInMemory(
  store: MemoryStore,
  id: string,
  { source, plan, quantizer }: PreparedSource,
  config: InshrinkeratorConfig | undefined,
  ancestor?: Ancestor,
): Promise<EncodedCheckpoint> {
  const quantized =
    config === undefined
      ? {}
      : { quantized: new LevelModel({ source, quantizer, groups: await quantizer.build(config), core }, plan) };
  return encodePackage(
    {
      packageId: id.repeat(32),
      source,
      plan,
      ...quantized,
      external: new Set(),
      sha256: source.files.map((file) => file.sha256),
      ...(ancestor && { ancestor }),
    },
    { store, key: id, sizeMaxBytes: 2 ** 30 },
    core,
    { parallel },
  );
}

/** A base in `store` as the ancestor of a model. */
export async function ancestorInMemory(
  store: MemoryStore,
  id: string,
  { index, object, indexOffsetBytes, indexLengthBytes }: WrittenPackage,
  { source, plan }: Pick<PreparedSource, 'source' | 'plan'>,
): Promise<Ancestor> {
  const restorer = new Restorer({ core, store, indexCacheBytesMax: 0, blockCacheBytesMax: 0 });
  const chain = await restorer.open([
    { id: index.id, key: id, sizeBytes: object.sizeBytes, indexOffsetBytes, indexLengthBytes },
  ]);
  return new Ancestor(chain, source.files, plan);
}
