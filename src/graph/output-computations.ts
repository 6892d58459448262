import { toBinary } from '@bufbuild/protobuf';
import { createHash } from 'node:crypto';
import { subgraphsOf } from './onnx/graph-walk.ts';
import { AttributeProtoSchema, TensorProtoSchema, type NodeProto } from './onnx/onnx_pb.ts';
import { readModel } from './onnx/read-model.ts';

/**
 * By output of a graph: a digest of the operators that compute it, with their attributes and constants, down to the
 * graph's inputs. Names of values in between do not count, nor does what else is computed from them. So equal digests
 * mean the same computation. Undefined if there are operators with graphs of their own, or sparse constants, which are
 * not followed. Errors: `graph-invalid`.
 */
export function outputComputations(bytes: Uint8Array): ReadonlyMap<string, string> | undefined {
  const { graph } = readModel(bytes);
  if (graph.sparseInitializer.length > 0 || graph.node.some((node) => subgraphsOf(node).length > 0)) return undefined;
  const digests = new Map<string, string>();
  for (const { name } of graph.input) digests.set(name, digestOf('input', name));
  for (const tensor of graph.initializer)
    digests.set(tensor.name, digestOf('constant', toBinary(TensorProtoSchema, { ...tensor, name: '' })));
  // Nodes of a valid graph come after those that they use.
  for (const node of graph.node) {
    const inputs = node.input.map((name) => (name === '' ? 'none' : digests.get(name)));
    if (inputs.includes(undefined)) return undefined;
    const computed = digestOf('node', node.domain, node.opType, ...attributesOf(node), ...(inputs as string[]));
    node.output.forEach((name, index) => digests.set(name, digestOf(computed, String(index))));
  }
  const outputs = graph.output.map(({ name }) => [name, digests.get(name)] as const);
  return outputs.some(([, digest]) => digest === undefined) ? undefined : new Map(outputs as [string, string][]);
}

function attributesOf({ attribute }: NodeProto): Uint8Array[] {
  return attribute.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((each) => toBinary(AttributeProtoSchema, each));
}

/** The parts with their lengths, so that no two lists of parts run together. */
function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = Buffer.from(part);
    hash.update(`${bytes.length} `).update(bytes);
  }
  return hash.digest('hex');
}
