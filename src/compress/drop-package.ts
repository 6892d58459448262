import { stateNames } from './ancestor/state-names.ts';
import type { CompressContext } from './compress-context.ts';

/** Deletes a package that nothing refers to, and what a device holds for checkpoints that would build on it. */
export async function dropPackage(
  { core, store }: Pick<CompressContext, 'core' | 'store'>,
  key: string,
): Promise<void> {
  forgetStates({ core }, key);
  await store.delete(key);
}

/** Lets go of what a device holds for checkpoints that would build on a package: they decode it. */
export function forgetStates({ core }: Pick<CompressContext, 'core'>, key: string): void {
  core.forgetOnDevice(stateNames({ key }));
}
