/**
 * What every way to start a hub gives Node (docs/decisions/0033-young-generation.md). Files that cannot import this say
 * the same; node-flags.test.ts compares them.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=4', '--no-parallel-scavenge'];
