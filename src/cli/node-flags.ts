/**
 * The Node flags of every hub (docs/decisions/0033-young-generation.md). Files that cannot import this repeat them;
 * node-flags.test.ts compares them.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=4', '--no-parallel-scavenge'];
