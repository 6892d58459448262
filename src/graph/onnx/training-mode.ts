import { graphsOf } from './graph-walk.ts';
import type { OnnxModel } from './read-model.ts';

/**
 * The name of a batch normalization in training mode, if a graph has one. It normalizes by the batch and changes its
 * own statistics, so its figures depend on how rows are cut into batches, and it would write to weights that are fed to
 * it.
 */
export function trainingNormalization(model: OnnxModel): string | undefined {
  for (const { graph } of graphsOf({ ...model, trainingInfo: [] })) {
    const found = graph.node.find(
      (node) =>
        node.opType === 'BatchNormalization' &&
        node.attribute.some(({ name, i }) => name === 'training_mode' && i === 1n),
    );
    if (found !== undefined) return found.name === '' ? (found.output[0] ?? '') : found.name;
  }
  return undefined;
}
