import { expect, test } from 'vitest';
import { buildModel, external, intAttribute, node, value } from './build-model.ts';
import { describeGraph } from '../describe-graph.ts';
import { trainingNormalization } from './training-mode.ts';

const normalization = (attributes: Parameters<typeof node>[3]) =>
  describeGraph(
    buildModel({
      inputs: [value('x', ['N', 4])],
      outputs: [value('y', ['N', 4])],
      initializers: ['scale', 'bias', 'mean', 'variance'].map((name) => external(name, [4])),
      nodes: [node('BatchNormalization', ['x', 'scale', 'bias', 'mean', 'variance'], ['y'], attributes)],
    }),
  ).model;

test('a batch normalization in training mode is found by its output; one that only infers is not', () => {
  expect(trainingNormalization(normalization([intAttribute('training_mode', 1)]))).toBe('y');
  expect(trainingNormalization(normalization([intAttribute('training_mode', 0)]))).toBeUndefined();
  expect(trainingNormalization(normalization([]))).toBeUndefined();
});
