/**
 * Measures the cost of evaluations by parameters, positions and classes, on one processor:
 * `npx tsx bench/evaluation/evaluation-cost.ts`. It times the three kinds of a job: the evaluation of a candidate; the
 * examination of the upload, which also reads labels, retains the outputs and computes observed metrics; and the
 * evaluation of the stored result, which is compared with these outputs. Models are stacks of matrix products with a
 * head of class logits and random weights. The figures are CPU seconds of this process, so that other work on the
 * machine has little influence. They are fitted by seconds = a x parameters x positions + b x positions x classes,
 * which docs/guide/eval-sets.md quotes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvalSetSpec } from '../../src/checkpoint/quality/eval-set-spec.ts';
import { observedMetrics } from '../../src/checkpoint/quality/observed-metrics.ts';
import { EvalFiles, type Column } from '../../src/evaluate/eval-files.test-support.ts';
import { EvaluationService } from '../../src/evaluate/evaluation-service.ts';
import type { EvaluationRequest } from '../../src/evaluate/evaluation-request.ts';
import { buildModel, external, node, value } from '../../src/graph/onnx/build-model.ts';
import { loadCore } from '../../src/native/load-core.ts';
import { median } from '../speed/timed-rounds.ts';

/** Width, hidden layers, positions (rows of the batches), classes. */
const cases: readonly (readonly [width: number, layers: number, positions: number, classes: number])[] = [
  [128, 4, 4096, 256],
  [128, 4, 4096, 16_384],
  [512, 8, 4096, 1024],
  [512, 8, 4096, 16_384],
  [1024, 12, 1024, 1024],
  [1024, 12, 4096, 1024],
  [512, 8, 1024, 50_257],
];
/** Measured rounds of each case, after one warm-up. */
const rounds = 3;
/** Most bytes of retained outputs; those of the largest case take 256 MiB. */
const referenceBytesMax = 2 ** 30;

const works = ['evaluation', 'examination', 'verification'] as const;
type Work = (typeof works)[number];

interface Measured {
  readonly parameters: number;
  readonly positions: number;
  readonly classes: number;
  /** Median of the rounds, in CPU seconds. */
  readonly seconds: Readonly<Record<Work, number>>;
}

async function measure(
  service: EvaluationService,
  files: EvalFiles,
  [width, layers, positions, classes]: (typeof cases)[number],
): Promise<Measured> {
  const request = requestOf(files, { width, layers, positions, classes });
  const observed = observedMetrics(request.evalSet.spec);
  await service.evaluate(request);
  const seconds: Record<Work, number[]> = { evaluation: [], examination: [], verification: [] };
  for (let round = 0; round < rounds; round += 1) {
    const path = files.path();
    const evaluated = await timed(() => service.evaluate(request));
    const examined = await timed(() =>
      service.examine({ ...request, observed, reference: { path, bytesMax: referenceBytesMax } }),
    );
    const { whole, referenceOutputs, referenceWritten } = examined.value;
    if (!referenceWritten) throw new Error('the outputs of a case take more than is kept');
    const verified = await timed(() =>
      service.evaluate({ ...request, observed, reference: { path, outputs: referenceOutputs } }),
    );
    rmSync(path);
    const losses = [evaluated.value['loss'], whole['loss'], verified.value['loss']];
    if (!Number.isFinite(losses[0]) || new Set(losses).size > 1 || verified.value['agreement'] !== 1)
      throw new Error(`the figures differ: ${losses.join(', ')}`);
    seconds.evaluation.push(evaluated.seconds);
    seconds.examination.push(examined.seconds);
    seconds.verification.push(verified.seconds);
  }
  const parameters = layers * width * width + width * classes;
  const medians = works.map((work) => [work, median(seconds[work])] as const);
  return { parameters, positions, classes, seconds: Object.fromEntries(medians) as Record<Work, number> };
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly seconds: number }> {
  const before = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { value, seconds: (user + system) / 1e6 };
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
  const floats = (shape: number[], scale: number): Column => ({
    dtype: 'F32',
    shape,
    data: random(shape[0]! * shape[1]!, scale),
  });
  const weights = Object.fromEntries([
    ...names.map((name) => [name, floats([width, width], 1 / Math.sqrt(width))] as const),
    ['head', floats([width, classes], 0.05)] as const,
  ]);
  const labels: Column = {
    dtype: 'I64',
    shape: [positions],
    data: BigInt64Array.from({ length: positions }, (_, at) => BigInt(at % classes)),
  };
  const spec: EvalSetSpec = {
    inputs: { x: 'x' },
    metrics: [{ name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'y' }],
    batchRows: 256,
  };
  return {
    evalSet: {
      graphPath: files.write(graph),
      batchesPath: files.writeTensors({ x: floats([positions, width], 1), y: labels }),
      spec,
    },
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

/**
 * Least squares fit of seconds over parameters x positions and positions x classes, each case weighted by its own time.
 */
function fit(measured: readonly Measured[], work: Work): { readonly perWeight: number; readonly perLogit: number } {
  const rows = measured.map(
    ({ parameters, positions, classes, seconds }) =>
      [(parameters * positions) / seconds[work], (positions * classes) / seconds[work]] as const,
  );
  const sum = (pick: (row: readonly [number, number]) => number): number =>
    rows.reduce((total, row) => total + pick(row), 0);
  const [aa, ab, bb] = [sum(([a]) => a * a), sum(([a, b]) => a * b), sum(([, b]) => b * b)];
  const [a1, b1] = [sum(([a]) => a), sum(([, b]) => b)];
  const determinant = aa * bb - ab * ab;
  return { perWeight: (a1 * bb - b1 * ab) / determinant, perLogit: (aa * b1 - ab * a1) / determinant };
}

const folder = mkdtempSync(join(tmpdir(), 'firn-evaluation-cost-'));
try {
  const service = new EvaluationService(loadCore());
  const files = new EvalFiles(folder);
  const measured: Measured[] = [];
  for (const each of cases) measured.push(await measure(service, files, each));
  console.log(`| parameters | positions | classes | ${works.join(' | ')} |`);
  console.log('|---:|---:|---:|---:|---:|---:|');
  for (const { parameters, positions, classes, seconds } of measured) {
    const counts = [parameters, positions, classes].map((count) => count.toLocaleString('en-US'));
    console.log(`| ${[...counts, ...works.map((work) => seconds[work].toFixed(2))].join(' | ')} |`);
  }
  for (const work of works) {
    const { perWeight, perLogit } = fit(measured, work);
    const terms =
      `${(1e12 * perWeight).toFixed(1)}e-12 x parameters x positions + ${(1e9 * perLogit).toFixed(1)}e-9 x ` +
      'positions x classes';
    console.log(`${work}: seconds = ${terms} (median of ${rounds} each)`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
