import type { components } from '../../../../clients/typescript/src/index.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** Significant digits of a metric that a person is shown; more are noise of the last bits. */
const digitsShown = 6;

type Result = Pick<components['schemas']['CheckpointResult'], 'baseline' | 'measured'>;

/** How much worse each metric is, such as `loss +0.42 %`. */
export function metricsInWords(degradation: Readonly<Record<string, number | null>>): string {
  return Object.entries(degradation)
    .map(([name, share]) => {
      if (share === null) return `${name} not finite`;
      return `${name} ${share >= 0 ? '+' : ''}${(share * 100).toFixed(2)} %`;
    })
    .join(', ');
}

/** A figure as it is printed: rounded for a person, whole for a program. */
export function figureFor({ isPerson }: Pick<Terminal, 'isPerson'>, value: number): number {
  return isPerson ? Number(value.toPrecision(digitsShown)) : value;
}

/** One row for each metric: before and after. */
export function metricRows(
  terminal: Pick<Terminal, 'isPerson'>,
  result: Result | undefined,
): (readonly [metric: string, beforeAndAfter: string])[] {
  const shown = (value: number | null | undefined): string =>
    typeof value === 'number' ? String(figureFor(terminal, value)) : 'not finite';
  return Object.entries(result?.baseline ?? {}).map(([metric, before]) => [
    metric,
    `${shown(before)} before, ${shown(result?.measured?.[metric])} after`,
  ]);
}
