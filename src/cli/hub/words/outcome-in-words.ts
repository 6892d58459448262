import { formatTarget, type components, type Target } from '../../../../clients/typescript/src/index.ts';
import { bytesInWords } from '../../../checkpoint/words/bytes-in-words.ts';
import { whyExact } from '../../../checkpoint/words/why-exact.ts';
import { stateInWords } from '../../../checkpoint/words/state-in-words.ts';
import { metricsInWords } from './metrics-in-words.ts';

type Details = components['schemas']['CheckpointDetails'];
type Row = readonly [what: string, value: string];

/** What became of a checkpoint, or what it waits for, in one sentence. */
export function outcomeInWords({
  state,
  error,
  result,
  waitsFor,
  expiresAt,
}: Omit<Details, 'links' | 'files'>): string {
  if (state === 'open') return `open: ${expiryInWords(expiresAt) ?? 'waits for files, and expires unless some arrive'}`;
  if (error !== undefined) return `${state}: ${error.message}`;
  if (result === undefined) return stateInWords(state, waitsFor);
  const { fidelity, kind, rawBytes, storedBytes, degradation = {}, measuredOn, seconds } = result;
  const took = Object.values(seconds).reduce((sum, phase) => sum + phase, 0);
  return [
    `${fidelity} ${kind}, ${bytesInWords(storedBytes)} of ${bytesInWords(rawBytes)}`,
    `${(rawBytes / Math.max(1, storedBytes)).toFixed(1)}x`,
    ...(Object.keys(degradation).length > 0 ? [metricsInWords(degradation)] : []),
    ...(measuredOn === 'cuda' ? ['measured on a GPU'] : []),
    `${took.toFixed(1)} s`,
  ].join(', ');
}

/** Until when a reserved step is kept, as the hub's clock has it; undefined without an end. */
export function expiryInWords(expiresAt: string | undefined): string | undefined {
  if (expiresAt === undefined) return undefined;
  const until = expiresAt.replace(/^(\S{10})T(\d\d:\d\d).*Z$/, '$1 $2 UTC');
  return `waits for files, and expires at ${until} unless some arrive`;
}

/** Why a checkpoint is exact that nobody asked to quantize; a warning of its result says any other reason. */
export function whyRows({ result, evalSet, config }: Pick<Details, 'result' | 'evalSet' | 'config'>): Row[] {
  const asked = { hasEvalSet: evalSet !== undefined, hasConfig: config !== undefined };
  const why = whyExact({ fidelity: result?.fidelity, ...asked });
  return why === undefined ? [] : [['why', why]];
}

/** How to end the wait for a step that is reserved and may never come; undefined if it is on its way. */
export function wayOut({ step, state }: NonNullable<Details['waitsFor']>, target: Target): string | undefined {
  if (state !== 'open' || step === undefined) return undefined;
  return `firn cancel ${formatTarget({ ...target, step })} gives that step up`;
}

/** What can be done next with a checkpoint that is not ready. */
export function nextRows({ state, links, waitsFor }: Pick<Details, 'state' | 'links' | 'waitsFor'>, target: Target) {
  const name = formatTarget(target);
  if (links.retry !== undefined)
    return [row('try again', `firn retry ${name}, with --eval-set or --threshold if it needs others`)];
  if (state === 'open') return [row('go on', `firn push ${name} PATH, or firn cancel ${name} to give it up`)];
  const way = waitsFor && wayOut(waitsFor, target);
  return way === undefined ? [] : [row('go on', way)];
}

const row = (what: string, value: string): Row => [what, value];
