import type { NativeCore } from '../../native/core.ts';
import { BlockMemory } from '../../restore/block-memory.ts';
import { digestBytes } from '../../restore/digest-bytes.ts';
import { planRange } from '../../restore/range/plan-range.ts';
import { streamRange } from '../../restore/range/stream-range.ts';
import { FrameWriter } from '../../store/frame/object-frame.ts';
import { candidateFile, type CandidateModel } from './candidate-file.ts';
import { isExactFile, type CodingPlan } from '../plan/plan-codings.ts';
import { StateCoder } from './state-coder.ts';

export interface QuantizedModel extends Omit<CandidateModel, 'state'> {
  readonly core: NativeCore;
}

/** Digests of the decoded form of a file. */
export interface QuantizedDigest {
  readonly sha256: string;
  /** As `checksumBytes` computes them. */
  readonly checksums: Uint8Array;
}

/** By file number: digests of model files as a trial built them (`writeCandidate`). */
export type TrialDigests = ReadonlyMap<number, QuantizedDigest>;

/**
 * By file number: digests of the decoded form of quantized files and of lossy optimizer state. Other files decode to
 * the upload. Files that a trial has built from the same plan and quantized model are not built again: `trial` has
 * their digests. Rejects with the errors of store and core.
 */
export async function digestQuantized(
  { core, trial, ...model }: QuantizedModel & { readonly trial?: TrialDigests | undefined },
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, QuantizedDigest>> {
  const digests = new Map<number, QuantizedDigest>();
  const memory = new BlockMemory();
  const state = new StateCoder({ ...model, core });
  for (const [file, { layout }] of model.source.files.entries()) {
    if (isExactFile(model.plan, file)) continue;
    const known = trial?.get(file);
    if (known !== undefined && !hasState(model.plan, file)) {
      digests.set(file, known);
      continue;
    }
    const candidate = candidateFile({ ...model, state }, file);
    const range = planRange(layout, candidate.plan, 0, layout.sizeBytes);
    const frame = new FrameWriter(core.crc32cSync);
    const { sha256 } = await digestBytes(
      passing(streamRange(candidate, range, { signal, memory }), (piece) => frame.add(piece)),
    );
    digests.set(file, { sha256, checksums: frame.finish() });
  }
  return digests;
}

/** Whether a file has optimizer state, or copies of some: a trial takes it as it was uploaded. */
function hasState({ files }: CodingPlan, file: number): boolean {
  return files[file]!.codings.some((coding) => {
    const { kind } = coding.kind === 'copy' ? files[coding.file]!.codings[coding.tensor]! : coding;
    return kind === 'state';
  });
}

async function* passing(
  bytes: AsyncIterable<Uint8Array>,
  see: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    see(piece);
    yield piece;
  }
}
