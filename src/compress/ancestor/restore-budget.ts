/** What rebuilding a stored checkpoint takes, as the sizes of its packages say. */
export interface ChainCost {
  /** Packages decoded one after the other, the base among them; one that holds several checkpoints counts as two. */
  readonly packages: number;
  /** Of all packages of the chain. */
  readonly bytes: number;
  readonly baseBytes: number;
}

/** Most that a restore reads, in bytes of the uploaded model. */
const rawShare = 1 / 8;
/**
 * Most that a restore reads, in sizes of the base its chain starts from: a run's first checkpoints bear few bits, and
 * their base is small.
 */
const basesMax = { early: 6, later: 2 };
/** Checkpoints of a run that count as early, by their number in it. */
const earlyCheckpoints = 32;
/**
 * The same where {@link rawShare} has room for less than `roomyBases` (weights of 16 bits, exact parts, strict
 * thresholds): without it most checkpoints would be bases, and a coarser step, whose base is just inside an eighth,
 * would take more bytes than a finer one (decision 0015).
 */
const largeBases = { roomyBases: 4 / 3, max: 2 };
/**
 * Packages of a chain at most, merged ones counted as {@link ChainCost} does: what a download of its end takes,
 * whatever moved, is then inside three times what its base takes (docs/benchmarks/speed.md, "Chains").
 */
export const chainPackagesMax = 9;

/**
 * Most bytes that a chain of one base may have: a restore reads at most an eighth of the raw bytes and six times its
 * base, from the run's 33rd checkpoint on twice. Where an eighth of the raw bytes is less than a base and a third, and
 * only there, a restore reads more than that: at most twice the base.
 */
export function chainBytesMax(
  baseBytes: number,
  { rawBytes, sequence }: { readonly rawBytes: number; readonly sequence: number },
): number {
  const readMax = rawBytes * rawShare;
  if (readMax < largeBases.roomyBases * baseBytes) return largeBases.max * baseBytes;
  return Math.min(readMax, baseBytes * (sequence < earlyCheckpoints ? basesMax.early : basesMax.later));
}
