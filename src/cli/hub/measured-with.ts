/** The options of commands that say what a run or a checkpoint is measured with. */
export interface Measuring {
  readonly evalSet?: string;
  /** Largest degradation of each metric. */
  readonly threshold?: Readonly<Record<string, number>>;
  /** Accept a threshold that lets through what most would call damage. */
  readonly allowLarge?: boolean;
}

interface Measured {
  evalSet?: string;
  thresholds?: Record<string, number>;
  allowLarge?: boolean;
}

/** The fields of the API for these options. Pure. */
export function measuredWith({ evalSet, threshold, allowLarge }: Measuring): Measured {
  return {
    ...(evalSet !== undefined && { evalSet }),
    ...(threshold !== undefined && { thresholds: { ...threshold } }),
    ...(allowLarge !== undefined && { allowLarge }),
  };
}
