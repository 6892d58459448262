import { dtypeBytes, isQuantizable } from '../../checkpoint/dtype.ts';
import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { SourceFile } from '../upload/model-source.ts';

/** The cost of rebuilding a stored checkpoint, from the sizes of its packages. */
export interface ChainCost {
  /** Packages decoded one after the other, including the base; a merged package counts as two. */
  readonly packages: number;
  /** Bytes of all packages of the chain. */
  readonly bytes: number;
  readonly baseBytes: number;
}

/** Most that a restore reads, in {@link fullBytes}: two bytes for each weight. */
const fullShare = 1 / 2;
/**
 * Most that a restore reads, in sizes of the base of its chain. Not of a run's first checkpoints: these tolerate few
 * bits, so their base is small, and what comes later takes several times as much.
 */
const laterBasesMax = 2;
/** Checkpoints of a run that count as early, by their number in it. */
const earlyCheckpoints = 32;
/**
 * The same limit if {@link fullShare} has room for less than `roomyBases` (exact parts, strict thresholds). Without it
 * most checkpoints would be bases, and a coarser step with a base just inside the share would take more bytes than a
 * finer one (decision 0015).
 */
const largeBases = { roomyBases: 4 / 3, max: 2 };
/**
 * Most packages of a chain, counted as in {@link ChainCost}. A restore decodes them one after the other, whatever
 * moved: docs/benchmarks/speed.md, "Chains", says how long that takes.
 */
export const chainPackagesMax = 16;

/** What the uploaded files would take if every floating-point value of the model had four bytes. */
export function fullBytes(files: readonly Pick<SourceFile, 'role' | 'sizeBytes' | 'layout'>[]): number {
  return files.reduce((sum, { role, sizeBytes, layout }) => {
    const added = role === 'model' ? layout.tensors.reduce((more, tensor) => more + bytesToFp32(tensor), 0) : 0;
    return sum + sizeBytes + added;
  }, 0);
}

function bytesToFp32({ dtype, startBytes, endBytes }: TensorEntry): number {
  return isQuantizable(dtype) ? ((endBytes - startBytes) / dtypeBytes[dtype]) * (4 - dtypeBytes[dtype]) : 0;
}

/**
 * Most bytes of a chain with one base. A restore reads at most half of the full bytes, so that a model costs the same
 * in fp32 and in 16 bits, and from the run's 33rd checkpoint on at most twice its base. Only if the half is less than a
 * base and a third, a restore may read more than that: at most twice the base.
 */
export function chainBytesMax(
  baseBytes: number,
  { fullBytes: full, sequence }: { readonly fullBytes: number; readonly sequence: number },
): number {
  const readMax = full * fullShare;
  if (readMax < largeBases.roomyBases * baseBytes) return largeBases.max * baseBytes;
  return sequence < earlyCheckpoints ? readMax : Math.min(readMax, laterBasesMax * baseBytes);
}
