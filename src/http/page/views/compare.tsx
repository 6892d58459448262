import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { RunSums } from '../../../catalog/contract/overview-records.ts';
import type { Run } from '../../../catalog/contract/run-records.ts';
import { bytesInWords } from '../../../checkpoint/words/bytes-in-words.ts';
import { thresholdsInWords } from '../../../checkpoint/quality/threshold-words.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { Lines } from '../charts/lines.tsx';
import type { View } from '../page-context.ts';
import { pagePaths, type RepositoryAddress } from '../page-paths.ts';
import { ratioInWords, valueInWords } from '../parts/amounts.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { readQuery } from '../parts/read-query.ts';
import { drawnMax } from '../parts/sampled-run.ts';
import { Table } from '../parts/table.tsx';

interface Compared {
  readonly run: Run;
  /** How much a checkpoint of the run may lose, in sentences. */
  readonly thresholds: readonly string[];
  readonly sums: RunSums;
  readonly drawn: readonly Checkpoint[];
}

/** Most metrics that are drawn. */
const metricsMax = 4;

/** Two runs of a repository side by side, by step. */
export function compareView(address: RepositoryAddress): View {
  return async ({ c, gateway: { catalog }, locate }) => {
    const read = async (field: 'one' | 'two'): Promise<Compared> => {
      const name = readQuery(c, field);
      if (name === undefined)
        throw new FirnError('invalid-request', `Say which runs to compare: "${field}" is missing.`);
      const run = await locate('read').run({ ...address, run: name });
      const [evalSet, sums, drawn] = await Promise.all([
        run.evalSetId === undefined ? undefined : catalog.evalSets.get(run.evalSetId),
        catalog.overview.sums(run.id),
        catalog.overview.sample(run.id, drawnMax),
      ]);
      const thresholds = evalSet === undefined ? [] : thresholdsInWords(evalSet.spec, run.thresholds);
      return { run, thresholds, sums, drawn };
    };
    const [one, two] = [await read('one'), await read('two')];
    const steps = [...new Set([...one.drawn, ...two.drawn].map(({ step }) => step))].sort((a, b) => a - b);
    return {
      title: `${one.run.name} and ${two.run.name} of ${address.namespace}/${address.name}`,
      content: (
        <>
          <Crumbs repository={address} />
          <h1>{`${one.run.name} and ${two.run.name}`}</h1>
          <Sums address={address} both={[one, two]} />
          {steps.length === 0 ? <p>Neither has a checkpoint yet.</p> : <Charts both={[one, two]} steps={steps} />}
        </>
      ),
    };
  };
}

function Sums({
  address,
  both,
}: {
  readonly address: RepositoryAddress;
  readonly both: readonly [Compared, Compared];
}) {
  return (
    <Table
      caption="The two runs"
      columns={[
        { title: 'Run' },
        { title: 'Kept' },
        { title: 'Threshold' },
        { title: 'Ready', isNumber: true },
        { title: 'Failed', isNumber: true },
        { title: 'Uploaded', isNumber: true },
        { title: 'Stored', isNumber: true },
        { title: 'Ratio', isNumber: true },
      ]}
      rows={both.map(({ run, thresholds, sums }) => [
        <a href={pagePaths.run({ ...address, run: run.name })}>{run.name}</a>,
        run.fidelity,
        thresholds.length > 0 ? thresholds.join('; ') : 'none',
        sums.counts.ready,
        sums.counts.failed,
        bytesInWords(sums.rawBytes),
        bytesInWords(sums.storedBytes),
        ratioInWords(sums.rawBytes, sums.storedBytes),
      ])}
    />
  );
}

function Charts({ both, steps }: { readonly both: readonly [Compared, Compared]; readonly steps: readonly number[] }) {
  const byStep = both.map(({ drawn }) => new Map(drawn.map((each) => [each.step, each])));
  const metrics = [
    ...new Set(both.flatMap(({ drawn }) => drawn.flatMap(({ result }) => Object.keys(result?.measured ?? {})))),
  ].slice(0, metricsMax);
  const names = both.map(({ run }) => run.name) as [string, string];
  const ends = [`step ${steps[0]}`, `step ${steps.at(-1)}`] as const;
  const charts = [
    {
      title: 'Stored bytes',
      valueOf: (each: Checkpoint | undefined) => each?.result?.storedBytes,
      words: (value: number) => bytesInWords(Math.round(value)),
    },
    ...metrics.map((metric) => ({
      title: `${metric}, measured on the download`,
      valueOf: (each: Checkpoint | undefined) => each?.result?.measured?.[metric],
      words: (value: number) => valueInWords(value),
    })),
  ];
  return (
    <>
      <div class="charts">
        {charts.map(({ title, valueOf, words }, at) => {
          const lines = byStep.map((found) => joined(steps.map((step) => valueOf(found.get(step)))));
          const values = lines.flat().filter((value): value is number => value !== undefined && Number.isFinite(value));
          // Bytes are compared by their size. A metric moves little, so its chart begins where it is least.
          const isMetric = at > 0 && values.length > 0;
          const [least, most] = isMetric ? [Math.min(...values), Math.max(...values)] : [0, Math.max(0, ...values)];
          const range = `at most ${words(most)}${isMetric ? `, at least ${words(least)}` : ''}`;
          return (
            <Lines
              id={`compare-${at}`}
              title={title}
              description={`${names.join(' and ')} by step, ${range}.`}
              top={words(most)}
              bottom={isMetric ? words(least) : '0'}
              ends={ends}
              legend={[
                { kind: 'one', words: names[0] },
                { kind: 'two', words: names[1] },
              ]}
              lines={lines.map((values, i) => ({ kind: i === 0 ? 'one' : 'two', values, hasDots: true }))}
              max={most}
              min={least}
            />
          );
        })}
      </div>
      <details>
        <summary>The figures of these charts</summary>
        <Table
          caption="Figures of both runs by step"
          columns={[
            { title: 'Step', isNumber: true },
            ...charts.flatMap(({ title }) => names.map((name) => ({ title: `${title}: ${name}`, isNumber: true }))),
          ]}
          rows={steps.map((step) => [
            step,
            ...charts.flatMap(({ valueOf, words }) =>
              byStep.map((found) => {
                const value = valueOf(found.get(step));
                return value === undefined ? '–' : words(value);
              }),
            ),
          ])}
        />
      </details>
    </>
  );
}

/** Fills gaps between two values on the line between them: the other run has steps that this one lacks. */
function joined(values: readonly (number | undefined)[]): (number | undefined)[] {
  const known = values.flatMap((value, at) => (value === undefined ? [] : [at]));
  return values.map((value, at) => {
    if (value !== undefined) return value;
    const [before, after] = [known.findLast((each) => each < at), known.find((each) => each > at)];
    if (before === undefined || after === undefined) return undefined;
    const share = (at - before) / (after - before);
    return values[before]! * (1 - share) + values[after]! * share;
  });
}
