import { parseArgs } from 'node:util';

export interface StateBenchOptions {
  /** A series with optimizer state for some of its checkpoints; without it the table of bytes is left out. */
  readonly seriesDirectory?: string;
  /** Threshold of weights that are not stored exact. */
  readonly threshold: number;
  /** Number of resumed trainings; 0 leaves that part out. */
  readonly seeds: number;
  /** Parallel trainings. */
  readonly parallel: number;
  /** Steps of each training. */
  readonly steps: number;
  /** Further arguments of the bench's training script. */
  readonly trainArguments: readonly string[];
  readonly jsonPath?: string;
  readonly markdownPath?: string;
  /** A Markdown document, and the name of its section to replace. */
  readonly into?: { readonly path: string; readonly section: string };
}

export const stateUsage =
  'npm run bench:state -- [<series dir>] [--threshold t] [--seeds N] [--parallel N] [--steps N] ' +
  '[--train-args="..."] [--json FILE] [--markdown FILE] [--into FILE --section NAME]';

/** Parses the command line. Throws an Error with one sentence. */
export function readStateOptions(args: readonly string[]): StateBenchOptions {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      threshold: { type: 'string', default: '0.005' },
      seeds: { type: 'string', default: '3' },
      parallel: { type: 'string', default: '2' },
      steps: { type: 'string', default: '480' },
      'train-args': { type: 'string', default: '' },
      json: text,
      markdown: text,
      into: text,
      section: { type: 'string', default: 'state' },
    },
  });
  const [seriesDirectory, ...more] = positionals;
  if (more.length > 0) throw new Error(`one series directory at most is wanted: ${stateUsage}`);
  return {
    ...(seriesDirectory !== undefined && { seriesDirectory }),
    threshold: readNumber('--threshold', values.threshold, { min: 0, whole: false }),
    seeds: readNumber('--seeds', values.seeds, { min: 0, whole: true }),
    parallel: readNumber('--parallel', values.parallel, { min: 1, whole: true }),
    steps: readNumber('--steps', values.steps, { min: 2, whole: true }),
    trainArguments: values['train-args'].split(/\s+/).filter((word) => word !== ''),
    ...(values.json !== undefined && { jsonPath: values.json }),
    ...(values.markdown !== undefined && { markdownPath: values.markdown }),
    ...(values.into !== undefined && { into: { path: values.into, section: values.section } }),
  };
}

function readNumber(
  option: string,
  text: string,
  { min, whole }: { readonly min: number; readonly whole: boolean },
): number {
  const value = text === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value) || value < min || (whole && !Number.isInteger(value)))
    throw new Error(`${option} wants a ${whole ? 'whole number' : 'number'} of at least ${min}: ${stateUsage}`);
  return value;
}
