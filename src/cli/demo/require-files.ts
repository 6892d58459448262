import { existsSync } from 'node:fs';
import type { Series } from './read-series.ts';

/** Throws an Error that names the first missing file of a series, before anything is started or uploaded. */
export function requireFiles(series: Series): void {
  const paths = [
    series.graphPath,
    series.batchesPath,
    ...series.checkpoints.flatMap((checkpoint) => checkpoint.modelFiles.map((file) => file.from)),
  ];
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new Error(`the series names ${missing}, which does not exist`);
}
