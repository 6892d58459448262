import type { Precondition } from '../../catalog/contract/precondition.ts';
import type { EvalSetPart } from '../../catalog/contract/eval-set-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { CheckedBody, type BodyRules } from '../stage/checked-body.ts';
import { evalSetPrefix, type IngestContext } from '../ingest-context.ts';
import { recordStaged, releaseRoom, stageBody } from '../stage/stage-body.ts';
import type { Upload } from '../stage/upload.ts';

interface PartPlace {
  readonly evalSetId: string;
  readonly part: EvalSetPart;
  readonly precondition?: Precondition | undefined;
}

/**
 * Receives the graph or the batches of an open eval set; other bytes replace the earlier ones. A graph may be any bytes
 * until the commit checks it; batches are safetensors whose header is checked on arrival. Errors: as `receiveFile`;
 * `conflict` when the eval set is not open; what the precondition throws.
 */
export async function receiveEvalSetPart(
  ctx: IngestContext,
  { evalSetId, part, precondition }: PartPlace,
  upload: Upload,
): Promise<void> {
  const { catalog, budget } = ctx;
  // Before the body comes, and again when it is put in its place.
  if (precondition !== undefined) await catalog.transaction(precondition);
  const evalSet = await catalog.evalSets.get(evalSetId);
  if (evalSet === undefined) throw new FirnError('not-found', 'There is no such eval set.');
  if (evalSet.state !== 'open') throw new FirnError('conflict', 'The eval set is closed; its parts cannot change.');
  const rules = partRules(ctx, part);
  const body = new CheckedBody(upload, rules);
  const ticket = upload.hasRoom === true ? undefined : await budget.admitPart(catalog, evalSetId, body.lengthBytes);
  try {
    const staged = await stageBody(ctx, body, {
      prefix: `${evalSetPrefix}${evalSetId}/`,
      sizeMaxBytes: rules.sizeMaxBytes,
      ...(ticket && { ticket }),
    });
    const { key, sha256, sizeBytes, storedBytes } = staged;
    await recordStaged(ctx, staged, () =>
      catalog.transaction(async (tx) => {
        await precondition?.(tx);
        await tx.evalSets.setPart(evalSetId, part, { key, sha256, sizeBytes, storedBytes });
        await releaseRoom(tx, staged);
      }),
    );
  } finally {
    await ticket?.release();
  }
}

/** The limits and checks for the bytes of a part. */
export function partRules(
  { limits, headerLimits }: Pick<IngestContext, 'limits' | 'headerLimits'>,
  part: EvalSetPart,
): BodyRules {
  return part === 'graph'
    ? { sizeMaxBytes: limits.graphBytesMax }
    : { sizeMaxBytes: limits.batchesBytesMax, headerLimits };
}
