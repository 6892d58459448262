import { FirnError } from '../../checkpoint/firn-error.ts';
import type { RowPlan } from '../check-spec.ts';

/**
 * Least share of the rows in the smaller half; of three equal batches it has a third. Figures of a smaller half would
 * decide by chance.
 */
const halfShareMin = 0.25;

/**
 * Throws `eval-input-mismatch` unless the batches with an even number and those with an odd one make two halves; a
 * single batch never does.
 */
export function requireHalves({ rows, batchRows }: Pick<RowPlan, 'rows' | 'batchRows'>): void {
  const batchCount = Math.ceil(rows / batchRows);
  const lacking = batchCount * batchRows - rows;
  const second = Math.floor(batchCount / 2) * batchRows - (batchCount % 2 === 0 ? lacking : 0);
  if (Math.min(second, rows - second) >= halfShareMin * rows) return;
  throw new FirnError(
    'eval-input-mismatch',
    `The batches of the eval set do not split into halves: of its ${rows} rows ${rows - second} are in ` +
      `batches with an even number and ${second} in others. A smaller batchRows gives more batches.`,
  );
}
