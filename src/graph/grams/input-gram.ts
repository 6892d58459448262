/**
 * Second moments of a matrix's inputs: X^T X over all input rows X of an eval set (Optimal Brain Surgeon's Hessian up
 * to a factor; Frantar et al. 2022, section 3). If `blockSize` is less than `inputCount`, only the blocks on the
 * diagonal are present, inputCount / blockSize of them, each row-major.
 */
export interface InputGram {
  /** The checkpoint's tensor. A convolution's kernel counts as the matrix [out, in * positions]. */
  readonly tensor: string;
  /** The axis of the inputs in the matrix as the checkpoint stores it: torch's Linear [out, in] has them last. */
  readonly inputs: 'first' | 'last';
  readonly inputCount: number;
  readonly blockSize: number;
}

/** Stored elements of a Gram matrix. */
export function gramElements({ inputCount, blockSize }: Pick<InputGram, 'inputCount' | 'blockSize'>): number {
  return inputCount * blockSize;
}
