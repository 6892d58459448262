import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { Fork } from '../../../catalog/contract/overview-records.ts';
import type { PackageRecord } from '../../../catalog/contract/storage/package-records.ts';
import { bytesInWords } from '../../../checkpoint/words/bytes-in-words.ts';
import type { MetricKind } from '../../../checkpoint/quality/metric-kind.ts';
import { Bars } from '../charts/bars.tsx';
import { Lineage, type LineageNode } from '../charts/lineage.tsx';
import { Lines } from '../charts/lines.tsx';
import { countOf, lostInWords, ratioInWords } from '../parts/amounts.ts';
import { boundedMetrics, keptAs, limitOf, type KindOf } from '../parts/sampled-run.ts';
import { Table } from '../parts/table.tsx';

export interface RunChartsProps {
  /** In the order of the run; a sample if it has more than can be drawn. */
  readonly drawn: readonly Checkpoint[];
  readonly packages: ReadonlyMap<string, PackageRecord>;
  readonly forks: readonly Fork[];
  readonly isSample: boolean;
  readonly run: string;
  readonly kindOf: KindOf;
}

/** A run over its steps: stored bytes, ratio, what builds on what, and each metric against its limit. */
export function RunCharts({ drawn, packages, forks, isSample, run, kindOf }: RunChartsProps) {
  const results = drawn.map(({ state, result }) => (state === 'ready' ? result : undefined));
  const ends = [`step ${drawn[0]!.step}`, `step ${drawn.at(-1)!.step}`] as const;
  const stored = results.map((result) => result?.storedBytes);
  const ratios = results.map((result) =>
    result && result.storedBytes > 0 ? result.rawBytes / result.storedBytes : undefined,
  );
  const most = maxOf(stored);
  const mostInWords = bytesInWords(most);
  const baseCount = drawn.filter((each) => keptAs(each) === 'base').length;
  const kinds = new Set(drawn.flatMap((each, at) => (results[at] === undefined ? [] : [keptAs(each)])));
  return (
    <>
      <div class="charts">
        <Bars
          id="stored"
          title="Stored bytes"
          description={`${countOf(drawn.length, 'checkpoint')} from ${ends.join(' to ')}, at most ${mostInWords}.`}
          top={mostInWords}
          ends={ends}
          legend={[...kinds].map((kind) => ({ kind, words: kind === 'exact' ? 'as uploaded' : kind }))}
          bars={drawn.map((each, at) => ({ value: stored[at], kind: keptAs(each) }))}
          max={most}
        />
        <Lines
          id="ratio"
          title="Ratio of uploaded to stored bytes"
          description={`At most ${maxOf(ratios).toFixed(1)}.`}
          top={`${maxOf(ratios).toFixed(1)}×`}
          ends={ends}
          legend={[]}
          lines={[{ kind: 'measured', values: ratios, hasDots: true }]}
          max={maxOf(ratios)}
        />
        <Lineage
          id="lineage"
          description={`${baseCount} of these stand alone, ${countOf(forks.length, 'fork')}.`}
          nodes={nodesOf({ drawn, packages, forks, run })}
        />
        {boundedMetrics(drawn).map((metric, at) => (
          <MetricChart id={`metric-${at}`} metric={metric} drawn={drawn} ends={ends} kind={kindOf(metric)} />
        ))}
      </div>
      <details>
        <summary>The figures of these charts{isSample ? ' (a sample of the run)' : ''}</summary>
        <FiguresTable drawn={drawn} run={run} kindOf={kindOf} />
      </details>
    </>
  );
}

function MetricChart({
  id,
  metric,
  drawn,
  ends,
  kind,
}: {
  readonly id: string;
  readonly metric: string;
  readonly drawn: readonly Checkpoint[];
  readonly ends: readonly [string, string];
  readonly kind: MetricKind | undefined;
}) {
  const values = drawn.map(({ result }) => result?.degradation?.[metric]);
  const limits = drawn.map((each) => (each.result === undefined ? undefined : limitOf(each, metric)));
  const max = Math.max(maxOf(values), maxOf(limits)) * 1.1;
  const within = values.filter((value, at) => value !== undefined && value <= (limits[at] ?? Infinity)).length;
  const measured = values.filter((value) => value !== undefined).length;
  return (
    <Lines
      id={id}
      title={`What was lost of ${metric}`}
      description={
        `${within} of ${countOf(measured, 'measured checkpoint')} inside the limit, ` +
        `which is at most ${lostInWords(maxOf(limits), kind)}. Gains are drawn as 0.`
      }
      top={lostInWords(Number(max.toPrecision(2)), kind)}
      ends={ends}
      legend={[
        { kind: 'measured', words: 'measured on the download' },
        { kind: 'limit', words: 'largest that passes' },
      ]}
      lines={[
        { kind: 'limit', values: limits, hasDots: false },
        { kind: 'measured', values: values, hasDots: true },
      ]}
      max={max}
    />
  );
}

function nodesOf({ drawn, packages, forks, run }: Omit<RunChartsProps, 'isSample' | 'kindOf'>): LineageNode[] {
  const columnOf = new Map(drawn.map(({ step }, at) => [step, at]));
  return drawn.map(({ state, step, result, packageId }) => {
    const isHere = result?.ancestorRun === undefined || result.ancestorRun === run;
    const ancestor = isHere && result?.ancestorStep !== undefined ? columnOf.get(result.ancestorStep) : undefined;
    const merged = packages.get(packageId ?? '')?.mergedPackageId;
    return {
      kind: state !== 'ready' || result === undefined ? 'other' : result.kind,
      ...(ancestor !== undefined && { ancestor }),
      ...(merged !== undefined && { merged }),
      forks: forks.filter((fork) => fork.step === step).map((fork) => fork.run),
    };
  });
}

function FiguresTable({ drawn, run, kindOf }: Pick<RunChartsProps, 'drawn' | 'run' | 'kindOf'>) {
  const metrics = boundedMetrics(drawn);
  const number = (title: string) => ({ title, isNumber: true });
  return (
    <Table
      caption="Figures of the charts"
      columns={[
        number('Step'),
        number('Stored'),
        number('Ratio'),
        { title: 'Kind' },
        ...metrics.flatMap((metric) => [number(`${metric}: lost`), number('limit')]),
      ]}
      rows={drawn.map((each) => {
        const { result } = each;
        return [
          each.step,
          result && bytesInWords(result.storedBytes),
          result && ratioInWords(result.rawBytes, result.storedBytes),
          result ? ancestorInWords(result, run) : each.state,
          ...metrics.flatMap((metric) => [
            lostInWords(result?.degradation?.[metric], kindOf(metric)),
            lostInWords(limitOf(each, metric), kindOf(metric)),
          ]),
        ];
      })}
    />
  );
}

function ancestorInWords({ kind, ancestorRun, ancestorStep }: NonNullable<Checkpoint['result']>, run: string): string {
  if (kind === 'base' || ancestorStep === undefined) return kind;
  return `delta to ${ancestorRun === undefined || ancestorRun === run ? '' : `${ancestorRun}@`}${ancestorStep}`;
}

function maxOf(values: readonly (number | undefined)[]): number {
  return values.reduce<number>(
    (most, value) => (value !== undefined && value > most && Number.isFinite(value) ? value : most),
    0,
  );
}
