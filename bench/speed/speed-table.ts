import type { SpeedRow } from './timed-rounds.ts';

/** A row with its least ratio to memcpy. */
export interface BarredRow extends SpeedRow {
  readonly bar: number;
}

export function tableHead(): string {
  return [
    'work'.padEnd(48),
    'MB'.padStart(8),
    'ms'.padStart(10),
    'GB/s'.padStart(8),
    'spread'.padStart(8),
    'memcpy'.padStart(8),
    'by cpu'.padStart(8),
    'bar'.padStart(7),
  ].join(' ');
}

/**
 * GB are 1e9 bytes of binary32, whatever is stored; `memcpy` is the ratio to a memcpy, `by cpu` that of processor
 * times.
 */
export function rowLine({ name, bytes, seconds, spread, memcpyRatio, processorRatio, bar }: BarredRow): string {
  return [
    name.padEnd(48),
    (bytes / 1e6).toFixed(1).padStart(8),
    (seconds * 1000).toFixed(2).padStart(10),
    (bytes / seconds / 1e9).toFixed(2).padStart(8),
    `${(100 * spread).toFixed(0)}%`.padStart(8),
    memcpyRatio.toFixed(3).padStart(8),
    (processorRatio?.toFixed(3) ?? '-').padStart(8),
    bar.toFixed(2).padStart(7),
    memcpyRatio >= bar ? '' : 'MISSED',
  ].join(' ');
}
