import { metricKindRules, type MetricKind } from '../../../checkpoint/quality/metric-kind.ts';

/** How many times less is stored than was uploaded, such as `8.3×`; a dash if nothing is stored. */
export function ratioInWords(rawBytes: number, storedBytes: number): string {
  if (storedBytes <= 0 || rawBytes <= 0) return '–';
  const ratio = rawBytes / storedBytes;
  return `${ratio < 100 ? ratio.toFixed(ratio < 10 ? 2 : 1) : Math.round(ratio)}×`;
}

/** A measured value with four significant digits; JSON has no numbers that are not finite, so they come as null. */
export function valueInWords(value: number | null | undefined): string {
  if (value === undefined) return '–';
  if (value === null || !Number.isFinite(value)) return 'not finite';
  return String(Number(value.toPrecision(4)));
}

/** What a metric lost, or may lose: a share as per cent where the kind is bounded so, else in the metric's own unit. */
export function lostInWords(value: number | null | undefined, kind: MetricKind | undefined): string {
  if (!isShare(kind) || value === undefined || value === null || !Number.isFinite(value)) return valueInWords(value);
  return `${Number((100 * value).toPrecision(3))} %`;
}

/** Whether what a metric of the kind lost is a share of what it was. */
export function isShare(kind: MetricKind | undefined): boolean {
  return kind !== undefined && metricKindRules[kind].bound === 'relative';
}

/** A count with its noun. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
}

/** Seconds for people. */
export function secondsInWords(seconds: number): string {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
