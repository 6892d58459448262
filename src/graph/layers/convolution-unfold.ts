import type { AttributeProto, NodeProto } from '../onnx/onnx_pb.ts';

/**
 * The rows that a convolution without groups multiplies its kernel with: at each position the channels' windows, in the
 * order (channel, window).
 */
export interface Unfold {
  readonly channels: number;
  /** Sizes of the window, one for each spatial axis, like strides and dilations; pads are all begins, then all ends. */
  readonly kernel: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  readonly pads: readonly number[];
}

/** Most positions of a window (patches of 32 x 32): unfolding needs a constant of its square in floats, 4 MiB. */
export const windowPositionsMax = 1024;

/**
 * The unfolding of a Conv node (ONNX operator specification) with a kernel of shape [out, channels, ...window].
 * Undefined if it has groups, pads automatically, has a window beyond {@link windowPositionsMax}, or contradicts
 * itself.
 */
export function convolutionUnfold(node: NodeProto, kernelShape: readonly number[]): Unfold | undefined {
  const [, channels, ...kernel] = kernelShape;
  if (
    channels === undefined ||
    kernel.length === 0 ||
    kernel.reduce((product, size) => product * size, 1) > windowPositionsMax
  )
    return undefined;
  const attributes = new Map(node.attribute.map((attribute) => [attribute.name, attribute]));
  if ((attributes.get('group')?.i ?? 1n) !== 1n || padsAutomatically(attributes.get('auto_pad'))) return undefined;
  const list = (name: string, length: number, standard: number) =>
    attributes.get(name)?.ints.map(Number) ?? new Array<number>(length).fill(standard);
  const strides = list('strides', kernel.length, 1);
  const dilations = list('dilations', kernel.length, 1);
  const pads = list('pads', 2 * kernel.length, 0);
  if (strides.length !== kernel.length || dilations.length !== kernel.length || pads.length !== 2 * kernel.length)
    return undefined;
  return { channels, kernel, strides, dilations, pads };
}

/** AttributeProto's field `s`, which is unknown to our part of onnx.proto. */
const stringField = 4;
const notSet = Uint8Array.of(6, ...new TextEncoder().encode('NOTSET'));

function padsAutomatically(attribute: AttributeProto | undefined): boolean {
  if (attribute === undefined) return false;
  const data = attribute.$unknown?.find((field) => field.no === stringField)?.data;
  return data === undefined || Buffer.compare(data, notSet) !== 0;
}
