import type { Answer, HubApi, Json } from '../hub-api.ts';
import type { Expected, Mistake, Place } from './mistake.ts';

/** What the hub made of a mistake. */
export type Outcome =
  | { readonly stoppedAt: Place; readonly code: string; readonly sentence: string }
  | {
      readonly baseline: Readonly<Record<string, number | null>>;
      readonly warnings: readonly string[];
      readonly fidelity: string;
    };

/** Largest difference between a right baseline and the truth. */
const rightTolerance = 1e-6;
/** Largest difference that a checkpoint may have without a word. */
const silentTolerance = 1e-3;
/** Warnings that say the figure itself may be wrong. */
const doubt =
  /guessing|shifted|probabilit|not finite|NaN|adds up over rows|looks like a mask|look padded|a mask holds/i;

/**
 * Makes the eval set, a run with default thresholds, and pushes the checkpoint, until something stops it. `name` is
 * unique in the repository.
 */
export async function tryMistake(
  api: HubApi,
  repository: string,
  name: string,
  { spec, graph, batches, files }: Mistake,
): Promise<Outcome> {
  const set = `${repository}/eval-sets/${name}`;
  const run = `${repository}/runs/${name}`;
  const checkpoint = `${run}/checkpoints/1`;
  const calls: readonly [Place, () => Promise<Answer>][] = [
    ['eval set', () => api.post(`${repository}/eval-sets`, { name, spec })],
    ['eval set', () => api.put(`${set}/graph`, graph)],
    ['eval set', () => api.put(`${set}/batches`, batches)],
    ['eval set', () => api.post(`${set}/commit`)],
    ['eval set', () => api.post(`${repository}/runs`, { name, evalSet: name, search: { trialsMax: 4 } })],
    ['upload', () => api.post(`${run}/checkpoints`, { step: 1, files: Object.keys(files).map((path) => ({ path })) })],
    ...Object.entries(files).map(
      ([path, bytes]) =>
        ['upload', () => api.put(`${checkpoint}/files/${path}`, bytes)] as [Place, () => Promise<Answer>],
    ),
    ['upload', () => api.post(`${checkpoint}/commit`)],
  ];
  for (const [stoppedAt, call] of calls) {
    const answer = await call();
    if (answer.status < 400) continue;
    const { code, detail } = JSON.parse(answer.bytes.toString()) as Json;
    return { stoppedAt, code, sentence: detail };
  }
  const { state, error, result } = await api.settled(checkpoint);
  if (state === 'ready')
    return { baseline: result.baseline ?? {}, warnings: result.warnings, fidelity: result.fidelity };
  return { stoppedAt: 'job', code: error.code, sentence: error.message };
}

/** Whether the outcome is the one expected. */
export function meets(outcome: Outcome, expected: Expected, truth: Mistake['truth']): boolean {
  if (expected === 'right')
    return (
      'baseline' in outcome &&
      distance(outcome, truth) <= rightTolerance &&
      !outcome.warnings.some((each) => doubt.test(each))
    );
  if ('warns' in expected) return 'baseline' in outcome && outcome.warnings.some((each) => expected.warns.test(each));
  if ('baseline' in outcome) return false;
  return (
    expected.at.includes(outcome.stoppedAt) &&
    expected.codes.includes(outcome.code) &&
    expected.stops.test(outcome.sentence)
  );
}

/** The one thing that must never happen: a figure that is wrong, and none of the warnings that the row wants. */
export function isSilentlyWrong(outcome: Outcome, { truth, expected }: Pick<Mistake, 'truth' | 'expected'>): boolean {
  if (!('baseline' in outcome) || distance(outcome, truth) <= silentTolerance) return false;
  const doubts = expected.flatMap((each) => (each !== 'right' && 'warns' in each ? [each.warns] : []));
  return !outcome.warnings.some((warning) => doubts.some((pattern) => pattern.test(warning)));
}

/**
 * Largest difference of a metric's baseline from its truth; infinite where there is no truth, or no finite baseline.
 */
function distance({ baseline }: Extract<Outcome, { baseline: unknown }>, truth: Mistake['truth']): number {
  const differences = Object.entries(truth ?? {}).map(([metric, value]) =>
    Math.abs((baseline[metric] ?? Number.NaN) - value),
  );
  return differences.length === 0 || differences.some(Number.isNaN)
    ? Number.POSITIVE_INFINITY
    : Math.max(...differences);
}
