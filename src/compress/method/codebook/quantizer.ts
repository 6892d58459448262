import { dtypeBytes } from '../../../checkpoint/dtype.ts';
import type { InshrinkeratorConfig } from '../../../checkpoint/options/methods/inshrinkerator-config.ts';
import { configKey } from '../../../checkpoint/options/quantization-config.ts';
import type { ClusteringChoice } from '../../../checkpoint/options/methods/inshrinkerator-search-options.ts';
import {
  sketchWords,
  type LevelMap,
  type NativeCore,
  type Partition,
  type Sketch,
  type WeightBlock,
} from '../../../native/core.ts';
import { ByteCache } from '../../../restore/byte-cache.ts';
import { forEachBounded } from '../../bounded-parallel.ts';
import { emptySketch, type ModelStatistics } from './model-statistics.ts';
import { levelBlocks } from './level-blocks.ts';
import type { CodingPlan, QuantizedGroup } from '../../plan/plan-codings.ts';
import type { WeightSource } from './held-weights.ts';

/** How one group's weights become levels under a config, and how levels become elements again. */
export interface GroupQuantizer {
  readonly group: QuantizedGroup;
  readonly partition: Partition;
  readonly map: LevelMap;
  readonly levelCount: number;
  /** 256 elements of the group's dtype: the decoded value of each level. */
  readonly table: Uint8Array;
}

export interface QuantizerOptions {
  /** Clustering for configs without a price of bits. */
  readonly clustering: ClusteringChoice;
  readonly seed: bigint;
  readonly parallel: number;
  readonly signal?: AbortSignal;
}

/** Entries of a level table: every value a level byte can take. */
const tableEntries = 256;

/**
 * Most bytes of cached sketches, for configs with a partition met before: the paper's cube with three groups takes 28
 * MB.
 */
const sketchCacheMaxBytes = 64 * 1024 * 1024;
/** Most bytes of cached quantizers. */
const quantizerCacheMaxBytes = 8 * 1024 * 1024;
/** Size of one group's quantizer, in bytes: table, centroids and the objects around them. */
const groupQuantizerBytes = 4096;

/** Share of frequency in the k-means weights (Inshrinkerator section 4.4: sigma = 0.2 in all experiments). */
const sigma = 0.2;

/**
 * Builds the quantizer of every group for a config (Inshrinkerator section 4): thresholds from sketches, then a
 * codebook from the sketch of the weights that are neither protected nor pruned. Passes over the weights are shared by
 * configs with the same partition.
 */
export class Quantizer {
  private readonly source: WeightSource;
  private readonly plan: CodingPlan;
  private readonly statistics: ModelStatistics;
  private readonly core: NativeCore;
  private readonly options: QuantizerOptions;
  private readonly remaining = new ByteCache<Promise<readonly Sketch[]>>(sketchCacheMaxBytes);
  private readonly built = new ByteCache<Promise<readonly GroupQuantizer[]>>(quantizerCacheMaxBytes);

  constructor(
    source: WeightSource,
    plan: CodingPlan,
    statistics: ModelStatistics,
    core: NativeCore,
    options: QuantizerOptions,
  ) {
    this.source = source;
    this.plan = plan;
    this.statistics = statistics;
    this.core = core;
    this.options = options;
  }

  /** By codebook number. */
  build(config: InshrinkeratorConfig): Promise<readonly GroupQuantizer[]> {
    return remember(this.built, { key: configKey(config), bytes: this.plan.groups.length * groupQuantizerBytes }, () =>
      this.buildGroups(config),
    );
  }

  private async buildGroups(config: InshrinkeratorConfig): Promise<readonly GroupQuantizer[]> {
    const partitions = this.partitions(config);
    const sketches = await this.remainingSketches(config, partitions);
    return Promise.all(
      this.plan.groups.map(async (group, i) => {
        const bins = group.layerType === 'embedding' ? config.embeddingBins : config.bins;
        const cells = await this.cells(sketches[i]!, bins, config);
        const { centroids } = cells;
        const table = new Uint8Array(tableEntries * dtypeBytes[group.dtype]);
        const bytes = new Uint8Array(centroids.buffer, centroids.byteOffset, centroids.byteLength);
        table.set(await this.core.convert(bytes, 'F32', group.dtype, this.options.signal));
        return groupQuantizer({ group, partition: partitions[i]!, cells, table }, config);
      }),
    );
  }

  /**
   * With k-means, a weight goes to the nearest centroid, so there are no boundaries. Entropy-constrained codebooks
   * weigh bits against plain squared error (docs/decisions/0021-entropy-constrained-codebooks.md).
   */
  private async cells(
    sketch: Sketch,
    bins: number,
    { bitPrice }: InshrinkeratorConfig,
  ): Promise<Pick<LevelMap, 'centroids' | 'boundaries'>> {
    const { clustering, seed, signal } = this.options;
    if (bitPrice !== undefined || clustering === 'entropy')
      return this.core.buildEntropyCodebook(
        sketch,
        bins,
        { weighting: 'frequency', sigma, bitPrice: bitPrice ?? 0 },
        signal,
      );
    return {
      centroids: await this.core.buildCodebook(
        sketch,
        bins,
        { clustering, weighting: 'frequency-magnitude', sigma, seed },
        signal,
      ),
    };
  }

  private partitions(config: InshrinkeratorConfig): Partition[] {
    const { magnitude, sensitivity, magnitudeByGroup } = this.statistics;
    const half = config.protectFraction / (sensitivity === undefined ? 1 : 2);
    const top = (sketch: Sketch): number => (half > 0 ? this.core.sketchTopThresholdSync(sketch, half) : Infinity);
    const protectMagnitudeMin = top(magnitude);
    const protectSensitivityMin = sensitivity === undefined ? Infinity : top(sensitivity.all);
    const bySensitivity = config.pruneMetric === 'sensitivity' && sensitivity !== undefined;
    return this.plan.groups.map((group, i) => {
      const scores = bySensitivity ? sensitivity.byGroup[i]! : magnitudeByGroup[i]!;
      const prunes = config.pruneFraction > 0 && group.layerType !== 'embedding';
      return {
        protectMagnitudeMin,
        protectSensitivityMin,
        pruneMetric: bySensitivity ? 'sensitivity' : 'magnitude',
        pruneBelow: prunes ? this.core.sketchBottomThresholdSync(scores, config.pruneFraction) : 0,
      };
    });
  }

  private remainingSketches(
    config: InshrinkeratorConfig,
    partitions: readonly Partition[],
  ): Promise<readonly Sketch[]> {
    const key = [config.pruneFraction, config.pruneMetric, config.protectFraction].join('/');
    const bytes = this.plan.groups.length * sketchWords * BigUint64Array.BYTES_PER_ELEMENT;
    return remember(this.remaining, { key, bytes }, async () => {
      const sketches = this.plan.groups.map(emptySketch);
      await forEachBounded(levelBlocks(this.plan), this.options.parallel, async ({ file, block, group }) => {
        const pair = await this.source.readWeights(file, block, this.options.signal);
        await this.core.sketchQuantized(this.usable(pair), partitions[group]!, sketches[group]!, this.options.signal);
      });
      return sketches;
    });
  }

  /** Gradients that are all zero are treated as absent. */
  usable(pair: WeightBlock): WeightBlock {
    if (this.statistics.sensitivity !== undefined) return pair;
    const { weights, weightDtype, heldAs } = pair;
    return { weights, weightDtype, heldAs };
  }
}

function groupQuantizer(
  parts: {
    group: QuantizedGroup;
    partition: Partition;
    cells: Pick<LevelMap, 'centroids' | 'boundaries'>;
    table: Uint8Array;
  },
  config: InshrinkeratorConfig,
): GroupQuantizer {
  const { group, partition, cells, table } = parts;
  const bins = cells.centroids.length;
  const prunes = config.pruneFraction > 0 && group.layerType !== 'embedding';
  const protects = config.protectFraction > 0;
  const map: LevelMap = {
    ...cells,
    ...(prunes ? { prunedLevel: bins } : {}),
    ...(protects ? { protectedLevel: bins + Number(prunes) } : {}),
  };
  return { group, partition, map, levelCount: bins + Number(prunes) + Number(protects), table };
}

function remember<T>(
  memory: ByteCache<Promise<T>>,
  { key, bytes }: { readonly key: string; readonly bytes: number },
  make: () => Promise<T>,
): Promise<T> {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = make();
  memory.set(key, made, bytes);
  return made;
}
