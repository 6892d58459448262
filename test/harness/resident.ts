import { readFileSync } from 'node:fs';

/** Interval between two samples, in ms. */
const sampleMs = 250;

export interface MemorySample {
  /** Time since the start of the watch. */
  readonly atMs: number;
  readonly mib: number;
}

/** Resident memory of a process according to Linux, in MiB. */
export function residentMib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

/** Samples the resident memory of a process until stopped. */
export function watchMemory(pid: number): { readonly samples: readonly MemorySample[]; readonly stop: () => void } {
  const startedMs = performance.now();
  const samples: MemorySample[] = [];
  const sample = (): void => void samples.push({ atMs: performance.now() - startedMs, mib: residentMib(pid) });
  sample();
  const timer = setInterval(sample, sampleMs);
  return { samples, stop: () => clearInterval(timer) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}

/** The quantile of `values` at `share`. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
}
