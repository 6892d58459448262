/** A run, and its fork point. */
export interface RunLineage {
  readonly run: string;
  readonly fromStep?: number;
}

/** The checkpoints that a run was trained through: the parent's up to the fork point, then its own. Each step once. */
export function lineageRows<Row extends { readonly run: string; readonly step: number }>(
  rows: readonly Row[],
  { run, fromStep }: RunLineage,
): Row[] {
  return rows.filter((row) => row.run === run || (fromStep !== undefined && row.step <= fromStep));
}
