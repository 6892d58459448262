/** What one search cost. */
export interface SearchCost {
  /** Weights of the model, in millions. */
  readonly megaweights: number;
  /** Times that the graph was run over the eval set. */
  readonly evaluations: number;
  /** Processor seconds, of the hub and its evaluation children. */
  readonly seconds: number;
}

/** What seconds are a sum of: a + b x the first term + c x the second, W in millions of weights, E evaluations. */
export const costForms = {
  'a + b W + c E': ({ megaweights, evaluations }) => [megaweights, evaluations],
  'a + b W + c E W': ({ megaweights, evaluations }) => [megaweights, evaluations * megaweights],
  'a + b E + c E W': ({ megaweights, evaluations }) => [evaluations, evaluations * megaweights],
} as const satisfies Record<string, (search: SearchCost) => readonly [number, number]>;
export type CostForm = keyof typeof costForms;

export interface CostModel {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  /** Median and largest of |predicted / seconds - 1|. */
  readonly errorMedian: number;
  readonly errorMax: number;
}

/**
 * Least squares of the relative errors, so that large models do not decide alone. Throws an Error if the searches do
 * not determine three unknowns.
 */
export function fitCost(searches: readonly SearchCost[], form: CostForm): CostModel {
  const rows = searches.map((search) => [1, ...costForms[form](search)].map((value) => value / search.seconds));
  const normal = [0, 1, 2].map((i) => [
    ...[0, 1, 2].map((j) => rows.reduce((sum, row) => sum + row[i]! * row[j]!, 0)),
    rows.reduce((sum, row) => sum + row[i]!, 0),
  ]);
  const [a, b, c] = solve(normal) as [number, number, number];
  const errors = rows
    .map(([one, first, second]) => Math.abs(a * one! + b * first! + c * second! - 1))
    .sort((x, y) => x - y);
  return { a, b, c, errorMedian: errors[Math.floor(errors.length / 2)]!, errorMax: errors.at(-1)! };
}

/** Gaussian elimination with pivots of a system in rows, the right side last. */
function solve(system: readonly (readonly number[])[]): number[] {
  const rows = system.map((row) => [...row]);
  const count = rows.length;
  for (let at = 0; at < count; at++) {
    const pivot = rows.slice(at).reduce((best, row) => (Math.abs(row[at]!) > Math.abs(best[at]!) ? row : best));
    const scale = Math.max(...pivot.map(Math.abs));
    if (!(Math.abs(pivot[at]!) > 1e-12 * scale)) throw new Error('these searches do not determine three unknowns');
    rows.splice(rows.indexOf(pivot), 1);
    rows.splice(at, 0, pivot);
    for (const row of rows) {
      if (row === pivot) continue;
      const factor = row[at]! / pivot[at]!;
      for (let column = at; column <= count; column++) row[column]! -= factor * pivot[column]!;
    }
  }
  return rows.map((row, at) => row[count]! / row[at]!);
}
