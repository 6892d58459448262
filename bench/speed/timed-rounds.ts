/** One measured way of working, beside a copy of as many bytes. */
export interface SpeedRow {
  readonly name: string;
  readonly bytes: number;
  /** Median of the rounds, in seconds. */
  readonly seconds: number;
  /** (slowest - fastest) / median. */
  readonly spread: number;
  /** Median over the rounds of the copy's time in the work's. */
  readonly memcpyRatio: number;
}

/** Rounds of each measurement. */
const rounds = 7;
/** A copy is repeated until this much time has passed, in ms. */
const copyMsMin = 30;

/**
 * Times `work`, which produces or consumes `bytes` bytes of binary32, in seven rounds after one to warm up. The work and a memcpy of as many bytes take
 * turns at going first.
 */
export async function timedRounds(name: string, bytes: number, work: () => Promise<void>): Promise<SpeedRow> {
  const copy = copier(bytes);
  await work();
  copy();
  const works: number[] = [];
  const copies: number[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) copies.push(copy());
    const started = performance.now();
    await work();
    works.push((performance.now() - started) / 1000);
    if (round % 2 === 1) copies.push(copy());
  }
  return rowOf(name, bytes, { works, copies });
}

/** Seconds of the work and of a copy, round by round. */
export interface RoundSamples {
  readonly works: readonly number[];
  readonly copies: readonly number[];
}

export function rowOf(name: string, bytes: number, { works, copies }: RoundSamples): SpeedRow {
  const seconds = median(works);
  return {
    name,
    bytes,
    seconds,
    spread: (Math.max(...works) - Math.min(...works)) / seconds,
    memcpyRatio: median(works.map((time, round) => copies[round]! / time)),
  };
}

/** Returns what says how many seconds copying `bytes` bytes between two buffers takes. */
export function copier(bytes: number): () => number {
  const from = new Uint8Array(bytes).fill(1);
  const to = new Uint8Array(bytes).fill(2);
  return () => {
    const started = performance.now();
    for (let times = 1; ; times++) {
      to.set(from);
      const passed = performance.now() - started;
      if (passed >= copyMsMin) return passed / 1000 / times;
    }
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
