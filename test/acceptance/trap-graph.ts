import {
  elementTypes,
  graphAttribute,
  integerAttribute,
  named,
  node,
  onnxFile,
  openInitializer,
  storedInitializer,
  tensorAttribute,
  value,
} from './onnx-file.ts';
import { normal, randomNumbers } from './random-numbers.ts';
import { f32Tensor, safetensorsFile } from './safetensors-file.ts';

const rows = 48;
const width = 16;
const outputs = 32;

/**
 * A linear model whose graph misbehaves if the weight `trap` is positive: `endless` never ends, `hungry` doubles its
 * memory until it fails. The check of the eval set runs it with zeros, so that only weights can trigger it.
 */
export function trapGraph(kind: 'endless' | 'hungry'): Buffer {
  return modelWithLoop(
    kind,
    [node('Greater', ['trap', 'zero'], ['go'])],
    [openInitializer('trap', []), storedInitializer('zero', [], new Uint8Array(4))],
  );
}

/** The same without a condition: it misbehaves at the first run. */
export function brokenGraph(kind: 'endless' | 'hungry'): Buffer {
  return modelWithLoop(kind, [], [storedInitializer('go', [], Uint8Array.of(1), 'bool')]);
}

/** The same model; its runtime fails if the weight `trap` is 1, because it is an index into a table with one entry. */
export function strayGraph(): Buffer {
  return onnxFile({
    inputs: [value('x', ['rows', width])],
    outputs: [value('y', ['rows', outputs])],
    initializers: [
      openInitializer('w.weight', [width, outputs]),
      openInitializer('trap', []),
      storedInitializer('table', [1], new Uint8Array(4)),
    ],
    nodes: [
      node('Cast', ['trap'], ['index'], [integerAttribute('to', elementTypes.int64)]),
      named('/lookup/Gather', node('Gather', ['table', 'index'], ['found'])),
      node('MatMul', ['x', 'w.weight'], ['p']),
      node('Add', ['p', 'found'], ['y']),
    ],
  });
}

/** The linear model alone; `more` names additional weights. */
export function linearGraph(more: readonly string[] = []): Buffer {
  return onnxFile({
    inputs: [value('x', ['rows', width])],
    outputs: [value('y', ['rows', outputs])],
    initializers: [
      openInitializer('w.weight', [width, outputs]),
      ...more.map((name) => openInitializer(name, [outputs])),
    ],
    nodes: [
      node('MatMul', ['x', 'w.weight'], more.length === 0 ? ['y'] : ['p0']),
      ...more.map((name, at) => node('Add', [`p${at}`, name], [at === more.length - 1 ? 'y' : `p${at + 1}`])),
    ],
  });
}

function modelWithLoop(
  kind: 'endless' | 'hungry',
  start: readonly Uint8Array[],
  initializers: readonly Uint8Array[],
): Buffer {
  const body = {
    inputs: [value('i', [], 'int64'), value('go_in', [], 'bool'), value('s', ['n', outputs])],
    outputs: [value('go_out', [], 'bool'), value('t', ['m', outputs])],
    nodes: [
      node('Identity', ['go_in'], ['go_out']),
      kind === 'endless' ? node('Neg', ['s'], ['t']) : node('Concat', ['s', 's'], ['t'], [integerAttribute('axis', 0)]),
    ],
  };
  return onnxFile({
    inputs: [value('x', ['rows', width])],
    outputs: [value('y', ['rows_out', outputs])],
    initializers: [openInitializer('w.weight', [width, outputs]), ...initializers],
    nodes: [
      ...start,
      node('MatMul', ['x', 'w.weight'], ['p']),
      node('Loop', ['', 'go', 'p'], ['y'], [graphAttribute('body', body)]),
    ],
  });
}

export const linearSpec = {
  // The labels are random, so the loss is no better than guessing.
  allowDoubted: true,
  inputs: { x: 'x' },
  metrics: [{ name: 'error', kind: 'mse', output: 'y', labels: 'target' }],
} as const;

export function linearBatches(): Buffer {
  const random = randomNumbers(21);
  const numbers = (count: number) => Float32Array.from({ length: count }, () => normal(random));
  return safetensorsFile({
    x: f32Tensor([rows, width], numbers(rows * width)),
    target: f32Tensor([rows, outputs], numbers(rows * outputs)),
  });
}

/** Weights of the linear model, which drift from step to step; a positive `trap` triggers the trap. */
export function linearFile(step: number, trap: number): Buffer {
  const random = randomNumbers(33);
  const weights = Float32Array.from(
    { length: width * outputs },
    (_, at) => normal(random) + 0.01 * step * Math.sin(at),
  );
  return safetensorsFile({ 'w.weight': f32Tensor([width, outputs], weights), trap: f32Tensor([], [trap]) });
}

/** A graph with an operator that no runtime knows. */
export function unknownOperatorGraph(): Buffer {
  return onnxFile({
    inputs: [value('x', ['rows', width])],
    outputs: [value('y', ['rows', width])],
    nodes: [node('Guess', ['x'], ['y'])],
  });
}

/**
 * A graph whose branches hold a constant that refers to a file. It is no weight to be filled, so evaluating it would
 * open the file.
 */
export function outsideConstantGraph(): Buffer {
  const constant = node(
    'Constant',
    [],
    ['c'],
    [tensorAttribute('value', openInitializer('c', [outputs], '../secret'))],
  );
  const branch = { outputs: [value('c', [outputs])], nodes: [constant] };
  return onnxFile({
    inputs: [value('x', ['rows', width])],
    outputs: [value('y', [outputs])],
    initializers: [storedInitializer('go', [], Uint8Array.of(1), 'bool')],
    nodes: [node('If', ['go'], ['y'], [graphAttribute('then_branch', branch), graphAttribute('else_branch', branch)])],
  });
}
