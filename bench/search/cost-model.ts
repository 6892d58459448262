/**
 * Fits what a search costs to what bench:search measured, over models of several sizes:
 * `npx tsx bench/search/cost-model.ts [--besides N] FILE...`, each written by
 * `npm run bench:search -- SERIES --json FILE`.
 *
 * A search runs the graph for each trial and N times more, once by default: to examine the upload, and to measure the
 * inputs of its matrices where that takes a run of its own. Before decision 0059 was taken further it was three times.
 * Checkpoints whose package was taken over from another are left out.
 */
import { parseArgs } from 'node:util';
import { readFileSync } from 'node:fs';
import { costForms, fitCost, type CostForm, type SearchCost } from './fit-cost.ts';

/** Bytes of a weight of the series, which are F32. */
const weightBytes = 4;

interface Cost {
  readonly trials: number;
  readonly rawBytes: number;
  readonly hubSeconds: number;
  readonly childSeconds: number;
}

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { besides: { type: 'string', default: '1' } },
});
/** Runs of the graph besides the trials. */
const otherEvaluations = Number(values.besides);
const costs = files.flatMap((path) => JSON.parse(readFileSync(path, 'utf8')) as Cost[]);
const searches = costs
  .filter(({ trials }) => trials > 0)
  .map(({ trials, rawBytes, hubSeconds, childSeconds }): SearchCost => ({
    megaweights: rawBytes / weightBytes / 1e6,
    evaluations: trials + otherEvaluations,
    seconds: hubSeconds + childSeconds,
  }));
console.log('| millions of weights | evaluations | searches | processor s |');
console.log('| ---: | ---: | ---: | ---: |');
const groups = grouped(searches);
for (const group of groups.values()) {
  const { megaweights, evaluations } = group[0]!;
  const seconds = group.map((search) => search.seconds);
  const [least, most] = [Math.min(...seconds), Math.max(...seconds)].map((each) => each.toFixed(1));
  const range = group.length === 1 ? least : `${least} to ${most}`;
  console.log(`| ${megaweights.toFixed(2)} | ${evaluations} | ${group.length} | ${range} |`);
}
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
for (const form of Object.keys(costForms) as CostForm[]) {
  const { a, b, c, errorMedian, errorMax } = fitCost(searches, form);
  const [first, second, third] = [a, b, c].map((value) => value.toPrecision(3));
  console.log(`\n${form}: a = ${first}, b = ${second}, c = ${third}; off by ${percent(errorMedian)} in the median,`);
  console.log(`${percent(errorMax)} at most`);
}

function keyOf({ megaweights, evaluations }: SearchCost): string {
  return `${megaweights}/${evaluations}`;
}

function grouped(all: readonly SearchCost[]): Map<string, SearchCost[]> {
  const found = new Map<string, SearchCost[]>();
  for (const search of all) found.set(keyOf(search), [...(found.get(keyOf(search)) ?? []), search]);
  return found;
}
