/**
 * How tensors of optimizer state are kept: byte for byte, by BitSnap's clusters (section 3.4), or with a bound on what
 * the next updates would do with them.
 */
export const stateFidelities = ['exact', 'bitsnap', 'bounded'] as const;
export type StateFidelity = (typeof stateFidelities)[number];

/** What a tensor of an optimizer holds: Adam's averages of gradients and of their squares, or the momentum of SGD. */
export const stateRoles = ['firstMoment', 'secondMoment', 'momentum'] as const;
export type StateRole = (typeof stateRoles)[number];

/** How F32 copies of the model's weights are kept: byte for byte, or as the weights that come back, widened. */
export const masterFidelities = ['exact', 'weights'] as const;
export type MasterFidelity = (typeof masterFidelities)[number];

/** How a run's optimizer files are kept; fixed when the run is created. */
export interface StateOptions extends Readonly<Record<StateRole, StateFidelity>> {
  /** `exact` when absent. */
  readonly master?: MasterFidelity | undefined;
  /**
   * What marks tensors of a role before the usual words do: parts of their dotted names, whole names, or patterns of
   * these with `*`.
   */
  readonly names?: { readonly [Role in StateRole | 'master']?: readonly string[] | undefined };
}

/** Nothing is lost unless somebody asked for it: no threshold bounds what an optimizer does later. */
export const defaultStateOptions: StateOptions = { firstMoment: 'exact', secondMoment: 'exact', momentum: 'exact' };
