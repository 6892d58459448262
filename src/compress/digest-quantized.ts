import type { NativeCore } from '../native/core.ts';
import { isWeightCoding } from '../package/package-index.ts';
import { planTensors } from '../package/plan-file.ts';
import { BlockMemory } from '../restore/block-memory.ts';
import { digestBytes } from '../restore/digest-bytes.ts';
import { planRange } from '../restore/plan-range.ts';
import { streamRange, type RangeSource } from '../restore/stream-range.ts';
import type { ModelSource } from './model-source.ts';
import type { CodingPlan } from './plan-codings.ts';
import type { QuantizedForm } from './quantized-form.ts';
import { StateCoder } from './state-coder.ts';

export interface QuantizedModel {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  /** Absent when no weights are quantized. */
  readonly quantized?: QuantizedForm | undefined;
  readonly core: NativeCore;
}

/** By file number: digests of what quantized files, and those of lossy optimizer state, will decode to. The others decode to the upload. Rejects with the errors of store and core. */
export async function digestQuantized({ source, plan, quantized, core }: QuantizedModel, signal?: AbortSignal): Promise<ReadonlyMap<number, string>> {
  const digests = new Map<number, string>();
  const memory = new BlockMemory();
  const state = new StateCoder({ source, plan, core });
  for (const [file, { codings, blocks }] of plan.files.entries()) {
    if (codings.every((coding) => coding.kind === 'exact')) continue;
    const { layout } = source.files[file]!;
    const elements: RangeSource['elements'] = (index, aborted) => {
      const block = blocks[index]!;
      if (block.coding.kind === 'state') return state.elements({ file, index, block }, aborted);
      return isWeightCoding(block.coding) && quantized !== undefined
        ? quantized.elements({ file, index, block }, aborted, memory)
        : source.readBlock(file, block, aborted);
    };
    const range = planRange(layout, planTensors(layout, codings), 0, layout.sizeBytes);
    digests.set(file, (await digestBytes(streamRange({ headerBytes: layout.headerBytes, elements }, range, { signal, memory }))).sha256);
  }
  return digests;
}
