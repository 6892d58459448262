/** How many letters may be wrong, missing or added. */
const distanceMax = 2;

/** The name that a mistyped name most likely stands for: at most two letters off. Undefined if none is that near. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, distance: editDistance(typed, name) }))
    .filter(({ distance }) => distance <= distanceMax);
  return near.sort((a, b) => a.distance - b.distance)[0]?.name;
}

/** Levenshtein's distance, one row of the table at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const substituted = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, substituted));
    }
    row = next;
  }
  return row[to.length]!;
}
