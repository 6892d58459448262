// Draws docs/benchmarks/bytes-of-a-series.svg from the figures that other benches wrote into the pages beside it:
// `npx tsx bench/chart/bytes-of-a-series.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { seriesChart } from './series-chart.ts';

const page = (name: string): string =>
  readFileSync(new URL(`../../docs/benchmarks/${name}.md`, import.meta.url), 'utf8');
writeFileSync(
  new URL('../../docs/benchmarks/bytes-of-a-series.svg', import.meta.url),
  seriesChart({ compression: page('compression'), exact: page('exact') }),
);
