import { graphsOf } from './graph-walk.ts';
import type { OnnxModel } from './read-model.ts';

/**
 * The name of a batch normalization that works as in training, if a graph has one: it normalizes by the batch and
 * changes its own statistics, so that its figures hang on how rows are cut into batches, and weights that are fed to it
 * would be written to.
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
