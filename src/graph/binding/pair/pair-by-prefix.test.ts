import { describe, expect, test } from 'vitest';
import { bindWeights } from '../../bind-weights.ts';
import { buildModel, external, floats, node, value } from '../../onnx/build-model.ts';
import { couldFill } from '../../could-fill.ts';
import { describeGraph } from '../../describe-graph.ts';
import { bindModel, couldFillModel, numbers, type TestCheckpoint } from '../bind-model.test-support.ts';
import { describeBinding } from '../describe/describe-binding.ts';
import { pairByHeaders } from './pair-by-headers.ts';
import { pairByPrefix } from './pair-by-prefix.ts';

const bare = ['h.0.fc.weight', 'h.0.fc.bias', 'h.1.fc.weight', 'h.1.fc.bias'];
const shapeOf = (name: string) => (name.endsWith('weight') ? [4, 3] : [4]);
const countOf = (name: string) => shapeOf(name).reduce((a, b) => a * b);

const graphOf = (names: readonly string[]) => ({
  nodes: [node('Identity', ['x'], ['y'])],
  initializers: names.map((name, at) => floats(name, shapeOf(name), numbers(countOf(name), at))),
  outputs: [],
});
const checkpointOf = (names: readonly string[]): TestCheckpoint =>
  Object.fromEntries(names.map((name) => [name, [shapeOf(name)]]));
const behind = (prefix: string, names = bare) => names.map((name) => prefix + name);

describe('one prefix makes the names match', () => {
  test.each([
    ['m.', ''],
    ['', 'module.'],
    ['', '_orig_mod.'],
    ['model.', ''],
    ['', 'module._orig_mod.'],
    ['net.trunk.', 'backbone.'],
    ['', 'anything at all/'],
  ])('%j of the graph for %j of the checkpoint', async (graph, checkpoint) => {
    const names = behind(checkpoint);
    const bound = await bindModel(graphOf(behind(graph)), checkpointOf(names));
    expect(bound.binding).toEqual(
      Object.fromEntries(bare.map((name) => [graph + name, { tensor: checkpoint + name, transpose: false }])),
    );
    expect(bound.report.prefix).toEqual({ graph, checkpoint, count: bare.length });
    expect(describeBinding(bound.report)[0]).toContain('4 weights of the graph are bound by name, all of them ');
    expect(() => couldFillModel(graphOf(behind(graph)), checkpointOf(names))).not.toThrow();
  });

  test('single numbers come along, and weights that lie the other way round are turned', async () => {
    const graph = graphOf(behind('m.'));
    const parts = {
      ...graph,
      initializers: [...graph.initializers, floats('m.scale', [], [1]), floats('m.out.weight', [5, 2], numbers(10))],
    };
    const { binding } = await bindModel(parts, { ...checkpointOf(bare), scale: [[]], 'out.weight': [[2, 5]] });
    expect(binding).toMatchObject({
      'm.scale': { tensor: 'scale' },
      'm.out.weight': { tensor: 'out.weight', transpose: true },
    });
  });

  test('constants that have no counterpart do not stand in the way when they are declared', async () => {
    const graph = graphOf(behind('m.'));
    const parts = {
      ...graph,
      initializers: [...graph.initializers, floats('rope', [7], numbers(7)), external('onnx::Shape_1', [1], 'F32')],
    };
    const rest = { ...parts, initializers: parts.initializers.slice(0, -1) };
    expect((await bindModel(rest, checkpointOf(bare), { constants: ['rope'] })).constants).toEqual(['rope']);
    await expect(bindModel(rest, checkpointOf(bare))).rejects.toMatchObject({
      message: expect.stringContaining('"constants":["rope"]'),
    });
  });
});

describe('a prefix is refused', () => {
  test('if two match equally well, with both', async () => {
    const checkpoint = checkpointOf([...behind('model.'), ...behind('ema.')]);
    const message = expect.stringMatching(/"model\.".*"ema\."|"ema\.".*"model\."/);
    await expect(bindModel(graphOf(bare), checkpoint)).rejects.toMatchObject({
      code: 'graph-missing-weights',
      message,
    });
    expect(() => couldFillModel(graphOf(bare), checkpoint)).toThrow(expect.objectContaining({ message }));
  });

  test('if a shape does not fit, with the shapes', async () => {
    const checkpoint = { ...checkpointOf(bare), 'h.1.fc.bias': [[5]] } as const;
    await expect(bindModel(graphOf(behind('m.')), checkpoint)).rejects.toMatchObject({
      code: 'eval-input-mismatch',
      message: expect.stringMatching(/"m\.h\.1\.fc\.bias" has shape \[4\].*"h\.1\.fc\.bias" has \[5\]/),
    });
  });

  test('if some names are equal: another layer would replace the missing one', async () => {
    const graph = graphOf([...bare, 'head.weight', 'head.bias']);
    const checkpoint = checkpointOf([...bare, 'old_head.weight', 'old_head.bias']);
    await expect(bindModel(graph, checkpoint)).rejects.toMatchObject({
      code: 'graph-missing-weights',
      message: expect.stringMatching(/"head\.weight".*"tensorMap":\{"head\.weight":\{"tensor":"old_head\.weight"\}/),
    });
  });

  test('if it would leave most weights unbound', async () => {
    await expect(bindModel(graphOf(behind('m.')), checkpointOf(['h.0.fc.weight']))).rejects.toMatchObject({
      code: 'graph-missing-weights',
    });
  });
});

test('names without end cost no more than a few comparisons each', () => {
  const count = 20_000;
  const initializers = Array.from({ length: count }, (_, at) => external(`a.${'x.'.repeat(20)}${at}`, [2]));
  const { initializers: rest } = describeGraph(buildModel({ nodes: [], initializers, outputs: [] }));
  const tensors = Array.from({ length: count }, (_, at) => ({
    name: `b${at}.${'x.'.repeat(20)}${at % 7}`,
    shape: [2],
    dtype: 'F32' as const,
  }));
  const start = performance.now();
  expect(pairByPrefix(rest, tensors)).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(5000);
});

describe('a prefix that leaves a doubt', () => {
  test('the report names another set of tensors that would fill the graph, and how to measure that', async () => {
    const most = behind('student.').slice(1);
    const { report } = await bindModel(graphOf(bare), checkpointOf([...behind('teacher.'), ...most]));
    expect(report.prefix).toEqual({
      graph: '',
      checkpoint: 'teacher.',
      count: 4,
      rival: { graph: '', checkpoint: 'student.', leaveOut: '"unused":["teacher.*"]' },
    });
    const both = checkpointOf([...behind('teacher.'), ...behind('student.')]);
    const other = await bindModel(graphOf(bare), both, { unused: ['teacher.*'] });
    expect(other.report).toMatchObject({ prefix: { checkpoint: 'student.', count: 4 }, leftOut: behind('teacher.') });
    expect(other.report.prefix).not.toHaveProperty('rival');
  });

  test('tensors that the same ones cover only in part, or that do not fit, are no other set', async () => {
    const names = [...bare, 'out.weight', 'x.weight'];
    const { report } = await bindModel(graphOf(behind('m.', names)), checkpointOf(names));
    expect(report.prefix).toEqual({ graph: 'm.', checkpoint: '', count: 6 });
    const smaller = Object.fromEntries(behind('small.').map((name) => [name, [[2]] as const]));
    expect(
      (await bindModel(graphOf(behind('m.')), { ...checkpointOf(bare), ...smaller })).report.prefix,
    ).not.toHaveProperty('rival');
  });

  test('a prefix taken away is better than one exchanged', async () => {
    const { report } = await bindModel(graphOf(behind('m.')), checkpointOf([...bare, ...behind('ema.')]));
    expect(report.prefix).toEqual({
      graph: 'm.',
      checkpoint: '',
      count: 4,
      rival: { graph: 'm.', checkpoint: 'ema.', leaveOut: '"unused":["h.*"]' },
    });
  });

  test('two that do equally well: the message has the entries that settle it', async () => {
    const checkpoint = checkpointOf([...behind('model.'), ...behind('model_ema.')]);
    const error = (await bindModel(graphOf(bare), checkpoint).catch((each: unknown) => each)) as Error;
    const entries = [...error.message.matchAll(/"unused":\[.*?\]/g)].map(
      ([entry]) => JSON.parse(`{${entry}}`) as { unused: string[] },
    );
    const chosen = await Promise.all(
      entries.map(async (spec) => (await bindModel(graphOf(bare), checkpoint, spec)).report.prefix?.checkpoint),
    );
    expect(chosen.toSorted()).toEqual(['model.', 'model_ema.']);
  });

  test('a tensor is not both left out and in use', async () => {
    const refusal = { code: 'eval-input-mismatch', message: expect.stringContaining('"unused"') };
    await expect(bindModel(graphOf(bare), checkpointOf(bare), { unused: ['h.1.*'] })).rejects.toMatchObject(refusal);
    const tensorMap = { 'h.0.fc.bias': { tensor: 'old.bias' } };
    await expect(
      bindModel(graphOf(bare), { ...checkpointOf(bare), 'old.bias': [[4]] }, { tensorMap, unused: ['old.*'] }),
    ).rejects.toMatchObject(refusal);
  });
});

describe('100,000 initializers and as many tensors are bound in seconds', () => {
  const count = 100_000;
  const nameOf = (at: number) => `model.layers.${at >> 3}.mlp.${'abcdefgh'[at & 7]}.weight`;
  const describeNames = (nameAt: (at: number) => string) => {
    const initializers = Array.from({ length: count }, (_, at) => external(nameAt(at), [3, 3]));
    return describeGraph(
      buildModel({
        nodes: [node('MatMul', ['x', nameAt(0)], ['y'])],
        initializers,
        inputs: [value('x', ['n', 3])],
        outputs: [],
      }),
    );
  };
  const tensors = Array.from({ length: count }, (_, at) => ({
    name: `student.${nameOf(at)}`,
    shape: [3, 3],
    dtype: 'F32' as const,
  }));
  // They take some 2 s; a comparison of every name with every other would take minutes. Processor time, since machines
  // that run tests are busy.
  const cpuMsMax = 10_000;

  test.each<[string, (at: number) => string, number]>([
    ['by name', (at) => tensors[at]!.name, count],
    ['by a prefix taken away', (at) => `m.student.${nameOf(at)}`, count],
    ['by a prefix exchanged', (at) => `teacher.${nameOf(at)}`, count],
    ['not at all', (at) => `${at}.of.another.model.weight`, 0],
  ])('%s', (_, nameAt, bound) => {
    const graph = describeNames(nameAt);
    const start = process.cpuUsage();
    const headers = pairByHeaders({ graph, tensors, constants: ['*.mask'], unused: ['ema.*'] });
    expect(headers.pairs.size).toBe(bound);
    if (bound > 0) {
      couldFill(graph, tensors, {});
      const { report } = bindWeights(headers);
      expect(report.nameCount + (report.prefix?.count ?? 0)).toBe(count);
    } else
      expect(() => couldFill(graph, tensors, {})).toThrow(expect.objectContaining({ code: 'graph-missing-weights' }));
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(cpuMsMax);
  });
});
