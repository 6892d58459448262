import type { Buffer } from 'node:buffer';
import type { Json } from '../hub-api.ts';

/** One way to make a wrong eval set (or a right one in an unusual way), and the expected outcome. */
export interface Mistake {
  readonly name: string;
  readonly spec: Json;
  readonly graph: Buffer;
  readonly batches: Buffer;
  /** Files of the only checkpoint that is pushed, by path. */
  readonly files: Readonly<Record<string, Buffer>>;
  /** Metrics that the user's own program would measure. Absent if no value is true. */
  readonly truth?: Readonly<Record<string, number>>;
  /** Any of these outcomes is right. */
  readonly expected: readonly Expected[];
}

export type Expected =
  /** The hub stops with one of these codes and a matching sentence, at one of these places. */
  | { readonly stops: RegExp; readonly codes: readonly string[]; readonly at: readonly Place[] }
  /** The checkpoint is ready, with a matching warning. */
  | { readonly warns: RegExp }
  /** The checkpoint is ready, its baseline equals the truth, and no warning doubts the value. */
  | 'right';

/** The stage at which the hub stops: the eval set, the upload of a checkpoint, or its job. */
export type Place = 'eval set' | 'upload' | 'job';

/** Refused before anything is uploaded for training. */
export function refused(code: string, stops: RegExp): Expected {
  return { stops, codes: [code], at: ['eval set'] };
}

/** A checkpoint that does not fit the graph: refused at its upload or by its job. */
export function unbound(stops: RegExp): Expected {
  return { stops, codes: ['graph-missing-weights', 'eval-input-mismatch'], at: ['upload', 'job'] };
}
