/** By which means a tensor was found to fill an initializer. */
export type PairedBy = 'map' | 'name' | 'prefix' | 'tied' | 'content';

/** The tensor that fills an initializer. */
export interface Pair {
  readonly tensor: string;
  readonly transpose: boolean;
  readonly by: PairedBy;
}

/** By initializer name. */
export type Pairs = ReadonlyMap<string, Pair>;
