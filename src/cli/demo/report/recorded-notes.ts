/**
 * Relative difference from which a recorded metric is taken for another one; rounding to 16 bits and other kernels stay
 * well below.
 */
const recordedDifferenceMax = 0.05;

/**
 * Sentences for the metrics that a series recorded while training and that its eval graph and batches do not reproduce
 * on the uploaded weights: what is then bounded is not what the series means.
 */
export function recordedNotes(
  recorded: Readonly<Record<string, number>>,
  measured: Readonly<Record<string, number | null>>,
): string[] {
  return Object.entries(recorded).flatMap(([name, expected]) => {
    const found = measured[name];
    if (typeof found !== 'number' || Math.abs(found - expected) <= recordedDifferenceMax * Math.abs(expected))
      return [];
    return [
      `The series records ${name} ${expected.toPrecision(4)} here; its eval graph and batches give ${found.toPrecision(4)}.`,
    ];
  });
}
