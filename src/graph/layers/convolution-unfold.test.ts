import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { intAttribute, intsAttribute, node } from '../onnx/build-model.ts';
import { convolutionUnfold } from './convolution-unfold.ts';
import { NodeProtoSchema } from '../onnx/onnx_pb.ts';

const unfold = (shape: readonly number[], ...attributes: Parameters<typeof node>[3] & {}) =>
  convolutionUnfold(create(NodeProtoSchema, node('Conv', ['x', 'w'], ['y'], attributes)), shape);

test('attributes that a node omits have the standard values', () => {
  expect(unfold([8, 3, 5, 7])).toEqual({
    channels: 3,
    kernel: [5, 7],
    strides: [1, 1],
    dilations: [1, 1],
    pads: [0, 0, 0, 0],
  });
});

test.each<[string, readonly number[], Parameters<typeof node>[3] & {}]>([
  ['groups', [8, 3, 5], [intAttribute('group', 2)]],
  ['a kernel without window', [8, 3], []],
  ['a window too large', [8, 1, 33, 32], []],
  ['strides of another rank', [8, 3, 5], [intsAttribute('strides', [1, 1])]],
  ['dilations of another rank', [8, 3, 5], [intsAttribute('dilations', [])]],
  ['pads of one side only', [8, 3, 5], [intsAttribute('pads', [1])]],
])('%s: not unfolded', (_, shape, attributes) => {
  expect(unfold(shape, ...attributes)).toBeUndefined();
});
