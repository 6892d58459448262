import { deflateRawSync } from 'node:zlib';
import type { ElementKind, NativeCore } from '../../native/core.ts';
import { elementKindBytes } from '../../native/check/native-numbers.ts';
import type { PlannedBlock } from '../../package/blocks/block-plan.ts';
import type { Ancestor } from '../ancestor/ancestor.ts';
import { isBlockless, isWeightCoding } from '../../package/package-index.ts';
import { encodeExact } from './encode-package.ts';
import type { ModelSource } from '../upload/model-source.ts';
import { copiedFiles, isExactFile, type CodingPlan } from '../plan/plan-codings.ts';

/** Blocks tried per file: if a tenth of a file is unchanged, the sample misses this in one file of thirty. */
const sampleBlocksMax = 32;
/** A file that still takes more than this share of its bytes counts as incompressible. */
const incompressibleShareMin = 0.995;
/**
 * Below this size a file always goes into the package: an object of its own costs as much as the package could lose.
 */
const externalBytesMin = 64 * 1024;

export interface FilesToChoose {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  readonly ancestor: Ancestor | undefined;
  /** By file number: stored as references. */
  readonly references: ReadonlyMap<number, unknown>;
}

/**
 * The files that do not go into the package: references, and those that exact coding would not make smaller, by a
 * sample of their blocks.
 */
export async function chooseExternal(
  files: FilesToChoose,
  core: NativeCore,
  signal?: AbortSignal,
): Promise<Set<number>> {
  const { source, plan, references } = files;
  const external = new Set(references.keys());
  const copied = copiedFiles(plan, external);
  for (const [file, { sizeBytes }] of source.files.entries()) {
    if (external.has(file) || copied.has(file) || !isExactFile(plan, file) || sizeBytes < externalBytesMin) continue;
    // A sample of the other tensors cannot predict how much a method saves on the weights.
    if (plan.files[file]!.blocks.some(({ coding }) => isWeightCoding(coding))) continue;
    if (!(await isSmaller(files, file, core, signal))) external.add(file);
  }
  return external;
}

/** Whether a file takes fewer bytes in the package. If it does, the first blocks mostly show it. */
async function isSmaller(
  { source, plan, ancestor }: FilesToChoose,
  file: number,
  core: NativeCore,
  signal?: AbortSignal,
): Promise<boolean> {
  const { sizeBytes, layout } = source.files[file]!;
  const sample = sampledBlocks(plan.files[file]!.blocks);
  if (sample.length === 0) return true;
  const headerBytes = layout.headerBytes.length;
  // Copies and inherited tensors take nothing.
  const blockBytes = sizeBytes - headerBytes - blocklessBytes(source, plan, file);
  const sampleBytes = sample.reduce((sum, { rawBytes }) => sum + rawBytes, 0);
  let savedBytes = 0;
  const isBelow = (codedHeaderBytes: number): boolean =>
    codedHeaderBytes + (1 - savedBytes / sampleBytes) * blockBytes < incompressibleShareMin * sizeBytes;
  for (const { index, block, elementKind, rawBytes } of sample) {
    savedBytes +=
      rawBytes - (await encodeExact({ source, ancestor }, core, { file, index, block }, elementKind, signal)).length;
    if (isBelow(headerBytes)) return true;
  }
  return isBelow(deflateRawSync(layout.headerBytes).length);
}

interface SampledBlock {
  readonly index: number;
  readonly block: PlannedBlock;
  readonly elementKind: ElementKind;
  readonly rawBytes: number;
}

/**
 * One exact block from each of as many equal parts of a file, at a varying place: layers repeat, and even steps would
 * always meet the same tensor.
 */
function sampledBlocks(blocks: readonly PlannedBlock[]): SampledBlock[] {
  const parts = Math.min(blocks.length, sampleBlocksMax);
  const goldenShare = (Math.sqrt(5) - 1) / 2;
  const places = Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * blocks.length) / parts);
    const length = Math.floor(((part + 1) * blocks.length) / parts) - from;
    return from + Math.floor(((part * goldenShare) % 1) * length);
  });
  return places.flatMap((index) => {
    const block = blocks[index]!;
    if (block.coding.kind !== 'exact') return [];
    const { elementKind } = block.coding;
    return [{ index, block, elementKind, rawBytes: block.elementCount * elementKindBytes[elementKind] }];
  });
}

function blocklessBytes(source: ModelSource, { files }: CodingPlan, file: number): number {
  const { tensors } = source.files[file]!.layout;
  return tensors.reduce(
    (sum, { startBytes, endBytes }, tensor) =>
      sum + (isBlockless(files[file]!.codings[tensor]!) ? endBytes - startBytes : 0),
    0,
  );
}
