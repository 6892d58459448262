import type { Buffer } from 'node:buffer';
import type { Json } from '../hub-api.ts';

/** One way to get an eval set wrong (or right in an unusual way), and what must come of it. */
export interface Mistake {
  readonly name: string;
  readonly spec: Json;
  readonly graph: Buffer;
  readonly batches: Buffer;
  /** Files of the one checkpoint that is pushed, by path. */
  readonly files: Readonly<Record<string, Buffer>>;
  /** What the user's own program would measure, by metric. Absent where no figure is true. */
  readonly truth?: Readonly<Record<string, number>>;
  /** Any of these is right. */
  readonly expected: readonly Expected[];
}

export type Expected =
  /** It stops with one of these codes and a sentence that matches, at one of these places. */
  | { readonly stops: RegExp; readonly codes: readonly string[]; readonly at: readonly Place[] }
  /** The checkpoint is ready, with a warning that matches. */
  | { readonly warns: RegExp }
  /** The checkpoint is ready, its baseline is the truth, and nothing casts doubt on the figure. */
  | 'right';

/** Where it can stop: at the eval set, when the checkpoint is uploaded, in its job. */
export type Place = 'eval set' | 'upload' | 'job';

/** Before anything is uploaded for training. */
export function refused(code: string, stops: RegExp): Expected {
  return { stops, codes: [code], at: ['eval set'] };
}

/** A checkpoint that does not fit the graph: told at its upload or by its job. */
export function unbound(stops: RegExp): Expected {
  return { stops, codes: ['graph-missing-weights', 'eval-input-mismatch'], at: ['upload', 'job'] };
}
