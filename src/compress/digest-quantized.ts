import type { NativeCore } from '../native/core.ts';
import { BlockMemory } from '../restore/block-memory.ts';
import { digestBytes } from '../restore/digest-bytes.ts';
import { planRange } from '../restore/plan-range.ts';
import { streamRange } from '../restore/stream-range.ts';
import { candidateFile, type CandidateModel } from './candidate-file.ts';
import { isExactFile } from './plan-codings.ts';
import { StateCoder } from './state-coder.ts';

export interface QuantizedModel extends Omit<CandidateModel, 'state'> {
  readonly core: NativeCore;
}

/** By file number: digests of what quantized files, and those of lossy optimizer state, will decode to. The others decode to the upload. Rejects with the errors of store and core. */
export async function digestQuantized({ core, ...model }: QuantizedModel, signal?: AbortSignal): Promise<ReadonlyMap<number, string>> {
  const digests = new Map<number, string>();
  const memory = new BlockMemory();
  const state = new StateCoder({ ...model, core });
  for (const [file, { layout }] of model.source.files.entries()) {
    if (isExactFile(model.plan, file)) continue;
    const candidate = candidateFile({ ...model, state }, file);
    const range = planRange(layout, candidate.plan, 0, layout.sizeBytes);
    digests.set(file, (await digestBytes(streamRange(candidate, range, { signal, memory }))).sha256);
  }
  return digests;
}
