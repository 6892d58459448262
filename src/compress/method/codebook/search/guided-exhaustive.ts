import { atLeastAsAggressive, type ConfigCube, type CubePoint, type PruneMetric } from './config-cube.ts';
import type { FoundConfig, TrialRunner } from '../../../../search/trial-runner.ts';

interface Box {
  readonly low: CubePoint;
  readonly high: CubePoint;
}

/**
 * Guided exhaustive search by divide and conquer (Inshrinkerator section 5, algorithm 4), once per pruning metric; the
 * better result wins. In each box, bisection finds the first passing point of the diagonal. The search then leaves out
 * the points that this one dominates (they take more bytes) and those at least as aggressive as a failure (their
 * quality is worse). It searches the remaining sub-boxes, and skips those that cannot beat the best so far.
 */
export async function searchGuidedExhaustive(
  cube: ConfigCube,
  metrics: readonly PruneMetric[],
  runner: TrialRunner,
): Promise<FoundConfig | undefined> {
  let best: FoundConfig | undefined;
  for (const metric of metrics) {
    const search = new BoxSearch(cube, metric, runner, best);
    await search.search({ low: cube.lowest(), high: cube.highest() });
    best = search.best;
  }
  return best;
}

class BoxSearch {
  /** The fewest estimated bytes among those that passed. */
  best: FoundConfig | undefined;
  private readonly failures: CubePoint[] = [];
  private readonly cube: ConfigCube;
  private readonly metric: PruneMetric;
  private readonly runner: TrialRunner;

  constructor(cube: ConfigCube, metric: PruneMetric, runner: TrialRunner, best: FoundConfig | undefined) {
    this.cube = cube;
    this.metric = metric;
    this.runner = runner;
    this.best = best;
  }

  async search(box: Box): Promise<void> {
    if (this.runner.exhausted || this.knownToFail(box.high)) return;
    const worthwhile = await this.cheaperPrefix(diagonal(box));
    if (worthwhile.points.length === 0) return;
    const pivot = (await this.bisect(worthwhile.points)) ?? worthwhile.next;
    if (pivot === undefined) return;
    for (const sub of feasibleSubBoxes(box, pivot)) await this.search(sub);
  }

  /** The leading diagonal points that would beat the best, and the first that would not. */
  private async cheaperPrefix(
    points: readonly CubePoint[],
  ): Promise<{ points: CubePoint[]; next: CubePoint | undefined }> {
    const kept: CubePoint[] = [];
    for (const point of points) {
      if (
        this.best !== undefined &&
        (await this.runner.estimate(this.cube.config(point, this.metric))) >= this.best.estimatedBytes
      )
        return { points: kept, next: point };
      kept.push(point);
    }
    return { points: kept, next: undefined };
  }

  /** First passing point, if quality is monotone along the diagonal; undefined when the last one fails. */
  private async bisect(points: readonly CubePoint[]): Promise<CubePoint | undefined> {
    let low = 0;
    let high = points.length;
    while (low < high && !this.runner.exhausted) {
      const middle = (low + high) >> 1;
      const speculation = [(low + middle) >> 1, (middle + 1 + high) >> 1]
        .filter((i) => i < points.length)
        .map((i) => points[i]!);
      if (await this.passes(points[middle]!, speculation)) high = middle;
      else low = middle + 1;
    }
    return points[high];
  }

  private async passes(point: CubePoint, speculation: readonly CubePoint[]): Promise<boolean> {
    if (this.knownToFail(point)) return false;
    const config = this.cube.config(point, this.metric);
    const next = speculation
      .filter((other) => !this.knownToFail(other))
      .map((other) => this.cube.config(other, this.metric));
    const outcome = await this.runner.trial(config, next);
    if (!outcome.passed) {
      this.failures.push(point);
      return false;
    }
    const estimatedBytes = await this.runner.estimate(config);
    if (this.best === undefined || estimatedBytes < this.best.estimatedBytes) this.best = { config, estimatedBytes };
    return true;
  }

  private knownToFail(point: CubePoint): boolean {
    return this.failures.some((failure) => atLeastAsAggressive(point, failure));
  }
}

/** Points from the most to the least aggressive corner, moving every axis in proportion. */
function diagonal({ low, high }: Box): CubePoint[] {
  const steps = Math.max(...high.map((value, axis) => value - low[axis]!));
  return Array.from(
    { length: steps + 1 },
    (_, t) =>
      low.map(
        (value, axis) => value + Math.round(((high[axis]! - value) * t) / Math.max(1, steps)),
      ) as unknown as CubePoint,
  );
}

/** The points of `box` that are not at or above `pivot` on every axis, as disjoint boxes. */
function feasibleSubBoxes(box: Box, pivot: CubePoint): Box[] {
  return pivot.flatMap((at, axis) => {
    if (at <= box.low[axis]!) return [];
    const low = box.low.map((value, other) => (other < axis ? pivot[other]! : value)) as unknown as CubePoint;
    const high = box.high.map((value, other) => (other === axis ? at - 1 : value)) as unknown as CubePoint;
    return [{ low, high }];
  });
}
