import { bytesChart } from './bytes-chart.ts';
import { seriesFigures } from './series-figures.ts';

/** The chart of the README, from the pages that benches write. Throws as {@link seriesFigures}. */
export function seriesChart(pages: Parameters<typeof seriesFigures>[0]): string {
  return bytesChart(seriesFigures(pages), 'Bytes of 18 checkpoints of a language model');
}
