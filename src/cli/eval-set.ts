/**
 * `firn eval-set check GRAPH BATCHES CHECKPOINT...` measures a checkpoint on an eval set without a server, and says how
 * everything was interpreted. So it shows before any training what a hub would answer.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { EvalSetSpec } from '../checkpoint/quality/eval-set-spec.ts';
import { figureInWords } from '../checkpoint/figure-in-words.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { metricKinds, type MetricKind } from '../checkpoint/quality/metric-kind.ts';
import { describeLocalGraph, type GraphCache } from '../compress/eval-set/describe-local-graph.ts';
import { examineEvalSet, type EvalSetReport } from '../compress/eval-set/examine-eval-set.ts';
import { openModelFiles } from '../compress/upload/open-model-files.ts';
import { createEvaluator } from '../evaluate/create-evaluator.ts';
import { inferSpec } from '../evaluate/check/infer-spec.ts';
import { evalSetSpecSchema } from '../http/schemas/eval-set.ts';
import { ByteCache } from '../restore/byte-cache.ts';
import { modelFiles } from './demo/model-files.ts';

export const evalSetUsage =
  'firn eval-set check GRAPH BATCHES CHECKPOINT [--spec FILE] [--kind KIND] [--memory-mib N] [--deadline-s ' +
  'N] [--json]\n' +
  '  GRAPH       an ONNX file; BATCHES a safetensors file of inputs and labels\n' +
  '  CHECKPOINT  a safetensors file, an index of shards, or a folder with one of these\n' +
  "  --spec      the eval set's spec as JSON; without it names and types are guessed from, and the guess is printed\n" +
  `  --kind      one of ${metricKinds.join(', ')}`;

/** The hub's default, docs/operations.md. */
const memoryMibDefault = 4096;
const deadlineSDefault = 600;
/** Cache of described graphs, in bytes; there is only one. */
const graphCacheBytes = 64 * 2 ** 20;
/** Largest spec, in bytes. */
const specBytesMax = 1024 * 1024;
/** Typical evaluations of a checkpoint in a run: the upload, two to five trials, and the stored result. */
const evaluationsAbout = 5;

interface CheckOptions {
  readonly graphPath: string;
  readonly batchesPath: string;
  readonly checkpoint: string;
  readonly specPath: string | undefined;
  readonly kind: MetricKind | undefined;
  readonly memoryMib: number;
  readonly deadlineS: number;
  readonly asJson: boolean;
}

/**
 * Runs the command and returns the process's exit code: 0 if the set can be used, also with warnings, 1 if it cannot.
 */
export async function evalSet(
  args: readonly string[],
  say: (line: string) => void,
  complain: (line: string) => void,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    say(`Usage: ${evalSetUsage}`);
    return 0;
  }
  try {
    const options = readOptions(args);
    for (const path of [
      options.graphPath,
      options.batchesPath,
      options.checkpoint,
      ...(options.specPath === undefined ? [] : [options.specPath]),
    ])
      if (statSync(path, { throwIfNoEntry: false }) === undefined) throw new Error(`there is no ${path}`);
    for (const path of [options.graphPath, options.batchesPath])
      if (statSync(path).isDirectory()) throw new Error(`${path} is a folder, not a file`);
    const { spec, report } = await check(options);
    if (options.asJson) say(JSON.stringify({ spec, ...report }, undefined, 1));
    else wordsOf(spec, report, options).forEach(say);
    return 0;
  } catch (error) {
    complain(
      error instanceof FirnError
        ? `${error.code}: ${error.message}`
        : error instanceof Error
          ? error.message
          : String(error),
    );
    return 1;
  }
}

async function check(options: CheckOptions): Promise<{ spec: EvalSetSpec; report: EvalSetReport }> {
  const { graphPath, batchesPath, deadlineS, memoryMib } = options;
  const graphs: GraphCache = new ByteCache(graphCacheBytes);
  const spec = options.specPath === undefined ? await guessSpec(options, graphs) : readSpec(options.specPath);
  const evaluator = createEvaluator({ parallel: 1, deadlineMs: deadlineS * 1000, memoryMaxBytes: memoryMib * 2 ** 20 });
  try {
    const local = { graphPath, batchesPath, spec };
    await evaluator.check(local);
    const paths = checkpointPaths(options.checkpoint);
    const report = await examineEvalSet({ evaluator, graphs }, local, paths);
    return {
      spec,
      report: {
        ...report,
        understood: [`Weights from ${paths.map((path) => basename(path)).join(', ')}.`, ...report.understood],
      },
    };
  } finally {
    await evaluator.close();
  }
}

async function guessSpec({ graphPath, batchesPath, kind }: CheckOptions, graphs: GraphCache): Promise<EvalSetSpec> {
  const graph = await describeLocalGraph(graphs, graphPath);
  const { files, close } = await openModelFiles([batchesPath]);
  await close();
  return inferSpec(graph, files[0]!.layout.tensors, kind === undefined ? {} : { kind });
}

function readSpec(path: string): EvalSetSpec {
  if (statSync(path).size > specBytesMax) throw new Error(`${path} is larger than ${specBytesMax} bytes`);
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new Error(`${path} is not JSON`, { cause });
  }
  const parsed = evalSetSpecSchema.safeParse(json);
  if (!parsed.success)
    throw new Error(
      `${path}: ${parsed.error.issues.map((issue) => `${issue.path.join('.') || 'it'} ${issue.message}`).join('; ')}`,
    );
  return parsed.data as EvalSetSpec;
}

/**
 * The safetensors files of a checkpoint, which is given as a file, as an index of shards, or as a folder that contains
 * one of these.
 */
function checkpointPaths(checkpoint: string): string[] {
  if (!statSync(checkpoint, { throwIfNoEntry: false })?.isDirectory()) return presentFiles(checkpoint);
  const names = readdirSync(checkpoint).sort();
  const index = names.find((name) => name.endsWith('.safetensors.index.json'));
  const single = names.filter((name) => name.endsWith('.safetensors') && !name.endsWith('.grad.safetensors'));
  // As in transformers: a whole model takes precedence over an index, which may be left from an older save. Any other
  // file beside an index is one of its shards.
  const found = names.includes('model.safetensors')
    ? 'model.safetensors'
    : (index ?? (single.length === 1 ? single[0] : undefined));
  if (found === undefined)
    throw new Error(`${checkpoint} has no model.safetensors and no model.safetensors.index.json`);
  return presentFiles(join(checkpoint, found));
}

/** The file itself, or the shards of an index, which must all exist. */
function presentFiles(file: string): string[] {
  const paths = modelFiles(file).map(({ from }) => from);
  const [first, ...more] = paths.filter((path) => !existsSync(path)).map((path) => basename(path));
  if (first === undefined) return paths;
  const missing = more.length > 0 ? `${first} and ${more.length} more, which are` : `${first}, which is`;
  throw new Error(
    `the index ${file} names ${missing} not beside it: put all ${paths.length} shards into its folder, as ` +
      'save_pretrained writes them',
  );
}

function wordsOf(
  spec: EvalSetSpec,
  { values, understood, warnings, secondsPerEvaluation }: EvalSetReport,
  { specPath }: CheckOptions,
): string[] {
  return [
    ...understood,
    ...warnings.map((warning) => `warning: ${warning}`),
    `baseline: ${Object.entries(values)
      .map(([name, value]) => `${name} ${figureInWords(value, 6)}`)
      .join(', ')}`,
    `One evaluation took ${secondsPerEvaluation.toFixed(2)} s here, on one core; a checkpoint takes about ` +
      `${evaluationsAbout}, ${(evaluationsAbout * secondsPerEvaluation).toFixed(1)} s.`,
    ...(specPath === undefined ? [`spec (guessed; give your own with --spec): ${JSON.stringify(spec)}`] : []),
  ];
}

function readOptions([verb, ...args]: readonly string[]): CheckOptions {
  const usage = (problem: string) => new FirnError('invalid-request', `${problem}\nUsage: ${evalSetUsage}`);
  if (verb !== 'check')
    throw usage(verb === undefined ? 'What to do with the eval set is missing.' : `There is no "eval-set ${verb}".`);
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      spec: { type: 'string' },
      kind: { type: 'string' },
      json: { type: 'boolean', default: false },
      'memory-mib': { type: 'string', default: String(memoryMibDefault) },
      'deadline-s': { type: 'string', default: String(deadlineSDefault) },
    },
  });
  const [graphPath, batchesPath, checkpoint, ...more] = positionals;
  if (graphPath === undefined || batchesPath === undefined || checkpoint === undefined || more.length > 0)
    throw usage('A graph, batches and a checkpoint are wanted.');
  const kind = metricKinds.find((known) => known === values.kind);
  if (values.kind !== undefined && kind === undefined) throw usage(`There is no kind "${values.kind}".`);
  const positive = (name: 'memory-mib' | 'deadline-s'): number => {
    const number = Number(values[name]);
    if (!(number > 0)) throw usage(`--${name} wants a number above 0, not "${values[name]}".`);
    return number;
  };
  return {
    graphPath,
    batchesPath,
    checkpoint,
    specPath: values.spec,
    kind,
    asJson: values.json,
    memoryMib: positive('memory-mib'),
    deadlineS: positive('deadline-s'),
  };
}
