import type { NativeCore } from '../../native/core.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { stateNames } from '../ancestor/state-names.ts';

interface Holder {
  readonly core: Pick<NativeCore, 'forgetOnDevice'>;
}

/** Deletes a package that nothing refers to, and what a device holds for checkpoints that would build on it. */
export async function dropPackage(
  { core, store }: Holder & { readonly store: Pick<ObjectStore, 'delete'> },
  key: string,
): Promise<void> {
  forgetStates({ core }, key);
  await store.delete(key);
}

/** Lets go of what a device holds for checkpoints that would build on a package: they decode it. */
export function forgetStates({ core }: Holder, key: string): void {
  core.forgetOnDevice(stateNames({ key }));
}
