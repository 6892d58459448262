import { metricKindTable } from '../src/checkpoint/quality/metric-kind-table.ts';
import { wrapMarkdown } from './wrap/wrap-markdown.ts';

const start = '<!-- metric kinds -->';
const end = '<!-- end of metric kinds -->';

/**
 * The guide to eval sets with the descriptions of metric kinds between its markers, wrapped like all documents. Rejects
 * if the markers are missing.
 */
export async function withMetricKinds(guide: string): Promise<string> {
  const [from, to] = [guide.indexOf(start), guide.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the guide has no "${start}" and "${end}"`);
  return wrapMarkdown(`${guide.slice(0, from + start.length)}\n\n${metricKindTable()}\n\n${guide.slice(to)}`);
}
