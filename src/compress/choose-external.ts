import type { NativeCore } from '../native/core.ts';
import type { Ancestor } from './ancestor.ts';
import { isBlockless } from '../package/package-index.ts';
import { encodeExact } from './encode-package.ts';
import type { ModelSource } from './model-source.ts';
import { copiedFiles, isExactFile, type CodingPlan } from './plan-codings.ts';

/** Blocks tried per file. */
const sampleBlocksMax = 8;
/** A file whose sample keeps more than this share of its bytes is taken for incompressible. */
const incompressibleShareMin = 0.995;
/** Below this size a file always goes into the package: an object of its own costs as much as could be lost. */
const externalBytesMin = 64 * 1024;

export interface FilesToChoose {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  readonly ancestor: Ancestor | undefined;
  /** By file number: stored as references. */
  readonly references: ReadonlyMap<number, unknown>;
}

/** The files that do not go into the package: references, and those that exact coding would not make smaller, by an evenly spread sample of their blocks. */
export async function chooseExternal({ source, plan, ancestor, references }: FilesToChoose, core: NativeCore, signal?: AbortSignal): Promise<Set<number>> {
  const external = new Set(references.keys());
  const copied = copiedFiles(plan, external);
  for (const [file, { blocks }] of plan.files.entries()) {
    const { sizeBytes } = source.files[file]!;
    if (external.has(file) || copied.has(file) || !isExactFile(plan, file) || sizeBytes < externalBytesMin) continue;
    const stride = Math.max(1, Math.ceil(blocks.length / sampleBlocksMax));
    let rawBytes = 0;
    let codedBytes = 0;
    for (let index = 0; index < blocks.length; index += stride) {
      const block = blocks[index]!;
      if (block.coding.kind !== 'exact') continue;
      rawBytes += (await source.readBlock(file, block, signal)).length;
      codedBytes += (await encodeExact({ source, ancestor }, core, { file, index, block }, block.coding.elementKind, signal)).length;
    }
    // Copies and kept tensors take nothing.
    const share = rawBytes === 0 ? 0 : (codedBytes / rawBytes) * (1 - blocklessBytes(source, plan, file) / sizeBytes);
    if (share >= incompressibleShareMin) external.add(file);
  }
  return external;
}

function blocklessBytes(source: ModelSource, { files }: CodingPlan, file: number): number {
  const { tensors } = source.files[file]!.layout;
  return tensors.reduce((sum, { startBytes, endBytes }, tensor) => sum + (isBlockless(files[file]!.codings[tensor]!) ? endBytes - startBytes : 0), 0);
}
