/** Numbers of a file of a package and of a tensor in it. */
export interface TensorPlace {
  readonly file: number;
  readonly tensor: number;
}

/** By tensor number: the ancestor's tensor that is its namesake although it has another name (docs/format.md). */
export type Namesakes = ReadonlyMap<number, TensorPlace>;

/** A key for a place in maps and sets. */
export function placeKey({ file, tensor }: TensorPlace): string {
  return `${file} ${tensor}`;
}
