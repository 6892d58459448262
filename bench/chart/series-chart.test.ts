import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { seriesChart } from './series-chart.ts';
import { seriesFigures } from './series-figures.ts';

const read = (name: string): string => readFileSync(new URL(`../../docs/benchmarks/${name}`, import.meta.url), 'utf8');
const pages = { compression: read('compression.md'), exact: read('exact.md') };

test('the chart in the repository is that of the figures beside it (npx tsx bench/chart/bytes-of-a-series.ts)', () => {
  expect(read('bytes-of-a-series.svg')).toBe(seriesChart(pages));
});

test('every bar is shorter than the one above it in its group, and ours is the shortest', () => {
  for (const { bars } of seriesFigures(pages)) {
    expect(bars.map(({ bytes }) => bytes)).toEqual(bars.map(({ bytes }) => bytes).sort((a, b) => b - a));
    expect(bars.at(-1)).toMatchObject({ ours: true });
  }
});

test('a lossy bar says how good the last checkpoint is', () => {
  const lossy = seriesFigures(pages).slice(1);
  expect(lossy.map(({ heading }) => heading)).toEqual([
    'loss at most 0.5 % worse in every checkpoint',
    'loss at most 1 % worse in every checkpoint',
  ]);
  for (const { bars } of lossy) for (const { asGoodAs } of bars) expect(asGoodAs).toMatch(/^1,\d{3} of 1,260$/);
});

test.each([
  ['a page without the section', { ...pages, compression: '' }],
  ['a page without the row', { ...pages, exact: pages.exact.replaceAll('to the one before, Firn', 'another') }],
])('%s is refused', (_, without) => {
  expect(() => seriesFigures(without)).toThrow();
});
