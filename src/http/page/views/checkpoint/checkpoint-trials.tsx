import type { Trial } from '../../../../catalog/contract/trial-records.ts';
import { bytesInWords } from '../../../../checkpoint/words/bytes-in-words.ts';
import {
  configKey,
  methodConfigOf,
  type QuantizationConfig,
} from '../../../../checkpoint/options/quantization-config.ts';
import { countOf, lostInWords, secondsInWords } from '../../parts/amounts.ts';
import type { KindOf } from '../../parts/sampled-run.ts';
import { Table } from '../../parts/table.tsx';

/** Most trials that are listed, the last ones; a search may have thousands. */
const listedMax = 100;

/** The configs that were tried, and what each would have cost and lost. */
export function CheckpointTrials({
  trials,
  chosen,
  kindOf,
}: {
  readonly trials: readonly Trial[];
  readonly chosen: QuantizationConfig | undefined;
  readonly kindOf: KindOf;
}) {
  if (trials.length === 0) return <></>;
  const listed = trials.slice(-listedMax);
  const metrics = [...new Set(listed.flatMap(({ degradation }) => Object.keys(degradation)))].slice(0, 4);
  const chosenKey = chosen && configKey(chosen);
  return (
    <>
      <h2>{countOf(trials.length, 'trial')}</h2>
      {listed.length < trials.length && <p class="dim">The last {listed.length} of them.</p>}
      <Table
        caption="Trials"
        columns={[
          { title: 'Trial', isNumber: true },
          { title: 'Config' },
          { title: 'Estimated', isNumber: true },
          ...metrics.map((metric) => ({ title: `${metric}: lost`, isNumber: true })),
          { title: 'Verdict' },
          { title: 'Time', isNumber: true },
        ]}
        rows={listed.map(({ ordinal, config, estimatedBytes, degradation, passed, seconds }) => [
          ordinal + 1,
          `${config.method}: ${methodConfigOf(config.method).describe(config)}`,
          bytesInWords(Math.round(estimatedBytes)),
          ...metrics.map((metric) => lostInWords(degradation[metric], kindOf(metric))),
          <>
            {passed ? <span class="good">passed</span> : <span class="bad">failed</span>}
            {passed && configKey(config) === chosenKey && ', chosen'}
          </>,
          secondsInWords(seconds),
        ])}
      />
    </>
  );
}
