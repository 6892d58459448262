import type { SeedOutcome } from './compare-resumed.ts';
import type { StateBytes } from './compare-bytes.ts';
import type { Part, PartBytes } from './part-bytes.ts';

const total = (parts: PartBytes): number => Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Bytes of every method by part, and their ratios to the first one, the upload. Markdown. */
export function bytesTable(results: readonly StateBytes[]): string {
  const raw = results[0]!.parts;
  const parts = (['weights', 'firstMoment', 'secondMoment', 'momentum'] as const).filter((part) => raw[part] > 0);
  const titles: Readonly<Record<Part, string>> = {
    weights: 'weights',
    firstMoment: 'first moments',
    secondMoment: 'second moments',
    momentum: 'momentum',
    rest: 'headers, index',
  };
  const cell = (bytes: number, of: number): string =>
    bytes === of ? `${Math.round(bytes)}` : `${Math.round(bytes)} (${(of / bytes).toFixed(1)}x)`;
  return [
    row(['method', ...parts.map((part) => titles[part]), titles.rest, 'together', 'ratio']),
    row(['---', ...parts.map(() => '---:'), '---:', '---:', '---:']),
    ...results.map((result) =>
      row([
        result.describe,
        ...parts.map((part) => cell(result.parts[part], raw[part])),
        String(Math.round(result.parts.rest)),
        String(Math.round(total(result.parts))),
        (total(raw) / total(result.parts)).toFixed(2),
      ]),
    ),
  ].join('\n');
}

/**
 * Final losses by seed, against the unbroken run and against exact resume, with the spread of the unbroken seeds.
 * Markdown.
 */
export function resumedTable(outcomes: readonly SeedOutcome[]): string {
  const exact = (outcome: SeedOutcome): number => outcome.arms.find(({ run }) => run === 'exact')!.final;
  const percent = (value: number): string => `${(100 * value).toFixed(3)} %`;
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const unbroken = outcomes.map((outcome) => outcome.unbroken);
  const names = outcomes[0]!.arms.map(({ describe }) => describe);
  return [
    row([
      'resumed from',
      'ratio',
      ...outcomes.map(({ seed }) => `loss, seed ${seed}`),
      'to unbroken, mean',
      'to exact resume, mean',
      'worst',
    ]),
    row(['---', ...outcomes.map(() => '---:'), '---:', '---:', '---:', '---:']),
    row(['nothing (unbroken)', '', ...unbroken.map((loss) => loss.toFixed(4)), '', '', '']),
    ...names.map((name, i) => {
      const finals = outcomes.map(({ arms }) => arms[i]!.final);
      const toExact = finals.map((final, s) => final / exact(outcomes[s]!) - 1);
      const bytes = outcomes.map(({ arms }) => arms[i]!);
      const ratio =
        bytes.reduce((sum, { rawBytes }) => sum + rawBytes, 0) /
        bytes.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
      return row([
        name,
        ratio.toFixed(1),
        ...finals.map((final) => final.toFixed(4)),
        percent(mean(finals.map((final, s) => final / unbroken[s]! - 1))),
        percent(mean(toExact)),
        percent(Math.max(...toExact)),
      ]);
    }),
    '',
    'The unbroken seeds spread over ' +
      `${percent((Math.max(...unbroken) - Math.min(...unbroken)) / mean(unbroken))} of their mean.`,
  ].join('\n');
}
