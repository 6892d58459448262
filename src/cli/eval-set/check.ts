import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { figureInWords } from '../../checkpoint/words/figure-in-words.ts';
import type { MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import type { GraphCache } from '../../compress/eval-set/describe-local-graph.ts';
import { examineEvalSet, type EvalSetReport } from '../../compress/eval-set/examine-eval-set.ts';
import { createEvaluator } from '../../evaluate/create-evaluator.ts';
import { ByteCache } from '../../restore/byte-cache.ts';
import { modelFiles } from '../demo/model-files.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { chooseSpec, type LocalEvalSet } from './choose-spec.ts';

/** Cache of described graphs, in bytes; there is only one. */
const graphCacheBytes = 64 * 2 ** 20;
/** Typical evaluations of a checkpoint in a run: the upload, two to five trials, and the stored result. */
const evaluationsAbout = 5;

export interface CheckCommand {
  readonly json?: boolean;
  readonly spec?: string;
  readonly kind?: MetricKind;
  readonly memoryMib: string;
  readonly deadlineS: string;
}

/**
 * `firn eval-set check GRAPH BATCHES CHECKPOINT`: measures a checkpoint on an eval set without a server, and says how
 * everything was interpreted. So it shows before any training what a hub would answer. Throws if the set cannot be
 * used; warnings are no reason.
 */
export async function check(
  files: LocalEvalSet & { readonly checkpoint: string },
  options: CheckCommand,
  terminal: Terminal,
): Promise<void> {
  const limits = {
    memoryMaxBytes: positive('--memory-mib', options.memoryMib) * 2 ** 20,
    deadlineMs: positive('--deadline-s', options.deadlineS) * 1000,
  };
  if (statSync(files.checkpoint, { throwIfNoEntry: false }) === undefined)
    throw new Error(`there is no ${files.checkpoint}`);
  const graphs: GraphCache = new ByteCache(graphCacheBytes);
  const { spec, isGuessed } = await chooseSpec(files, options, graphs);
  const report = await measure({ files, spec, graphs, limits });
  if (terminal.asJson) terminal.say(JSON.stringify({ spec, ...report }, undefined, 1));
  else wordsOf(spec, report, isGuessed).forEach((line) => terminal.say(line));
}

interface Measuring {
  readonly files: LocalEvalSet & { readonly checkpoint: string };
  readonly spec: EvalSetSpec;
  readonly graphs: GraphCache;
  readonly limits: { readonly memoryMaxBytes: number; readonly deadlineMs: number };
}

async function measure({ files, spec, graphs, limits }: Measuring): Promise<EvalSetReport> {
  const evaluator = createEvaluator({ parallel: 1, ...limits });
  try {
    const local = { graphPath: files.graph, batchesPath: files.batches, spec };
    await evaluator.check(local);
    const paths = checkpointPaths(files.checkpoint);
    const report = await examineEvalSet({ evaluator, graphs }, local, paths);
    return {
      ...report,
      understood: [`Weights from ${paths.map((path) => basename(path)).join(', ')}.`, ...report.understood],
    };
  } finally {
    await evaluator.close();
  }
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
  isGuessed: boolean,
): string[] {
  return [
    ...understood,
    ...warnings.map((warning) => `warning: ${warning}`),
    `baseline: ${Object.entries(values)
      .map(([name, value]) => `${name} ${figureInWords(value, 6)}`)
      .join(', ')}`,
    `One evaluation took ${secondsPerEvaluation.toFixed(2)} s here, on one core; a checkpoint takes about ` +
      `${evaluationsAbout}, ${(evaluationsAbout * secondsPerEvaluation).toFixed(1)} s.`,
    ...(isGuessed ? [`spec (guessed; give your own with --spec): ${JSON.stringify(spec)}`] : []),
  ];
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${name} wants a number above 0, not "${text}".`);
  return number;
}
