import { isHalf } from '../../checkpoint/dtype.ts';
import type { NativeCore, MasterPlace } from '../../native/core.ts';
import type { ModelSource } from '../upload/model-source.ts';
import type { CodingPlan } from '../plan/plan-codings.ts';
import type { BlockPlace } from '../../package/blocks/block-plan.ts';

interface MasterSource {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  readonly core: NativeCore;
}

/**
 * The payload of an exact block of master weights, coded against the tensors that were rounded from them; undefined if
 * it has none. Decoding is exact for any elements. Rejects with the errors of store and core.
 */
export async function encodeMaster(
  { source, plan, core }: MasterSource,
  { file, block }: BlockPlace,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const segments: MasterPlace['segments'][number][] = [];
  const references: Uint8Array[] = [];
  for (const { tensor, firstElement, elementCount } of block.segments) {
    const coding = plan.files[file]!.codings[tensor]!;
    const weights = coding.kind === 'exact' ? coding.modelWeights : undefined;
    const dtype = weights && source.files[weights.file]!.layout.tensors[weights.tensor]!.dtype;
    if (weights !== undefined && isHalf(dtype)) {
      references.push(
        await source.readRun(weights.file, { tensor: weights.tensor, firstElement, elementCount }, signal),
      );
      segments.push({ elementCount, dtype });
    } else segments.push({ elementCount, dtype: undefined });
  }
  if (references.length === 0) return undefined;
  return core.masterEncode(
    await source.readBlock(file, block, signal),
    { segments, reference: Buffer.concat(references) },
    signal,
  );
}
