/** The checkpoints of a run at which training is restarted. */
export interface RestartPlan {
  readonly name: string;
  /** Numbers of checkpoints, rising; never the last, after which nothing is trained. */
  readonly checkpoints: readonly number[];
}

/**
 * Plans with one restart half-way, with one near the end, where an error has little time to heal, and with `count`
 * restarts evenly spread over the run's steps. Restart k of n comes after (k - 1/2) / n of the steps, so that the last
 * of ten falls into the last tenth. Each is at the nearest checkpoint, the earlier of two. Throws an Error if there are
 * too few.
 */
export function planRestarts(steps: readonly number[], count: number): RestartPlan[] {
  const spread = spreadRestarts(steps, count);
  return [
    { name: '1, half-way', checkpoints: spreadRestarts(steps, 1) },
    { name: '1, near the end', checkpoints: spread.slice(-1) },
    { name: String(count), checkpoints: spread },
  ];
}

function spreadRestarts(steps: readonly number[], count: number): number[] {
  const last = steps.length - 1;
  if (count > last) throw new Error(`${count} restarts need at least ${count + 1} checkpoints, not ${steps.length}`);
  const chosen: number[] = [];
  for (let k = 0; k < count; k += 1) {
    const target = (steps[last]! * (k + 0.5)) / count;
    // Leave enough checkpoints for the remaining restarts.
    const candidates = steps.slice((chosen.at(-1) ?? -1) + 1, last - (count - 1 - k));
    const nearest = candidates.reduce((best, step) =>
      Math.abs(step - target) < Math.abs(best - target) ? step : best,
    );
    chosen.push(steps.indexOf(nearest));
  }
  return chosen;
}
