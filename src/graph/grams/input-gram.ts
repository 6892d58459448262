/**
 * Second moments of what enters one matrix of a model: X^T X over every row X that an eval set sends into it (Optimal
 * Brain Surgeon's Hessian up to a factor; Frantar et al. 2022, section 3). Where `blockSize` is less than `inputCount`
 * only the blocks on the diagonal are there, inputCount / blockSize of them, each row-major.
 */
export interface InputGram {
  /** The checkpoint's tensor. A convolution's kernel counts as the matrix [out, in * positions]. */
  readonly tensor: string;
  /**
   * Which axis of the matrix, as the checkpoint stores it, runs over the inputs: torch's Linear [out, in] has them
   * last.
   */
  readonly inputs: 'first' | 'last';
  readonly inputCount: number;
  readonly blockSize: number;
}

/** Elements of a gram as it is stored. */
export function gramElements({ inputCount, blockSize }: Pick<InputGram, 'inputCount' | 'blockSize'>): number {
  return inputCount * blockSize;
}
