import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { dtypeBytes } from '../checkpoint/dtype.ts';
import { forEachBounded } from './bounded-parallel.ts';
import type { ModelSource } from './model-source.ts';
import type { CodingPlan } from './plan-codings.ts';
import type { BlockPlace, QuantizedForm } from './quantized-form.ts';

/** A checkpoint as it will come back: under a config, or as uploaded. */
export interface CandidateModel {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  /** Absent: as uploaded. */
  readonly quantized?: QuantizedForm;
}

/**
 * Writes the model files as they would come back: ordinary safetensors files in `directory`, for an evaluation child to map and for their
 * digests. Returns the paths by file number of the source.
 */
export async function writeCandidate(
  model: CandidateModel,
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
      await forEachBounded(planned.blocks.entries(), options.parallel, async ([index, block]) => {
        const bytes = await candidateBlock(model, { file, index, block }, options.signal);
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

async function candidateBlock({ source, quantized }: CandidateModel, at: BlockPlace, signal?: AbortSignal): Promise<Uint8Array> {
  return at.block.coding.kind === 'exact' || quantized === undefined ? source.readBlock(at.file, at.block, signal) : quantized.elements(at, signal);
}

/** A write may take fewer bytes than given. */
async function writeFully(handle: FileHandle, bytes: Uint8Array, positionBytes: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await handle.write(bytes, written, bytes.length - written, positionBytes + written)).bytesWritten;
  }
}
