import type { Checkpoint } from '../../../../catalog/contract/checkpoint-records.ts';
import { thresholdInWords } from '../../../../checkpoint/quality/threshold-words.ts';
import type { EvalSet } from '../../../../catalog/contract/eval-set-records.ts';
import { lostInWords, valueInWords } from '../../parts/amounts.ts';
import { kindsOf, limitOf } from '../../parts/sampled-run.ts';
import { Table } from '../../parts/table.tsx';

/** Each metric before and after, what it lost, and what it might have lost. */
export function CheckpointQuality({
  checkpoint,
  evalSet,
}: {
  readonly checkpoint: Checkpoint;
  readonly evalSet: Pick<EvalSet, 'spec'> | undefined;
}) {
  const { baseline = {}, measured = {}, degradation = {}, observed = {} } = checkpoint.result ?? {};
  const names = [...new Set([...Object.keys(baseline), ...Object.keys(measured)])];
  if (names.length === 0 && Object.keys(observed).length === 0) return <></>;
  const kindOf = kindsOf(evalSet);
  const rows = names.map((name) => {
    const [lost, limit, kind] = [degradation[name], limitOf(checkpoint, name), kindOf(name)];
    const threshold = checkpoint.thresholds?.[name];
    return [
      name,
      valueInWords(baseline[name]),
      valueInWords(measured[name]),
      lostInWords(lost, kind),
      limit === undefined ? 'no limit' : lostInWords(limit, kind),
      <Verdict lost={lost} limit={limit} />,
      threshold !== undefined && kind !== undefined ? thresholdInWords(name, kind, threshold) : '',
    ];
  });
  const seen = Object.entries(observed).map(
    ([name, { kind, baseline: before, measured: after, degradation: lost }]) => [
      name,
      valueInWords(before),
      valueInWords(after),
      lostInWords(lost, kind),
      'no limit',
      '',
      '',
    ],
  );
  return (
    <>
      <h2>Quality before and after</h2>
      <Table
        caption="Quality before and after"
        columns={[
          { title: 'Metric' },
          { title: 'Uploaded', isNumber: true },
          { title: 'Download', isNumber: true },
          { title: 'Lost', isNumber: true },
          { title: 'Limit', isNumber: true },
          { title: 'Verdict' },
          { title: 'Threshold' },
        ]}
        rows={[...rows, ...seen]}
      />
    </>
  );
}

function Verdict({ lost, limit }: { readonly lost: number | undefined; readonly limit: number | undefined }) {
  if (lost === undefined || limit === undefined) return <></>;
  return lost <= limit ? <span class="good">inside</span> : <span class="bad">outside</span>;
}
