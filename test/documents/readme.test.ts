import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');
/** Most lines that a stranger can be expected to read. */
const linesMax = 150;

test('README.md is short', () => {
  expect(readme.split('\n').length).toBeLessThanOrEqual(linesMax);
});

test('its first screen has a line for who trains, who pulls and who runs it, and the chart', () => {
  const screen = readme.split('\n').slice(0, 30).join('\n');
  for (const page of ['training', 'pulling', 'operating']) expect(screen).toContain(`docs/guide/${page}.md`);
  expect(screen).toContain('docs/benchmarks/bytes-of-a-series.svg');
});

test('every ratio, and every step that a checkpoint is as good as, was measured', () => {
  const measured = ['README', 'compression', 'exact'].map((page) => read(`docs/benchmarks/${page}.md`)).join('\n');
  const ratios = [...readme.matchAll(/\b(\d+\.\d)x/g)].map(([, ratio]) => ratio!);
  const known = new Set([...measured.matchAll(/\b(\d+\.\d+)/g)].map(([, ratio]) => Number(ratio).toFixed(1)));
  expect(ratios.length).toBeGreaterThan(4);
  expect(ratios.filter((ratio) => !known.has(ratio))).toEqual([]);
  const steps = [...readme.matchAll(/\b(?:\d,)?\d{3} of (?:\d,)?\d{3}\b/g)].map(([step]) => step);
  expect(steps.length).toBeGreaterThan(3);
  expect(steps.filter((step) => !measured.includes(step))).toEqual([]);
});
