import { logSum, type ClassRow, type LogSum } from './cross-entropy.ts';

/** Rows of fewer classes are summed again: looking a sum up would cost as much. */
const classesMin = 16;

/** The sums of one array, all of whose rows are laid out alike. */
interface KnownSums {
  readonly classCount: number;
  readonly stride: number;
  /** By position. */
  readonly sums: (LogSum | undefined)[];
}

/**
 * The log-sums of the rows of one batch, each computed once: exponentials are most of the cost of metrics, and several
 * metrics, halves and groups of rows need the same. The outputs must not change meanwhile.
 */
export class LogSums {
  /** By the memory of an output, which views of some of its rows share. */
  readonly #known = new Map<unknown, KnownSums>();

  /** What `logSum` returns for the row. */
  of(row: ClassRow): LogSum {
    const { data, start, classCount, stride } = row;
    if (classCount < classesMin) return logSum(row);
    const [memory, first] = placeOf(data);
    let known = this.#known.get(memory);
    if (known === undefined) {
      known = { classCount, stride, sums: [] };
      this.#known.set(memory, known);
    }
    if (known.classCount !== classCount || known.stride !== stride) return logSum(row);
    const at = first + start;
    const position = Math.floor(at / (classCount * stride)) * stride + (at % stride);
    return (known.sums[position] ??= logSum(row));
  }
}

/** The memory of an array, and the index there of its first element. */
function placeOf(data: ArrayLike<number>): readonly [memory: unknown, first: number] {
  if (!(data instanceof Float32Array || data instanceof Float64Array)) return [data, 0];
  return [data.buffer, data.byteOffset / data.BYTES_PER_ELEMENT];
}
