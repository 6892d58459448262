import type { DeviceKind } from '../device-kind.ts';
import type { Fidelity } from '../role.ts';

/**
 * What the checkpoints of a run would like to be worked on. `preferred`: they are measured on a GPU, or on the
 * processor if none is free in time. `required`: on a GPU. With both, the worker's device encodes what it can, if it
 * has one. `none`: the processor measures and encodes, whatever the worker has.
 */
export const deviceWishes = ['preferred', 'required', 'none'] as const;
export type DeviceWish = (typeof deviceWishes)[number];

/** Costs nothing where no worker has a GPU: nobody waits for one then. */
export const defaultDeviceWish: DeviceWish = 'preferred';

/** The kind that a worker with `kinds` measures on; undefined if it has none that the wish allows. */
export function deviceFor(wish: DeviceWish, kinds: readonly DeviceKind[]): DeviceKind | undefined {
  const wanted: readonly DeviceKind[] =
    wish === 'none' ? ['cpu'] : wish === 'required' ? ['cuda'] : (['cuda', 'cpu'] as const);
  return wanted.find((kind) => kinds.includes(kind));
}

/** What of a run decides whether its checkpoints are measured. */
interface MeasuredRun {
  readonly fidelity: Fidelity;
  readonly evalSetId?: string | undefined;
  readonly device: DeviceWish;
}

/** What the jobs of a run's checkpoints wish for: where nothing is measured, they wait for no GPU. */
export function wishOfJobs({ fidelity, evalSetId, device }: MeasuredRun): DeviceWish {
  return fidelity === 'exact' || evalSetId === undefined ? 'none' : device;
}
