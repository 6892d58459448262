import { planTensors } from '../package/plan-file.ts';
import { BlockMemory } from '../restore/block-memory.ts';
import { digestBytes } from '../restore/digest-bytes.ts';
import { planRange } from '../restore/plan-range.ts';
import { streamRange, type RangeSource } from '../restore/stream-range.ts';
import type { ModelSource } from './model-source.ts';
import type { CodingPlan } from './plan-codings.ts';
import type { QuantizedForm } from './quantized-form.ts';

export interface QuantizedModel {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  readonly quantized: QuantizedForm;
}

/** By file number: digests of what quantized files will decode to. The others decode to the upload. Rejects with the errors of store and core. */
export async function digestQuantized({ source, plan, quantized }: QuantizedModel, signal?: AbortSignal): Promise<ReadonlyMap<number, string>> {
  const digests = new Map<number, string>();
  const memory = new BlockMemory();
  for (const [file, { codings, blocks }] of plan.files.entries()) {
    if (codings.every((coding) => coding.kind === 'exact')) continue;
    const { layout } = source.files[file]!;
    const elements: RangeSource['elements'] = (index, aborted) => {
      const block = blocks[index]!;
      return block.coding.kind === 'exact' ? source.readBlock(file, block, aborted) : quantized.elements({ file, index, block }, aborted, memory);
    };
    const range = planRange(layout, planTensors(layout, codings), 0, layout.sizeBytes);
    digests.set(file, (await digestBytes(streamRange({ headerBytes: layout.headerBytes, elements }, range, { signal, memory }))).sha256);
  }
  return digests;
}
