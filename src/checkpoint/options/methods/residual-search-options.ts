import type { SearchOption } from './method-config.ts';

/**
 * When the residual method moves a weight: whenever another step is nearer, so that the rebuilt model follows training
 * without a lag; or, for checkpoints that nobody will train on, only if the gain justifies the bits (the weight is well
 * beyond half a step).
 */
export const roundingChoices = ['nearest', 'archive'] as const;
export type RoundingChoice = (typeof roundingChoices)[number];

/**
 * The gain that a weight of the residual method needs to leave its step: the same for all, or equal to the bits that
 * its move costs more than staying.
 */
export const hysteresisChoices = ['fixed', 'priced'] as const;
export type Hysteresis = (typeof hysteresisChoices)[number];

/** Options of a run's search that concern the residual method alone. */
export interface ResidualSearchOptions {
  readonly rounding: RoundingChoice;
  /** Absent in runs from before there was a choice: `fixed`. */
  readonly hysteresis?: Hysteresis;
}

export const residualSearchOptions: {
  readonly [Option in keyof ResidualSearchOptions]-?: SearchOption<ResidualSearchOptions[Option]>;
} = {
  rounding: {
    field: { kind: 'choice', values: roundingChoices },
    default: 'nearest',
    olderSpelling: { from: 'dead-zone', to: 'archive' },
    description:
      'Of the method `residual`: with `nearest` rebuilt checkpoints follow training. A weight moves wherever ' +
      'another step is nearer; while the upload of the checkpoint before is kept, weights that training moved ' +
      'do so earlier, and the others later. With `archive` a weight moves only where that is worth its bits. ' +
      'That takes fewer bytes, and rebuilt checkpoints lag ' +
      'behind: it is for those that nobody will train on.',
  },
  hysteresis: {
    field: { kind: 'choice', values: hysteresisChoices },
    default: 'fixed',
    optional: true,
    description:
      'Of the method `residual` with rounding `archive`: with `fixed` what a weight has to gain to move is ' +
      'the same for all; with `priced` it goes with the bits ' +
      'that its move costs more than staying, after what it and those like it did before.',
  },
};
