import type { EvalSetPart } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { ArrivingBody, type BodyRules } from './arriving-body.ts';
import { evalSetPrefix, type IngestContext } from './ingest-context.ts';
import { dropObjects, recordStaged, stageBody } from './stage-body.ts';
import type { Upload } from './upload.ts';

/**
 * Takes the graph (any bytes; the commit judges them) or the batches (safetensors, header checked as it passes) of an open eval set; other bytes replace
 * the earlier ones. Errors: as `receiveFile`; `conflict` when the eval set is not open.
 */
export async function receiveEvalSetPart(ctx: IngestContext, evalSetId: string, part: EvalSetPart, upload: Upload): Promise<void> {
  const { catalog } = ctx;
  const evalSet = await catalog.evalSets.get(evalSetId);
  if (evalSet === undefined) throw new FirnError('not-found', 'There is no such eval set.');
  if (evalSet.state !== 'open') throw new FirnError('conflict', 'The eval set is closed; its parts cannot change.');
  const rules = partRules(ctx, part);
  const body = new ArrivingBody(upload, rules);
  const staged = await stageBody(ctx, body, { prefix: `${evalSetPrefix}${evalSetId}/`, sizeMaxBytes: rules.sizeMaxBytes });
  const replaced = await recordStaged(ctx, staged, () =>
    catalog.evalSets.setPart(evalSetId, part, { key: staged.key, sha256: staged.sha256, sizeBytes: staged.sizeBytes }),
  );
  await dropObjects(ctx, [replaced]);
}

/** What the bytes of a part are held to. */
export function partRules({ limits, headerLimits }: Pick<IngestContext, 'limits' | 'headerLimits'>, part: EvalSetPart): BodyRules {
  return part === 'graph' ? { sizeMaxBytes: limits.graphBytesMax } : { sizeMaxBytes: limits.batchesBytesMax, headerLimits };
}
