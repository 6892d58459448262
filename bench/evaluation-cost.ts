/**
 * What one evaluation costs by parameters, positions and classes, on one core: `npx tsx bench/evaluation-cost.ts`. Models are stacks of matrix products with a head of
 * class logits, each weight random; the figures are fitted by seconds = a x parameters x positions + b x positions x classes, which docs/guide/eval-sets.md quotes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvalSetSpec } from '../src/checkpoint/eval-set-spec.ts';
import { createEvaluator } from '../src/evaluate/create-evaluator.ts';
import { EvalFiles, type Column } from '../src/evaluate/eval-files.test-support.ts';
import type { EvaluationRequest, Evaluator } from '../src/evaluate/evaluator.ts';
import { buildModel, external, node, value } from '../src/graph/build-model.ts';

/** Width, hidden layers, positions (rows of the batches), classes. */
const cases: readonly (readonly [width: number, layers: number, positions: number, classes: number])[] = [
  [128, 4, 4096, 256],
  [128, 4, 4096, 16_384],
  [512, 8, 4096, 1024],
  [512, 8, 4096, 16_384],
  [1024, 12, 1024, 1024],
  [1024, 12, 4096, 1024],
];
/** Of each case, after one that is not counted. */
const rounds = 5;

interface Measured {
  readonly parameters: number;
  readonly positions: number;
  readonly classes: number;
  readonly seconds: number;
}

async function measure(evaluator: Evaluator, files: EvalFiles, [width, layers, positions, classes]: (typeof cases)[number]): Promise<Measured> {
  const request = requestOf(files, { width, layers, positions, classes });
  await evaluator.evaluate(request);
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    const { loss } = await evaluator.evaluate(request);
    seconds.push((performance.now() - started) / 1000);
    if (!Number.isFinite(loss)) throw new Error('the evaluation gave no finite loss');
  }
  return { parameters: layers * width * width + width * classes, positions, classes, seconds: seconds.sort((a, b) => a - b)[rounds >> 1]! };
}

function requestOf(
  files: EvalFiles,
  { width, layers, positions, classes }: { width: number; layers: number; positions: number; classes: number },
): EvaluationRequest {
  const names = Array.from({ length: layers }, (_, layer) => `w${layer}`);
  const graph = buildModel({
    inputs: [value('x', ['N', width])],
    outputs: [value('logits', ['N', classes])],
    initializers: [...names.map((name) => external(name, [width, width])), external('head', [width, classes])],
    nodes: [
      ...names.flatMap((name, layer) => [
        node('MatMul', [layer === 0 ? 'x' : `r${layer - 1}`, name], [`m${layer}`]),
        node('Relu', [`m${layer}`], [`r${layer}`]),
      ]),
      node('MatMul', [`r${layers - 1}`, 'head'], ['logits']),
    ],
  });
  const random = randomFloats();
  const floats = (shape: number[], scale: number): Column => ({ dtype: 'F32', shape, data: random(shape[0]! * shape[1]!, scale) });
  const weights = Object.fromEntries([
    ...names.map((name) => [name, floats([width, width], 1 / Math.sqrt(width))] as const),
    ['head', floats([width, classes], 0.05)] as const,
  ]);
  const labels: Column = { dtype: 'I64', shape: [positions], data: BigInt64Array.from({ length: positions }, (_, at) => BigInt(at % classes)) };
  const spec: EvalSetSpec = { inputs: { x: 'x' }, metrics: [{ name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'y' }], batchRows: 256 };
  return {
    evalSet: { graphPath: files.write(graph), batchesPath: files.writeTensors({ x: floats([positions, width], 1), y: labels }), spec },
    binding: Object.fromEntries([...names, 'head'].map((name) => [name, { tensor: name, transpose: false }])),
    weightPaths: [files.writeTensors(weights)],
  };
}

/** Uniform in -1 to 1, times a scale; the same for every case (xorshift32). */
function randomFloats(): (count: number, scale: number) => Float32Array {
  let state = 2463534242;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 2 ** 31;
  };
  return (count, scale) => Float32Array.from({ length: count }, () => scale * next());
}

/** Least squares of seconds over parameters x positions and positions x classes, each case weighted by its own time. */
function fit(measured: readonly Measured[]): { readonly perWeight: number; readonly perLogit: number } {
  const rows = measured.map(({ parameters, positions, classes, seconds }) => [(parameters * positions) / seconds, (positions * classes) / seconds] as const);
  const sum = (pick: (row: readonly [number, number]) => number): number => rows.reduce((total, row) => total + pick(row), 0);
  const [aa, ab, bb] = [sum(([a]) => a * a), sum(([a, b]) => a * b), sum(([, b]) => b * b)];
  const [a1, b1] = [sum(([a]) => a), sum(([, b]) => b)];
  const determinant = aa * bb - ab * ab;
  return { perWeight: (a1 * bb - b1 * ab) / determinant, perLogit: (aa * b1 - ab * a1) / determinant };
}

const folder = mkdtempSync(join(tmpdir(), 'firn-evaluation-cost-'));
const evaluator = createEvaluator({ parallel: 1, deadlineMs: 600_000, memoryMaxBytes: 8 * 2 ** 30 });
try {
  const files = new EvalFiles(folder);
  const measured: Measured[] = [];
  for (const each of cases) measured.push(await measure(evaluator, files, each));
  const { perWeight, perLogit } = fit(measured);
  console.log('parameters  positions  classes  seconds  by the formula');
  for (const { parameters, positions, classes, seconds } of measured) {
    const predicted = perWeight * parameters * positions + perLogit * positions * classes;
    console.log(
      [
        String(parameters).padStart(10),
        String(positions).padStart(10),
        String(classes).padStart(8),
        seconds.toFixed(2).padStart(8),
        predicted.toFixed(2).padStart(8),
      ].join(' '),
    );
  }
  console.log(
    `seconds = ${(1e12 * perWeight).toFixed(1)}e-12 x parameters x positions + ${(1e9 * perLogit).toFixed(1)}e-9 x positions x classes (median of ${rounds} each)`,
  );
} finally {
  await evaluator.close();
  rmSync(folder, { recursive: true, force: true });
}
