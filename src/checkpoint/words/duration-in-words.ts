const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** A duration in the largest unit that it has at least two of, rounded down: `12 minutes`. Nothing is below 0. Pure. */
export function durationInWords(ms: number): string {
  const [unit, unitMs] = units.find(([, each]) => ms >= 2 * each) ?? units.at(-1)!;
  const count = Math.max(0, Math.floor(ms / unitMs));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
