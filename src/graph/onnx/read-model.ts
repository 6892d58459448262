import { fromBinary } from '@bufbuild/protobuf';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { checkWire } from './check-wire.ts';
import { defaultGraphLimits, type GraphLimits } from './graph-limits.ts';
import { ModelProtoSchema, type GraphProto, type ModelProto } from './onnx_pb.ts';

/** A decoded model that has a graph. Its byte fields are views of the bytes it was read from. */
export type OnnxModel = ModelProto & { graph: GraphProto };

/**
 * Decodes an ONNX file. Nothing in it is run and no path in it is opened. Tensor bytes are not copied, so `bytes` must
 * outlive the model unchanged; a mapped file is fine. Errors: `graph-invalid` (malformed, or over a limit).
 */
export function readModel(bytes: Uint8Array, limits: GraphLimits = defaultGraphLimits): OnnxModel {
  checkWire(bytes, ModelProtoSchema, limits);
  const model = decode(bytes, limits);
  if (!hasGraph(model)) throw new FirnError('graph-invalid', 'The file holds no ONNX graph.');
  return model;
}

function decode(bytes: Uint8Array, limits: GraphLimits): ModelProto {
  try {
    return fromBinary(ModelProtoSchema, bytes, { recursionLimit: limits.depth });
  } catch (cause) {
    throw new FirnError('graph-invalid', 'The graph is not a well-formed ONNX model.', { cause });
  }
}

function hasGraph(model: ModelProto): model is OnnxModel {
  return model.graph !== undefined;
}
