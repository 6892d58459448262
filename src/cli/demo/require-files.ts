import { existsSync } from 'node:fs';
import type { Series } from './read-series.ts';

/** Throws an Error that names the first file of a series that is not there, before anything is started or uploaded. */
export function requireFiles(series: Series): void {
  const paths = [series.graphPath, series.batchesPath, ...series.checkpoints.map((checkpoint) => checkpoint.modelPath)];
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new Error(`series.json names ${missing}, which does not exist`);
}
