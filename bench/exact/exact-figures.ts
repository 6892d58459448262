import type { MeasuredSpeed } from './measured-speed.ts';
import type { HalfDtype } from './weight-file.ts';

/** One method over checkpoints. */
export interface MethodFigures {
  readonly name: string;
  /** Bytes of each checkpoint, in order. */
  readonly bytes: readonly number[];
  readonly encode: MeasuredSpeed;
  readonly decode: MeasuredSpeed;
}

/** A code length of the prototype over the same checkpoints. */
export interface PrototypeFigures {
  readonly name: string;
  readonly bytes: readonly number[];
}

/** Checkpoints coded in one way: each alone, or each after the first against the one before. */
export interface CodingFigures {
  readonly coding: 'alone' | 'delta';
  readonly steps: readonly number[];
  readonly rawBytes: readonly number[];
  readonly methods: readonly MethodFigures[];
  readonly prototype: readonly PrototypeFigures[];
}

/** A series of one dtype. */
export interface SeriesFigures {
  readonly title: string;
  readonly checkpointCount: number;
  /** Weights of one checkpoint. */
  readonly weightCount: number;
  readonly codings: readonly CodingFigures[];
}

/** A checkpoint of 16-bit floats with some words changed by one, against the words before. */
export interface ChangedFigures {
  readonly dtype: HalfDtype;
  readonly share: number;
  readonly weightCount: number;
  readonly methods: readonly { readonly name: string; readonly bytes: number }[];
  readonly prototype: readonly { readonly name: string; readonly bytes: number }[];
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** For each checkpoint the fewest bytes of any figure; empty without figures. */
export function bestOfEach(prototype: readonly PrototypeFigures[]): number[] {
  return (prototype[0]?.bytes ?? []).map((_, i) => Math.min(...prototype.map(({ bytes }) => bytes[i]!)));
}
