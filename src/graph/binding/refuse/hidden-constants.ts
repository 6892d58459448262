import { BinaryReader } from '@bufbuild/protobuf/wire';
import { countElements } from '../../../checkpoint/count-elements.ts';
import { dtypeOfOnnxType, isFloatDtype } from '../../onnx/onnx-dtype.ts';
import type { AttributeProto, NodeProto, TensorProto } from '../../onnx/onnx_pb.ts';
import { graphsOf } from '../../onnx/graph-walk.ts';
import type { OnnxModel } from '../../onnx/read-model.ts';
import { weightSites } from '../../layers/weight-sites.ts';

/** Floating-point numbers in a graph that no tensor can replace. */
export interface HiddenConstant {
  /** The name for the eval set's `constants`: the value's name, else the operator's with the attribute's. */
  readonly name: string;
  readonly elementCount: number;
  /** Undefined if the graph does not specify it, as for a list of numbers. */
  readonly shape: readonly number[] | undefined;
  /** Its place in the graph, in words. */
  readonly place: string;
}

/**
 * Lists the floating-point numbers of a graph that are neither initializers nor a Constant's `value` with a name of its
 * own: those in functions, sparse initializers, names defined twice, and other attributes. Training graphs are left
 * out: no evaluation runs them. Cost: one pass over the model.
 */
export function hiddenConstants(model: OnnxModel): HiddenConstant[] {
  const fillable = new Set(weightSites(model).map((site) => site.tensor));
  const found: HiddenConstant[] = [];
  for (const { graph, place } of graphsOf({ ...model, trainingInfo: [] })) {
    const inFunction = place === 'aside';
    for (const tensor of graph.initializer) {
      if (!fillable.has(tensor))
        found.push(
          ...ofTensor(
            tensor,
            tensor.name,
            inFunction ? 'in a function of the model' : 'under a name that is defined twice',
          ),
        );
    }
    for (const { values } of graph.sparseInitializer)
      if (values !== undefined) found.push(...ofTensor(values, values.name, 'as a sparse initializer'));
    for (const node of graph.node)
      found.push(...ofNode(node, inFunction ? 'in a function of the model' : undefined, fillable));
  }
  for (const fn of model.functions)
    for (const node of fn.node) found.push(...ofNode(node, 'in a function of the model', fillable));
  return found;
}

function ofNode(node: NodeProto, place: string | undefined, fillable: ReadonlySet<TensorProto>): HiddenConstant[] {
  return node.attribute.flatMap((attribute) => {
    const isConstant = node.opType === 'Constant';
    const name = isConstant
      ? (node.output[0] ?? '')
      : `${node.name === '' ? (node.output[0] ?? node.opType) : node.name}.${attribute.name}`;
    const where =
      place ??
      (isConstant && attribute.t !== undefined
        ? 'under a name that is defined twice'
        : `in the attribute "${attribute.name}" of an operator`);
    const parts = [
      attribute.t,
      ...attribute.tensors,
      attribute.sparseTensor?.values,
      ...attribute.sparseTensors.map((sparse) => sparse.values),
    ];
    const tensors = parts.flatMap((tensor) =>
      tensor === undefined || fillable.has(tensor) ? [] : ofTensor(tensor, name, where),
    );
    const count = floatCount(attribute);
    return count === 0 ? tensors : [...tensors, { name, elementCount: count, shape: undefined, place: where }];
  });
}

function ofTensor(tensor: TensorProto, name: string, place: string): HiddenConstant[] {
  if (!isFloatDtype(dtypeOfOnnxType(tensor.dataType))) return [];
  const shape = tensor.dims.map(Number);
  return [{ name, elementCount: countElements(shape), shape, place }];
}

/**
 * Number of floats in a Constant: AttributeProto.f (2), and AttributeProto.floats (7), which is not in our part of the
 * format: packed, or one by one.
 */
const floatsField = 7;

function floatCount(attribute: AttributeProto): number {
  if (attribute.name === 'value_float') return 1;
  const fields = (attribute.$unknown ?? []).filter((field) => field.no === floatsField);
  return fields.reduce(
    (count, { wireType, data }) => count + (Number(wireType) === 2 ? new BinaryReader(data).uint32() / 4 : 1),
    0,
  );
}
