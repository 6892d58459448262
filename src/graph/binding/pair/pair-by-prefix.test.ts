import { describe, expect, test } from 'vitest';
import { buildModel, external, floats, node } from '../../build-model.ts';
import { describeGraph } from '../../describe-graph.ts';
import { bindModel, couldFillModel, numbers, type TestCheckpoint } from '../bind-model.test-support.ts';
import { describeBinding } from '../describe/describe-binding.ts';
import { pairByPrefix } from './pair-by-prefix.ts';

const bare = ['h.0.fc.weight', 'h.0.fc.bias', 'h.1.fc.weight', 'h.1.fc.bias'];
const shapeOf = (name: string) => (name.endsWith('weight') ? [4, 3] : [4]);
const countOf = (name: string) => shapeOf(name).reduce((a, b) => a * b);

const graphOf = (names: readonly string[]) => ({
  nodes: [node('Identity', ['x'], ['y'])],
  initializers: names.map((name, at) => floats(name, shapeOf(name), numbers(countOf(name), at))),
  outputs: [],
});
const checkpointOf = (names: readonly string[]): TestCheckpoint => Object.fromEntries(names.map((name) => [name, [shapeOf(name)]]));
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
    expect(bound.binding).toEqual(Object.fromEntries(bare.map((name) => [graph + name, { tensor: checkpoint + name, transpose: false }])));
    expect(bound.report.prefix).toEqual({ graph, checkpoint, count: bare.length });
    expect(describeBinding(bound.report)[0]).toContain('4 weights of the graph are bound by name, all of them ');
    expect(() => couldFillModel(graphOf(behind(graph)), checkpointOf(names))).not.toThrow();
  });

  test('single numbers come along, and weights that lie the other way round are turned', async () => {
    const graph = graphOf(behind('m.'));
    const parts = { ...graph, initializers: [...graph.initializers, floats('m.scale', [], [1]), floats('m.out.weight', [5, 2], numbers(10))] };
    const { binding } = await bindModel(parts, { ...checkpointOf(bare), scale: [[]], 'out.weight': [[2, 5]] });
    expect(binding).toMatchObject({ 'm.scale': { tensor: 'scale' }, 'm.out.weight': { tensor: 'out.weight', transpose: true } });
  });

  test('constants that have no counterpart do not stand in the way when they are declared', async () => {
    const graph = graphOf(behind('m.'));
    const parts = { ...graph, initializers: [...graph.initializers, floats('rope', [7], numbers(7)), external('onnx::Shape_1', [1], 'F32')] };
    const rest = { ...parts, initializers: parts.initializers.slice(0, -1) };
    expect((await bindModel(rest, checkpointOf(bare), { constants: ['rope'] })).constants).toEqual(['rope']);
    await expect(bindModel(rest, checkpointOf(bare))).rejects.toMatchObject({ message: expect.stringContaining('"constants":["rope"]') });
  });
});

describe('a prefix is refused', () => {
  test('where two do equally well, with both', async () => {
    const checkpoint = checkpointOf([...behind('model.'), ...behind('ema.')]);
    const message = expect.stringMatching(/"model\.".*"ema\."|"ema\.".*"model\."/);
    await expect(bindModel(graphOf(bare), checkpoint)).rejects.toMatchObject({ code: 'graph-missing-weights', message });
    expect(() => couldFillModel(graphOf(bare), checkpoint)).toThrow(expect.objectContaining({ message }));
  });

  test('where a shape does not fit, with the shapes', async () => {
    const checkpoint = { ...checkpointOf(bare), 'h.1.fc.bias': [[5]] } as const;
    await expect(bindModel(graphOf(behind('m.')), checkpoint)).rejects.toMatchObject({
      code: 'eval-input-mismatch',
      message: expect.stringMatching(/"m\.h\.1\.fc\.bias" has shape \[4\].*"h\.1\.fc\.bias" has \[5\]/),
    });
  });

  test('beside names that are equal: another layer would stand in for the one that is missing', async () => {
    const graph = graphOf([...bare, 'head.weight', 'head.bias']);
    const checkpoint = checkpointOf([...bare, 'old_head.weight', 'old_head.bias']);
    await expect(bindModel(graph, checkpoint)).rejects.toMatchObject({
      code: 'graph-missing-weights',
      message: expect.stringMatching(/"head\.weight".*"tensorMap":\{"head\.weight":\{"tensor":"old_head\.weight"\}/),
    });
  });

  test('where it would leave most weights unbound', async () => {
    await expect(bindModel(graphOf(behind('m.')), checkpointOf(['h.0.fc.weight']))).rejects.toMatchObject({ code: 'graph-missing-weights' });
  });
});

test('names without end cost no more than a few comparisons each', () => {
  const count = 20_000;
  const initializers = Array.from({ length: count }, (_, at) => external(`a.${'x.'.repeat(20)}${at}`, [2]));
  const { initializers: rest } = describeGraph(buildModel({ nodes: [], initializers, outputs: [] }));
  const tensors = Array.from({ length: count }, (_, at) => ({ name: `b${at}.${'x.'.repeat(20)}${at % 7}`, shape: [2], dtype: 'F32' as const }));
  const start = performance.now();
  expect(pairByPrefix(rest, tensors)).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(5000);
});
