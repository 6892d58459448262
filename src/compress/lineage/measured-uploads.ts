import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import type { MeasuredUpload } from '../../checkpoint/quality/degradation-limits.ts';
import { forkPoint } from '../ancestor/find-ancestor.ts';

/**
 * Most earlier uploads that a checkpoint is compared with. If all of them are better than a rebuilt model, it is as
 * good as some step before the first of them.
 */
const uploadsMax = 256;
/** Most forks followed back. */
const forksBackMax = 16;

/**
 * The uploads that a checkpoint was trained through and that were measured on the same eval set, the nearest first:
 * those before it in its run, then those up to the fork point in the run it was forked from, and so on. Rejects with
 * the errors of the catalog.
 */
export async function measuredUploads(
  catalog: Catalog,
  run: Run,
  { sequence }: Pick<Checkpoint, 'sequence'>,
): Promise<MeasuredUpload[]> {
  const { evalSetId } = run;
  if (evalSetId === undefined) return [];
  const found: MeasuredUpload[] = [];
  let place: { run: Run; before: number } | undefined = { run, before: sequence };
  for (let forksBack = 0; place !== undefined && forksBack <= forksBackMax; forksBack += 1) {
    const { name, id } = place.run;
    const limit = uploadsMax - found.length;
    const uploads = await catalog.checkpoints.measuredBefore(id, place.before, { evalSetId, limit });
    found.push(...uploads.map(({ step, baseline }) => ({ run: name, step, metrics: baseline })));
    if (found.length >= uploadsMax) break;
    place = await forkPoint(catalog, place.run);
  }
  return found;
}
