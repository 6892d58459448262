import { toBinary, create } from '@bufbuild/protobuf';
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../checkpoint/firn-error.ts';
import {
  buildModel,
  floats,
  graphAttribute,
  integers,
  node,
  tensorAttribute,
  value,
  type ModelParts,
} from './onnx/build-model.ts';
import { describeGraph, describeGraphFile, type GraphDescription } from './describe-graph.ts';
import { openGraphFile } from './onnx/graph-file.ts';
import { defaultGraphLimits } from './onnx/graph-limits.ts';
import { memoryGraphSource, type GraphSource } from './onnx/graph-source.ts';
import { layerTypesFromGraph } from './layers/layer-types-from-graph.ts';
import { GraphProtoSchema, TensorProtoSchema } from './onnx/onnx_pb.ts';

/**
 * Initializers, a constant, a subgraph with its own weight, a sparse tensor and an integer, as protobuf would write
 * them.
 */
function mixedModel(
  weights: NonNullable<ModelParts['initializers']> = [floats('w', [4, 3], Array<number>(12).fill(2))],
): Uint8Array {
  const branch = {
    nodes: [node('Mul', ['h', 'scale'], ['scaled'])],
    initializers: [floats('scale', [3], [1, 2, 3])],
    outputs: [value('scaled', ['N', 3])],
  };
  return buildModel({
    inputs: [value('x', ['N', 4])],
    outputs: [value('y', ['N', 3])],
    initializers: [...weights, integers('axes', [2], [0, 1]), floats('nothing', [0, 4], [])],
    nodes: [
      node('Constant', [], ['c'], [tensorAttribute('value', floats('', [2], [1, 2]))]),
      node('MatMul', ['x', 'w'], ['h']),
      node('If', ['flag'], ['y'], [graphAttribute('then_branch', branch), { name: 'ints', type: 7 }]),
    ],
  });
}

/** A description without payloads. */
function told(graph: GraphDescription) {
  const { inputs, outputs, initializers, opset, hasSubgraphs } = graph;
  const nodes = graph.model.graph.node.map(({ opType, input, output }) => [opType, input, output]);
  return { inputs, outputs, initializers, opset, hasSubgraphs, nodes, types: [...layerTypesFromGraph(graph)] };
}

async function outcome(describe: () => GraphDescription | Promise<GraphDescription>) {
  try {
    return told(await describe());
  } catch (error) {
    if (error instanceof FirnError) return error.code;
    throw error;
  }
}

/** A length-delimited field of a length below 2^35, or the start of one. */
function field(number: number, length: number, body: Uint8Array = new Uint8Array()): Uint8Array {
  const bytes = [(number << 3) | 2];
  for (let rest = length; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | (rest > 127 ? 0x80 : 0));
    if (rest <= 127) break;
  }
  return Uint8Array.from([...bytes, ...body]);
}

/** A model with one weight of `rawBytes` bytes, cut at the place of its data. */
function modelAround(rawBytes: number): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  const tensor = toBinary(
    TensorProtoSchema,
    create(TensorProtoSchema, { name: 'w', dims: [BigInt(rawBytes / 4)], dataType: 1 }),
  );
  const raw = field(9, rawBytes);
  const graph = toBinary(GraphProtoSchema, create(GraphProtoSchema, { node: [node('Add', ['x', 'w'], ['y'])] }));
  const tensorLength = tensor.length + raw.length + rawBytes;
  const initializer = field(5, tensorLength);
  const head = Buffer.concat([
    field(7, graph.length + initializer.length + tensorLength),
    graph,
    initializer,
    tensor,
    raw,
  ]);
  return {
    head,
    tail: buildModel({ nodes: [], initializers: [floats('b', [2], [1, 2])], outputs: [value('y', ['N'])] }),
  };
}

describe('describeGraphFile', () => {
  test('says the same as the reader of whole files, wherever fields lie in the windows', async () => {
    const lengths = [0, 1, 100, 65_000, 65_536, 70_000];
    const names = Array.from({ length: 3000 }, (_, i) => `layer.${i}.${'x'.repeat(i % 300)}`);
    for (const shift of [0, 1, 7, 20]) {
      const weights = [
        ...lengths.map((length, i) => floats(`w${i}`, [length + shift], Array<number>(length + shift).fill(i))),
      ];
      const model = mixedModel([
        ...weights,
        ...names.map((name) => floats(name, [shift], Array<number>(shift).fill(1))),
      ]);
      const graph = await describeGraphFile(memoryGraphSource(model));
      expect(told(graph)).toEqual(told(describeGraph(model)));
    }
  });

  test('reads the structure of a file of 1.5 GiB and none of its weights', async () => {
    const rawBytes = 1.5 * 2 ** 30;
    const { head, tail } = modelAround(rawBytes);
    let readBytes = 0;
    const source: GraphSource = {
      sizeBytes: head.length + rawBytes + tail.length,
      fill: async (target, startBytes) => {
        readBytes += target.length;
        target.fill(0);
        target.set(head.subarray(startBytes, startBytes + target.length));
        const fromTail = startBytes + target.length - head.length - rawBytes;
        if (fromTail > 0)
          target.set(
            tail.subarray(Math.max(0, fromTail - target.length), fromTail),
            Math.max(0, target.length - fromTail),
          );
      },
    };
    const { initializers, outputs } = await describeGraphFile(source);
    expect(initializers.map(({ name, stored }) => [name, stored!.spans])).toEqual([
      ['w', [{ startBytes: head.length, lengthBytes: rawBytes }]],
      ['b', [{ startBytes: expect.any(Number) as number, lengthBytes: 8 }]],
    ]);
    expect(outputs.map((output) => output.name)).toEqual(['y']);
    expect(readBytes).toBeLessThan(2 ** 20);
  });

  test('a file on disk costs its structure', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'firn-graph-'));
    try {
      const rawBytes = 2 ** 30;
      const { head, tail } = modelAround(rawBytes);
      const path = join(directory, 'graph.onnx');
      await writeFile(path, head);
      await truncate(path, head.length + rawBytes);
      const handle = await open(path, 'a');
      await handle.write(tail);
      await handle.close();
      const file = await openGraphFile(path);
      const before = process.memoryUsage.rss();
      const graph = await describeGraphFile(file);
      expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 2 ** 20);
      expect(graph.initializers.map((each) => each.name)).toEqual(['w', 'b']);
      await truncate(path, 4);
      await expect(describeGraphFile(file)).rejects.toMatchObject({ code: 'internal' });
      await file.close();
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test('refuses what exceeds a limit', async () => {
    const source = memoryGraphSource(mixedModel());
    for (const limit of [
      { nodes: 3 },
      { tensors: 3 },
      { fields: 40 },
      { sizeBytes: 100 },
      { depth: 4 },
      { outlineBytes: 200 },
      { rank: 1 },
    ])
      expect(await outcome(() => describeGraphFile(source, { limits: { ...defaultGraphLimits, ...limit } }))).toBe(
        'graph-invalid',
      );
    expect(
      await outcome(() => describeGraphFile(source, { limits: { ...defaultGraphLimits, outlineBytes: 1000 } })),
    ).not.toBe('graph-invalid');
  });

  test('a name of hundreds of megabytes is refused before it is read', async () => {
    const head = Buffer.concat([field(7, 2 ** 29 + 6), field(2, 2 ** 29)]);
    let readBytes = 0;
    const source: GraphSource = {
      sizeBytes: head.length + 2 ** 29,
      fill: async (target, startBytes) => {
        readBytes += target.length;
        target.fill(0x61).set(head.subarray(startBytes, startBytes + target.length));
      },
    };
    expect(await outcome(() => describeGraphFile(source))).toBe('graph-invalid');
    expect(readBytes).toBeLessThan(2 ** 20);
  });

  test('stops when aborted', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(describeGraphFile(memoryGraphSource(mixedModel()), { signal })).rejects.toThrow('enough');
  });

  test('agrees with the reader of whole files on mutated files', async () => {
    const original = mixedModel();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(original.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        fc.nat(original.length),
        async (changes, cut) => {
          const bytes = original.slice(0, cut > original.length / 2 ? undefined : original.length - cut);
          for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
          const whole = await outcome(() => describeGraph(bytes));
          const file = await outcome(() => describeGraphFile(memoryGraphSource(bytes)));
          // Varints of 16-bit elements are checked when they are read.
          const unread =
            typeof file === 'object' && file.initializers.some((each) => each.stored?.encoding === 'varints');
          if (!unread) expect(file).toEqual(whole);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
