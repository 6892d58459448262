import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { dtypeBytes } from '../../checkpoint/dtype.ts';
import type { TensorCoding } from '../../package/package-index.ts';
import { BlockMemory } from '../../restore/block-memory.ts';
import { planRange } from '../../restore/range/plan-range.ts';
import { streamRange } from '../../restore/range/stream-range.ts';
import { forEachBounded } from '../bounded-parallel.ts';
import { candidateFile, type CandidateFile, type CandidateModel } from '../encode/candidate-file.ts';

/**
 * Writes the model files as a download would return them: ordinary safetensors files in `directory`, for an evaluation
 * child to map and for their digests. Returns the paths by file number of the source.
 */
export async function writeCandidate(
  model: CandidateModel,
  directory: string,
  options: { parallel: number; signal?: AbortSignal },
): Promise<ReadonlyMap<number, string>> {
  const paths = new Map<number, string>();
  const memory = new BlockMemory();
  for (const [file, planned] of model.plan.files.entries()) {
    const { layout, role } = model.source.files[file]!;
    if (role !== 'model') continue;
    const path = join(directory, `${file}.safetensors`);
    paths.set(file, path);
    const handle = await open(path, 'w');
    try {
      await handle.truncate(layout.sizeBytes);
      await writeFully(handle, layout.headerBytes, 0);
      const candidate = candidateFile(model, file);
      await forEachBounded(planned.blocks.entries(), options.parallel, async ([index, block]) => {
        const bytes = await candidate.elements(index, options.signal, memory);
        let taken = 0;
        for (const segment of block.segments) {
          const entry = layout.tensors[segment.tensor]!;
          const width = dtypeBytes[entry.dtype];
          const length = segment.elementCount * width;
          await writeFully(
            handle,
            bytes.subarray(taken, taken + length),
            entry.startBytes + segment.firstElement * width,
          );
          taken += length;
        }
        memory.give(bytes);
      });
      await writeCopies(candidate, planned.codings, handle, options.signal);
    } finally {
      await handle.close();
    }
  }
  return paths;
}

/** Writes the tensors of a file that are copies. */
async function writeCopies(
  candidate: CandidateFile,
  codings: readonly TensorCoding[],
  handle: FileHandle,
  signal?: AbortSignal,
): Promise<void> {
  const { layout } = candidate.plan;
  for (const [tensor, { startBytes, endBytes }] of layout.tensors.entries()) {
    if (codings[tensor]!.kind !== 'copy') continue;
    let at = startBytes;
    for await (const piece of streamRange(candidate, planRange(layout, candidate.plan, startBytes, endBytes), {
      signal,
    })) {
      await writeFully(handle, piece, at);
      at += piece.length;
    }
  }
}

/** A write may take fewer bytes than given. */
async function writeFully(handle: FileHandle, bytes: Uint8Array, positionBytes: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await handle.write(bytes, written, bytes.length - written, positionBytes + written)).bytesWritten;
  }
}
