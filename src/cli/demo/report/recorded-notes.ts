/**
 * Relative difference above which a recorded metric counts as another one; 16-bit rounding and other kernels cause far
 * less.
 */
const recordedDifferenceMax = 0.05;

/**
 * Sentences about metrics that a series recorded while training and that its eval graph and batches do not reproduce on
 * the uploaded weights. For these the thresholds bound another metric than the series means.
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
      `The series records ${name} ${expected.toPrecision(4)} here; its eval graph and batches give ` +
        `${found.toPrecision(4)}.`,
    ];
  });
}
