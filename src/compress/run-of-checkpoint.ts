import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';

/**
 * The run as one of its checkpoints is compressed under: layer types given with the checkpoint win tensor by tensor,
 * and it is measured with what was fixed at its commit, whatever the run has now. A checkpoint without thresholds was
 * committed before they were fixed; for it the run's hold.
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
