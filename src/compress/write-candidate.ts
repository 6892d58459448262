import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { dtypeBytes } from '../checkpoint/dtype.ts';
import type { NativeCore } from '../native/core.ts';
import type { PlannedBlock } from '../package/block-plan.ts';
import { forEachBounded } from './bounded-parallel.ts';
import { quantizeBlock, type QuantizedModel } from './level-block.ts';
import type { ModelSource } from './model-source.ts';
import type { CodingPlan } from './plan-codings.ts';

/** A checkpoint as it will come back: under a config, or as uploaded. */
export interface CandidateModel {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  /** Absent: as uploaded. */
  readonly quantized?: QuantizedModel;
}

/**
 * Writes the model files as they would come back: ordinary safetensors files in `directory`, for an evaluation child to map and for their
 * digests. Returns the paths by file number of the source.
 */
export async function writeCandidate(
  model: CandidateModel,
  core: NativeCore,
  directory: string,
  options: { parallel: number; signal?: AbortSignal },
): Promise<ReadonlyMap<number, string>> {
  const paths = new Map<number, string>();
  for (const [file, planned] of model.plan.files.entries()) {
    const { layout, role } = model.source.files[file]!;
    if (role !== 'model') continue;
    const path = join(directory, `${file}.safetensors`);
    paths.set(file, path);
    const handle = await open(path, 'w');
    try {
      await handle.truncate(layout.sizeBytes);
      await writeFully(handle, layout.headerBytes, 0);
      await forEachBounded(planned.blocks, options.parallel, async (block) => {
        const bytes = await candidateBlock(model, core, file, block, options.signal);
        let taken = 0;
        for (const segment of block.segments) {
          const entry = layout.tensors[segment.tensor]!;
          const width = dtypeBytes[entry.dtype];
          const length = segment.elementCount * width;
          await writeFully(handle, bytes.subarray(taken, taken + length), entry.startBytes + segment.firstElement * width);
          taken += length;
        }
      });
    } finally {
      await handle.close();
    }
  }
  return paths;
}

async function candidateBlock(
  { source, quantized }: CandidateModel,
  core: NativeCore,
  file: number,
  block: PlannedBlock,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  if (block.coding.kind === 'exact' || quantized === undefined) return source.readBlock(file, block, signal);
  const group = block.coding.codebook;
  const { levels, protectedWords } = await quantizeBlock(quantized, { file, block, group }, signal);
  const {
    map,
    levelCount,
    table,
    group: { dtype },
  } = quantized.groups[group]!;
  return core.dequantize(
    levels,
    { dtype, table, levelCount, protectedWords, ...(map.protectedLevel === undefined ? {} : { protectedLevel: map.protectedLevel }) },
    signal,
  );
}

/** A write may take fewer bytes than given. */
async function writeFully(handle: FileHandle, bytes: Uint8Array, positionBytes: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await handle.write(bytes, written, bytes.length - written, positionBytes + written)).bytesWritten;
  }
}
