import type { DeviceKind } from '../../checkpoint/device-kind.ts';

/** What `FIRN_EVALUATE_ON` allows: a GPU if there is one, the processor alone, or a GPU and no start without. */
export const evaluateOnChoices = ['auto', 'cpu', 'cuda'] as const;
export type EvaluateOn = (typeof evaluateOnChoices)[number];

/** What an evaluation child says at its start of what it can evaluate on. */
export interface DeviceReport {
  readonly kind: DeviceKind;
  /** Why it is not `cuda` although that was asked for: a sentence for the log, or for who started the process. */
  readonly reason?: string;
  /** The runtime's own words, for the log. */
  readonly detail?: string | undefined;
}
