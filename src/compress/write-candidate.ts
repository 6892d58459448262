import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { dtypeBytes } from '../checkpoint/dtype.ts';
import type { NativeCore } from '../native/core.ts';
import type { PlannedBlock } from '../package/block-plan.ts';
import { forEachBounded } from './bounded-parallel.ts';
import type { ModelSource } from './model-source.ts';
import type { CodingPlan } from './plan-codings.ts';
import { quantizeBlock } from './quantize-block.ts';
import type { GroupQuantizer, Quantizer } from './quantizer.ts';

/**
 * Writes the model as it would come back under a quantizer: ordinary safetensors files in `directory`, one per source file, for the evaluation
 * child to map. Returns their paths. With no groups the files are copies of the upload.
 */
export async function writeCandidate(parts: { source: ModelSource; plan: CodingPlan; quantizer?: Quantizer; groups?: readonly GroupQuantizer[]; core: NativeCore }, directory: string, options: { parallel: number; signal?: AbortSignal }): Promise<string[]> {
  const paths: string[] = [];
  for (const [file, planned] of parts.plan.files.entries()) {
    const path = join(directory, `${file}.safetensors`);
    paths.push(path);
    const { layout } = parts.source.files[file]!;
    const handle = await open(path, 'w');
    try {
      await handle.write(layout.headerBytes, 0, layout.headerBytes.length, 0);
      await handle.truncate(layout.sizeBytes);
      await forEachBounded(planned.blocks, options.parallel, async (block) => {
        const bytes = await candidateBlock(parts, file, block, options.signal);
        let taken = 0;
        for (const segment of block.segments) {
          const entry = layout.tensors[segment.tensor]!;
          const width = dtypeBytes[entry.dtype];
          const length = segment.elementCount * width;
          await handle.write(bytes, taken, length, entry.startBytes + segment.firstElement * width);
          taken += length;
        }
      });
    } finally {
      await handle.close();
    }
  }
  return paths;
}

async function candidateBlock(parts: Parameters<typeof writeCandidate>[0], file: number, block: PlannedBlock, signal?: AbortSignal): Promise<Uint8Array> {
  const { source, quantizer, groups, core } = parts;
  if (block.coding.kind === 'exact' || quantizer === undefined || groups === undefined) return source.readBlock(file, block, signal);
  const group = block.coding.codebook;
  const { levels, protectedWords } = await quantizeBlock(source, quantizer, groups, { file, block, group }, core, signal);
  const { map, levelCount, table, group: { dtype } } = groups[group]!;
  return core.dequantize(levels, { dtype, table, levelCount, protectedWords, ...(map.protectedLevel === undefined ? {} : { protectedLevel: map.protectedLevel }) }, signal);
}
