/** The cost of rebuilding a stored checkpoint, from the sizes of its packages. */
export interface ChainCost {
  /** Packages decoded one after the other, including the base; a merged package counts as two. */
  readonly packages: number;
  /** Bytes of all packages of the chain. */
  readonly bytes: number;
  readonly baseBytes: number;
}

/** Most that a restore reads, in bytes of the uploaded model. */
const rawShare = 1 / 8;
/**
 * Most that a restore reads, in sizes of the base of its chain: a run's first checkpoints tolerate few bits, so their
 * base is small.
 */
const basesMax = { early: 6, later: 2 };
/** Checkpoints of a run that count as early, by their number in it. */
const earlyCheckpoints = 32;
/**
 * The same limit if {@link rawShare} has room for less than `roomyBases` (16-bit weights, exact parts, strict
 * thresholds). Without it most checkpoints would be bases, and a coarser step with a base just inside an eighth would
 * take more bytes than a finer one (decision 0015).
 */
const largeBases = { roomyBases: 4 / 3, max: 2 };
/**
 * Most packages of a chain, counted as in {@link ChainCost}. A download of the chain's end then takes at most three
 * times as long as one of its base, whatever moved (docs/benchmarks/speed.md, "Chains").
 */
export const chainPackagesMax = 9;

/**
 * Most bytes of a chain with one base. A restore reads at most an eighth of the raw bytes, and at most six times its
 * base (twice from the run's 33rd checkpoint on). Only if an eighth of the raw bytes is less than a base and a third, a
 * restore may read more than that: at most twice the base.
 */
export function chainBytesMax(
  baseBytes: number,
  { rawBytes, sequence }: { readonly rawBytes: number; readonly sequence: number },
): number {
  const readMax = rawBytes * rawShare;
  if (readMax < largeBases.roomyBases * baseBytes) return largeBases.max * baseBytes;
  return Math.min(readMax, baseBytes * (sequence < earlyCheckpoints ? basesMax.early : basesMax.later));
}
