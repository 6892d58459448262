import { metricKindTable } from '../src/checkpoint/quality/metric-kind-table.ts';

const start = '<!-- metric kinds -->';
const end = '<!-- end of metric kinds -->';

/** The guide to eval sets with the table of metric kinds between its markers. Throws where the markers are not there. */
export function withMetricKinds(guide: string): string {
  const [from, to] = [guide.indexOf(start), guide.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the guide has no "${start}" and "${end}"`);
  return `${guide.slice(0, from + start.length)}\n\n${metricKindTable()}\n\n${guide.slice(to)}`;
}
