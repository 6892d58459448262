import type { InshrinkeratorConfig } from '../../../../checkpoint/options/methods/inshrinkerator-config.ts';
import {
  defaultBitPrices,
  type InshrinkeratorSearchOptions,
} from '../../../../checkpoint/options/methods/inshrinkerator-search-options.ts';

/**
 * Index along each axis: bins, embedding bins, prune fraction, protect fraction, price of a bit. 0 is the most
 * aggressive value.
 */
export type CubePoint = readonly [number, number, number, number, number];

export type PruneMetric = InshrinkeratorConfig['pruneMetric'];

/**
 * The configuration cube (Inshrinkerator section 5, figure 8): axes ordered from most to least aggressive, so that
 * quality is expected to grow along every axis. Axes without effect collapse to one value: embedding bins without
 * embeddings, prices of bits without entropy-constrained codebooks.
 */
export class ConfigCube {
  readonly sizes: CubePoint;
  private readonly options: InshrinkeratorSearchOptions;
  /** One `undefined` if codebooks are k-means. */
  private readonly bitPrices: readonly (number | undefined)[];

  constructor(options: InshrinkeratorSearchOptions, model: { readonly hasEmbeddings: boolean }) {
    this.options = {
      ...options,
      bins: [...options.bins].sort((a, b) => a - b),
      embeddingBins: [...options.embeddingBins].sort((a, b) => a - b).slice(model.hasEmbeddings ? 0 : -1),
      pruneFractions: [...options.pruneFractions].sort((a, b) => b - a),
      protectFractions: [...options.protectFractions].sort((a, b) => a - b),
    };
    this.bitPrices =
      options.clustering === 'entropy'
        ? [...(options.bitPrices ?? defaultBitPrices)].sort((a, b) => b - a)
        : [undefined];
    const { bins, embeddingBins, pruneFractions, protectFractions } = this.options;
    this.sizes = [
      bins.length,
      embeddingBins.length,
      pruneFractions.length,
      protectFractions.length,
      this.bitPrices.length,
    ];
  }

  /**
   * The part of the cube that is no more aggressive than `config` on any axis. If an axis has no such value (a fork may
   * search another cube), its least aggressive one stays.
   */
  noMoreAggressiveThan(config: InshrinkeratorConfig): ConfigCube {
    const { bins, embeddingBins, pruneFractions, protectFractions, bitPrices = defaultBitPrices } = this.options;
    const bounded = {
      ...this.options,
      bins: keepOrLast(bins, (value) => value >= config.bins),
      embeddingBins: keepOrLast(embeddingBins, (value) => value >= config.embeddingBins),
      pruneFractions: keepOrLast(pruneFractions, (value) => value <= config.pruneFraction),
      protectFractions: keepOrLast(protectFractions, (value) => value >= config.protectFraction),
      bitPrices: keepOrLast(
        [...bitPrices].sort((a, b) => b - a),
        (value) => value <= (config.bitPrice ?? Infinity),
      ),
    };
    // Embedding bins without effect are one value already.
    return new ConfigCube(bounded, { hasEmbeddings: true });
  }

  config(point: CubePoint, pruneMetric: PruneMetric): InshrinkeratorConfig {
    const bitPrice = this.bitPrices[point[4]];
    return {
      method: 'inshrinkerator',
      bins: this.options.bins[point[0]]!,
      embeddingBins: this.options.embeddingBins[point[1]]!,
      pruneFraction: this.options.pruneFractions[point[2]]!,
      pruneMetric,
      protectFraction: this.options.protectFractions[point[3]]!,
      ...(bitPrice !== undefined && { bitPrice }),
    };
  }

  /**
   * The grid point of a config: each value is replaced by the nearest one of its axis (a fork may search another cube).
   */
  pointOf(config: InshrinkeratorConfig): CubePoint {
    const { bins, embeddingBins, pruneFractions, protectFractions } = this.options;
    return [
      nearest(bins, config.bins),
      nearest(embeddingBins, config.embeddingBins),
      nearest(pruneFractions, config.pruneFraction),
      nearest(protectFractions, config.protectFraction),
      nearest(
        this.bitPrices.map((price) => price ?? 0),
        config.bitPrice ?? 0,
      ),
    ];
  }

  /** Every point at most `radius` steps away along each axis, `centre` included. */
  neighbourhood(centre: CubePoint, radius: number): CubePoint[] {
    const ranges = centre.map((at, axis) =>
      range(Math.max(0, at - radius), Math.min(this.sizes[axis]! - 1, at + radius)),
    );
    return cartesian(ranges);
  }

  /** Every point, most aggressive first along each axis. */
  points(): CubePoint[] {
    return cartesian(this.sizes.map((size) => range(0, size - 1)));
  }

  lowest(): CubePoint {
    return [0, 0, 0, 0, 0];
  }
  highest(): CubePoint {
    return this.sizes.map((size) => size - 1) as unknown as CubePoint;
  }
}

/** True when `a` is at least as aggressive as `b` along every axis. */
export function atLeastAsAggressive(a: CubePoint, b: CubePoint): boolean {
  return a.every((value, axis) => value <= b[axis]!);
}

function keepOrLast(axis: readonly number[], keep: (value: number) => boolean): readonly number[] {
  const kept = axis.filter(keep);
  return kept.length > 0 ? kept : axis.slice(-1);
}

function nearest(axis: readonly number[], value: number): number {
  let best = 0;
  axis.forEach((candidate, i) => {
    if (Math.abs(candidate - value) < Math.abs(axis[best]! - value)) best = i;
  });
  return best;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function cartesian(axes: readonly (readonly number[])[]): CubePoint[] {
  return axes.reduce<number[][]>(
    (points, axis) => points.flatMap((point) => axis.map((at) => [...point, at])),
    [[]],
  ) as unknown as CubePoint[];
}
