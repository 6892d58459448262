import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';

/**
 * The run as it applies to one of its checkpoints: layer types given with the checkpoint take precedence tensor by
 * tensor, and eval set and thresholds are those fixed at its commit, whatever the run has now. A checkpoint without
 * thresholds was committed before they were fixed; the run's thresholds apply.
 */
export function runOfCheckpoint(
  run: Run,
  { layerTypes, evalSetId, thresholds }: Pick<Checkpoint, 'layerTypes' | 'evalSetId' | 'thresholds'>,
): Run {
  const merged = { ...run, layerTypes: { ...run.layerTypes, ...layerTypes } };
  if (thresholds === undefined) return merged;
  const { evalSetId: _ofRun, ...rest } = merged;
  return { ...rest, thresholds, ...(evalSetId !== undefined && { evalSetId }) };
}
