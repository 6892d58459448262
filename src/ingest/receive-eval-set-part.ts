import type { EvalSetPart } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { ArrivingBody } from './arriving-body.ts';
import { evalSetPrefix, type IngestContext } from './ingest-context.ts';
import { dropObjects, recordStaged, stageBody } from './stage-body.ts';
import type { Upload } from './upload.ts';

/**
 * Takes the graph (any bytes; the commit judges them) or the batches (safetensors, header checked as it passes) of an open eval set; other bytes replace
 * the earlier ones. Errors: as `receiveFile`; `conflict` when the eval set is not open.
 */
export async function receiveEvalSetPart(ctx: IngestContext, evalSetId: string, part: EvalSetPart, upload: Upload): Promise<void> {
  const { catalog, limits, headerLimits } = ctx;
  const evalSet = await catalog.evalSets.get(evalSetId);
  if (evalSet === undefined) throw new FirnError('not-found', 'There is no such eval set.');
  if (evalSet.state !== 'open') throw new FirnError('conflict', 'The eval set is closed; its parts cannot change.');
  const sizeMaxBytes = part === 'graph' ? limits.graphBytesMax : limits.batchesBytesMax;
  const body = new ArrivingBody(upload, { sizeMaxBytes, ...(part === 'batches' && { headerLimits }) });
  const staged = await stageBody(ctx, body, { prefix: `${evalSetPrefix}${evalSetId}/`, sizeMaxBytes });
  const replaced = await recordStaged(ctx, staged, () =>
    catalog.evalSets.setPart(evalSetId, part, { key: staged.key, sha256: staged.sha256, sizeBytes: staged.sizeBytes }),
  );
  await dropObjects(ctx, [replaced]);
}
