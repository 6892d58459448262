import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../../catalog/contract/run-records.ts';

/** 2^64 over the golden ratio: seeds of consecutive checkpoints differ in about half their bits. */
const stride = 0x9e3779b97f4a7c15n;

/**
 * Seed of a checkpoint's codebooks, 64 bits: the run's, or a seed of the checkpoint that is the same when its encode is
 * repeated.
 */
export function codebookSeed(
  { seed, search }: Pick<Run, 'seed' | 'search'>,
  { sequence }: Pick<Checkpoint, 'sequence'>,
): bigint {
  if (search.codebookSeed !== 'checkpoint') return BigInt(seed);
  return BigInt.asUintN(64, BigInt(seed) + BigInt(sequence + 1) * stride);
}
