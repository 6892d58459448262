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
import { observedMetrics } from '../../src/checkpoint/quality/observed-metrics.ts';
import { EvalFiles } from '../../src/evaluate/eval-files.test-support.ts';
import { EvaluationService } from '../../src/evaluate/evaluation-service.ts';
import { loadCore } from '../../src/native/load-core.ts';
import { median } from '../speed/timed-rounds.ts';
import { syntheticRequest } from './synthetic-request.ts';

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
  const request = syntheticRequest(files, { width, layers, positions, classes });
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
