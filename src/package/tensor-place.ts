/** Numbers of a file of a package and of a tensor in it. */
export interface TensorPlace {
  readonly file: number;
  readonly tensor: number;
}

/** A key for a place in maps and sets. */
export function placeKey({ file, tensor }: TensorPlace): string {
  return `${file} ${tensor}`;
}
