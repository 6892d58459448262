import type { StateEncoding } from './state-encoding.ts';

/**
 * How tensors of optimizer state are stored: byte for byte, by BitSnap's clusters (section 3.4), or with a bound on the
 * change of the next update.
 */
export const stateFidelities = ['exact', 'bitsnap', 'bounded'] as const;
export type StateFidelity = (typeof stateFidelities)[number];

/** The encoding under a fidelity that has one for all roles; with others it is that of the role, or exact. */
export const encodingOfFidelity: { readonly [Fidelity in StateFidelity]?: StateEncoding } = { bitsnap: 'clusters' };

/** Content of an optimizer tensor: Adam's averages of gradients and of their squares, or the momentum of SGD. */
export const stateRoles = ['firstMoment', 'secondMoment', 'momentum'] as const;
export type StateRole = (typeof stateRoles)[number];

/** How F32 copies of the model's weights are stored: byte for byte, or as the rebuilt weights, widened. */
export const masterFidelities = ['exact', 'weights'] as const;
export type MasterFidelity = (typeof masterFidelities)[number];

/** How a run's optimizer files are stored; fixed when the run is created. */
export interface StateOptions extends Readonly<Record<StateRole, StateFidelity>> {
  /** `exact` when absent. */
  readonly master?: MasterFidelity | undefined;
  /**
   * Names that mark tensors of a role before the usual words do: parts of dotted names, whole names, or patterns of
   * these with `*`.
   */
  readonly names?: { readonly [Role in StateRole | 'master']?: readonly string[] | undefined };
}

/** Nothing is lost unless somebody requests it: no threshold bounds the later effect on an optimizer. */
export const defaultStateOptions: StateOptions = { firstMoment: 'exact', secondMoment: 'exact', momentum: 'exact' };
