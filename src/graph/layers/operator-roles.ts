import type { LayerType } from '../../checkpoint/layer-type.ts';

/**
 * The role of each input of an operator, by input index; activations are left out. `elementwise` is decided by shape.
 */
export type InputRole = LayerType | 'elementwise' | 'activation';

type Roles = Readonly<Record<number, InputRole>>;

const convolution: Roles = { 1: 'convolution', 2: 'bias' };
const matrixProduct: Roles = { 0: 'linear', 1: 'linear' };
const normalization: Roles = { 1: 'norm', 2: 'norm' };
const recurrent: Roles = { 1: 'linear', 2: 'linear', 3: 'bias', 5: 'buffer', 6: 'buffer', 7: 'bias' };
const elementwise: Roles = { 0: 'elementwise', 1: 'elementwise' };

/** Operators of ai.onnx and com.microsoft that take weights (ONNX operator specification, inputs in its order). */
const rolesByOperator: Readonly<Record<string, Roles>> = {
  Gather: { 0: 'embedding' },
  MatMul: matrixProduct,
  FusedMatMul: matrixProduct,
  TransposeMatMul: matrixProduct,
  Gemm: { ...matrixProduct, 2: 'bias' },
  FusedGemm: { ...matrixProduct, 2: 'bias' },
  Einsum: { 0: 'linear', 1: 'linear', 2: 'linear' },
  Attention: { 1: 'linear', 2: 'bias' },
  Conv: convolution,
  ConvTranspose: convolution,
  FusedConv: convolution,
  DeformConv: { 1: 'convolution', 3: 'bias' },
  LSTM: recurrent,
  GRU: recurrent,
  RNN: recurrent,
  BatchNormalization: { 1: 'norm', 2: 'norm', 3: 'buffer', 4: 'buffer' },
  InstanceNormalization: normalization,
  LayerNormalization: normalization,
  GroupNormalization: normalization,
  GroupNorm: normalization,
  RMSNormalization: { 1: 'norm' },
  SimplifiedLayerNormalization: { 1: 'norm' },
  SkipLayerNormalization: { 2: 'norm', 3: 'norm', 4: 'bias' },
  SkipSimplifiedLayerNormalization: { 2: 'norm', 3: 'bias' },
  EmbedLayerNormalization: { 2: 'embedding', 3: 'embedding', 4: 'embedding', 5: 'norm', 6: 'norm' },
  BiasGelu: { 1: 'bias' },
  FastGelu: { 1: 'bias' },
  BiasAdd: { 1: 'bias' },
  PRelu: { 1: 'bias' },
  Add: elementwise,
  Sub: elementwise,
  Mul: elementwise,
  Div: elementwise,
  Pow: elementwise,
};

/** Operators whose first output is their first input (for Concat: every input) in another shape, order or type. */
const passThrough: ReadonlySet<string> = new Set([
  'Transpose',
  'Cast',
  'CastLike',
  'Reshape',
  'Identity',
  'Unsqueeze',
  'Squeeze',
  'Flatten',
  'Slice',
  'Split',
  'Expand',
  'Tile',
  'Concat',
]);

const operatorDomains: ReadonlySet<string> = new Set(['', 'ai.onnx', 'com.microsoft']);

/** The role of input `index` of an operator; undefined if the operator is unknown. */
export function inputRole(domain: string, opType: string, index: number): InputRole | undefined {
  const roles =
    operatorDomains.has(domain) && Object.hasOwn(rolesByOperator, opType) ? rolesByOperator[opType] : undefined;
  return roles && (roles[index] ?? 'activation');
}

/** Whether an operator only passes a weight on to the operator that uses it. */
export function passesWeightThrough(domain: string, opType: string): boolean {
  return operatorDomains.has(domain) && passThrough.has(opType);
}
