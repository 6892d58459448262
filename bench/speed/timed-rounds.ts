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
  /**
   * The same of processor time, user and system: what a machine without other work and with a disk that never waits
   * would give. Absent where it is not known.
   */
  readonly processorRatio?: number | undefined;
}

/** What a piece of work took, in seconds. */
export interface Spent {
  readonly seconds: number;
  /** Of all threads; NaN where it is not known. */
  readonly processorSeconds: number;
}

/** Rounds of each measurement. */
const rounds = 7;
/** Rounds before them: a hub lives long enough to have its code compiled. */
const warmUps = 5;
/** A copy is repeated until this much time has passed, in ms. */
const copyMsMin = 30;

/**
 * Times `work`, which produces or consumes `bytes` bytes of binary32, in seven rounds after five to warm up. The work
 * and a memcpy of as many bytes take turns at going first.
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

/** What `work` takes of this process. */
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

/** The work and a copy, round by round. */
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

/** Returns what says how much copying `bytes` bytes between two buffers takes. */
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
