import { countElements } from '../../checkpoint/count-elements.ts';
import type { NumberTensor } from '../metrics/metric-accumulator.ts';

/** Rows `rowStart` to `rowEnd`, exclusive, of labels or of an output that has a value for each row. */
export function labelRows({ dims, data, column }: NumberTensor, rowStart: number, rowEnd: number): NumberTensor {
  const rowShape = dims.slice(1);
  const rowElements = countElements(rowShape);
  return {
    dims: [rowEnd - rowStart, ...rowShape],
    data: (data as Float64Array).subarray(rowStart * rowElements, rowEnd * rowElements),
    ...(column !== undefined && { column: { ...column, rowStart } }),
  };
}
