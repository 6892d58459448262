import type { Fidelity } from '../role.ts';

/**
 * Why a checkpoint is exact that nobody asked to quantize; undefined for another. A warning of its result says any
 * other reason.
 */
export function whyExact({
  fidelity,
  hasEvalSet,
  hasConfig,
}: {
  /** Undefined while it is not ready. */
  readonly fidelity: Fidelity | undefined;
  readonly hasEvalSet: boolean;
  readonly hasConfig: boolean;
}): string | undefined {
  if (fidelity !== 'exact' || hasEvalSet || hasConfig) return undefined;
  return (
    'exact: the run has no quality threshold, so every byte is kept. To compress more, push to a run with an eval ' +
    'set and a threshold (docs/guide/tasks.md).'
  );
}
