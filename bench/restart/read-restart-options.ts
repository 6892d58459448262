import { parseArgs } from 'node:util';
import { liftedGuards, restartStates, type LiftedGuard, type RestartState } from './restart-arm.ts';

export interface RestartOptions {
  /** Thresholds of our method. */
  readonly thresholds: readonly number[];
  /** Guards that our method does without, one after the other, at each of its thresholds. */
  readonly without: readonly LiftedGuard[];
  /** Thresholds of our method with a bound on the loss of progress too. */
  readonly progressThresholds: readonly number[];
  readonly paperThresholds: readonly number[];
  /** Whether exact storage runs too, as a control. */
  readonly exact: boolean;
  /** Optimizer states that training restarts with. */
  readonly states: readonly RestartState[];
  readonly seeds: number;
  readonly restarts: number;
  /** Parallel trainings and pushes. */
  readonly parallel: number;
  /** Bounding metrics; the series' own by default. */
  readonly metrics?: readonly string[];
  /** The bench's own by default. */
  readonly trainScript?: string;
  readonly trainArguments: readonly string[];
  /** Texts for the bench's own script; if empty, the text that every checkout has. */
  readonly textPaths: readonly string[];
  readonly jsonPath?: string;
  readonly markdownPath?: string;
  /** A Markdown document, and the name of its section to replace. */
  readonly into?: { readonly path: string; readonly section: string };
}

export const restartUsage =
  'npm run bench:restart -- [--threshold t[,..]] [--without rounding|weights|divergence|errors|progress|all[,..]] ' +
  '[--progress t[,..]] ' +
  '[--paper-threshold t[,..]] [--exact] [--state exact|bounded|fresh[,..]] [--seeds N] [--restarts N] ' +
  '[--parallel N] [--metric m[,..]] ' +
  '[--text FILE]... [--train-script FILE] [--train-args="..."] [--json FILE] [--markdown FILE] [--into FILE ' +
  '--section NAME]';

/** Parses the command line. Throws an Error with one sentence. */
export function readRestartOptions(args: readonly string[]): RestartOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      threshold: { type: 'string', default: '0.005,0.01,0.02,0.05' },
      without: { type: 'string', default: '' },
      progress: { type: 'string', default: '' },
      'paper-threshold': { type: 'string', default: '0.05' },
      exact: { type: 'boolean', default: false },
      state: { type: 'string', default: 'exact' },
      seeds: { type: 'string', default: '3' },
      restarts: { type: 'string', default: '10' },
      parallel: { type: 'string', default: '2' },
      metric: text,
      text: { type: 'string', multiple: true, default: [] },
      'train-script': text,
      'train-args': { type: 'string', default: '' },
      json: text,
      markdown: text,
      into: text,
      section: { type: 'string', default: 'restart' },
    },
  });
  return {
    thresholds: readThresholds('--threshold', values.threshold),
    without: values.without === '' ? [] : readWords('--without', values.without, liftedGuards),
    progressThresholds: readThresholds('--progress', values.progress),
    paperThresholds: readThresholds('--paper-threshold', values['paper-threshold']),
    exact: values.exact,
    states: readWords('--state', values.state, restartStates),
    seeds: readCount('--seeds', values.seeds),
    restarts: readCount('--restarts', values.restarts),
    parallel: readCount('--parallel', values.parallel),
    trainArguments: values['train-args'].split(/\s+/).filter((word) => word !== ''),
    textPaths: values.text,
    ...(values.metric !== undefined && { metrics: values.metric.split(',') }),
    ...(values['train-script'] !== undefined && { trainScript: values['train-script'] }),
    ...(values.json !== undefined && { jsonPath: values.json }),
    ...(values.markdown !== undefined && { markdownPath: values.markdown }),
    ...(values.into !== undefined && { into: { path: values.into, section: values.section } }),
  };
}

/** An empty list skips the method. */
function readThresholds(option: string, text: string): number[] {
  if (text === '') return [];
  const thresholds = text.split(',').map(Number);
  if (thresholds.some((threshold) => !Number.isFinite(threshold) || threshold < 0))
    throw new Error(`${option} wants numbers of at least 0, for example 0.01,0.05: ${restartUsage}`);
  if (new Set(thresholds).size !== thresholds.length) throw new Error(`${option} names a threshold twice`);
  return thresholds;
}

/** A list of known words, each once. */
function readWords<T extends string>(option: string, text: string, known: readonly T[]): T[] {
  const words = text.split(',').map((word) => {
    const found = known.find((each) => each === word);
    if (found === undefined) throw new Error(`${option} wants ${known.join(', ')}, not "${word}"`);
    return found;
  });
  if (new Set(words).size !== words.length) throw new Error(`${option} names a word twice`);
  return words;
}

function readCount(option: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`${option} wants a whole number of at least 1`);
  return count;
}
