/** One measured operation, beside a copy of as many bytes. */
export interface SpeedRow {
  readonly name: string;
  readonly bytes: number;
  /** Median of the rounds, in seconds. */
  readonly seconds: number;
  /** (slowest - fastest) / median. */
  readonly spread: number;
  /** Median over the rounds of the copy's time divided by the operation's. */
  readonly memcpyRatio: number;
  /**
   * The same with processor time, user and system: the ratio on an idle machine whose disk never waits. Absent if
   * unknown.
   */
  readonly processorRatio?: number | undefined;
}

/** Time of an operation, in seconds. */
export interface Spent {
  readonly seconds: number;
  /** Of all threads; NaN if unknown. */
  readonly processorSeconds: number;
}

/** Rounds of each measurement. */
const rounds = 7;
/** Warm-up rounds: a hub lives long enough for its code to be compiled. */
const warmUps = 5;
/** A copy is repeated until this much time has passed, in ms. */
const copyMsMin = 30;

/**
 * Times `work`, which produces or consumes `bytes` bytes of binary32, in seven rounds after five warm-ups. The work and
 * a memcpy of as many bytes take turns at going first.
 */
export async function timedRounds(name: string, bytes: number, work: () => Promise<void>): Promise<SpeedRow> {
  const copy = copier(bytes);
  for (let round = 0; round < warmUps; round++) await work();
  copy();
  const works: Spent[] = [];
  const copies: Spent[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) copies.push(copy());
    works.push(await spentOn(work));
    if (round % 2 === 1) copies.push(copy());
  }
  return rowOf(name, bytes, { works, copies });
}

/** Elapsed and processor time of `work` in this process. */
export async function spentOn(work: () => Promise<unknown>): Promise<Spent> {
  const started = performance.now();
  const before = process.cpuUsage();
  await work();
  return spentSince(started, before);
}

function spentSince(startedMs: number, before: NodeJS.CpuUsage): Spent {
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - startedMs) / 1000, processorSeconds: (user + system) / 1e6 };
}

/** Samples of the work and of a copy, round by round. */
export interface RoundSamples {
  readonly works: readonly Spent[];
  readonly copies: readonly Spent[];
}

export function rowOf(name: string, bytes: number, { works, copies }: RoundSamples): SpeedRow {
  const times = works.map(({ seconds }) => seconds);
  const seconds = median(times);
  const processorRatio = median(
    works.map(({ processorSeconds }, round) => copies[round]!.processorSeconds / processorSeconds),
  );
  return {
    name,
    bytes,
    seconds,
    spread: (Math.max(...times) - Math.min(...times)) / seconds,
    memcpyRatio: median(times.map((time, round) => copies[round]!.seconds / time)),
    processorRatio: Number.isNaN(processorRatio) ? undefined : processorRatio,
  };
}

/** Returns a function that measures the time of copying `bytes` bytes between two buffers. */
export function copier(bytes: number): () => Spent {
  const from = new Uint8Array(bytes).fill(1);
  const to = new Uint8Array(bytes).fill(2);
  return () => {
    const started = performance.now();
    const before = process.cpuUsage();
    for (let times = 1; ; times++) {
      to.set(from);
      const { seconds, processorSeconds } = spentSince(started, before);
      if (seconds * 1000 >= copyMsMin) return { seconds: seconds / times, processorSeconds: processorSeconds / times };
    }
  };
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
