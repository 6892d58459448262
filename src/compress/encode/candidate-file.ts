import { placeCopies } from '../../package/blocks/copied-tensors.ts';
import { isWeightCoding } from '../../package/package-index.ts';
import { planTensors, type CopiedBlock, type FilePlan } from '../../package/blocks/plan-file.ts';
import type { BlockMemory } from '../../restore/block-memory.ts';
import type { RangeSource } from '../../restore/range/stream-range.ts';
import type { ModelSource } from '../upload/model-source.ts';
import type { CodingPlan } from '../plan/plan-codings.ts';
import type { QuantizedModel } from '../method/quantized-model.ts';
import type { BlockPlace } from '../../package/blocks/block-plan.ts';
import type { StateCoder } from './state-coder.ts';

/** A checkpoint as a download will return it: under a config, or as uploaded. */
export interface CandidateModel {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  /** Its quantized weights; absent: as uploaded. */
  readonly quantized?: QuantizedModel | undefined;
  /** Its optimizer state; absent: as uploaded. */
  readonly state?: StateCoder;
}

/** One file of a candidate, to be read by range. */
export interface CandidateFile extends RangeSource {
  readonly plan: FilePlan;
  elements(block: number, signal?: AbortSignal, memory?: BlockMemory): Promise<Uint8Array>;
}

/** File number `file` of a candidate; copies are read from their originals. */
export function candidateFile({ source, plan, quantized, state }: CandidateModel, file: number): CandidateFile {
  const planOf = (number: number): FilePlan => planTensors(source.files[number]!.layout, plan.files[number]!.codings);
  const placed = placeCopies(planOf(file), { codings: plan.files[file]!.codings, file, planOf });
  const blockOf = (index: number): CopiedBlock => {
    const copied = placed.copied[index - placed.blocks.length] ?? { file, block: index };
    if ('inherited' in copied) throw new TypeError('what an ancestor keeps is not read from what was uploaded');
    return copied;
  };
  const elementsOf = (place: BlockPlace, signal?: AbortSignal, memory?: BlockMemory): Promise<Uint8Array> => {
    const { kind } = place.block.coding;
    if (kind === 'state' && state !== undefined) return state.elements(place, signal);
    return isWeightCoding({ kind }) && quantized !== undefined
      ? quantized.elements(place, signal, memory)
      : source.readBlock(place.file, place.block, signal, memory);
  };
  return {
    plan: placed,
    headerBytes: placed.layout.headerBytes,
    elements: async (index, signal, memory) => {
      const at = blockOf(index);
      const block = plan.files[at.file]!.blocks[at.block]!;
      const place = { file: at.file, index: at.block, block };
      return at.widened === true
        ? source.widen(place, await elementsOf(place, signal), signal)
        : elementsOf(place, signal, memory);
    },
  };
}
