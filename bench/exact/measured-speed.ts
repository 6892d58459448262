import { copier, median, spentOn, type Spent } from '../speed/timed-rounds.ts';

/** Speed of an operation, beside a copy of the same machine in the same rounds. */
export interface MeasuredSpeed {
  /** GB (1e9 bytes) of raw bytes a second, the median of the rounds. */
  readonly gigabytesPerSecond: number;
  /** (slowest - fastest) / median of the rounds' times. */
  readonly spread: number;
  readonly rounds: number;
  /** Median over the rounds of the operation's speed relative to memcpy. */
  readonly memcpyShare: number;
  /** The same with processor times, which other work on the machine disturbs less. */
  readonly memcpyShareByProcessor: number;
  readonly memcpyGigabytesPerSecond: number;
  /**
   * Median over the rounds of the operation's speed relative to the operation beside it, by processor times; absent
   * without one.
   */
  readonly besideShareByProcessor?: number | undefined;
}

/** One piece of a round. */
export interface TimedWork {
  readonly rawBytes: number;
  run(): unknown;
}

/** Parameters of timing. */
export interface SpeedOptions {
  readonly seconds: number;
  /** Time that all of the work took before, in seconds. */
  readonly expectedSeconds: number;
  /** Another operation on each piece's raw bytes, in the order of the pieces. */
  readonly beside?: readonly TimedWork[] | undefined;
}

const roundsMin = 5;
const roundsMax = 25;
/** Bounds the repetitions in a round for work that takes no time. */
const expectedSecondsMin = 1e-6;
/** More than the caches of processors, so that a memcpy waits for memory. */
const copyBytes = 64 * 1024 * 1024;

/**
 * Times at least five rounds of `work`, and more until `seconds` have passed. A round takes as many evenly spread
 * pieces as are expected to fit in a fifth of `seconds`, at least one. It repeats them until it is expected to take
 * that long, because rounds of milliseconds would mostly measure garbage collections. The work, a memcpy and the
 * operation beside it take turns, in alternating order.
 */
export async function measureSpeed(
  work: readonly TimedWork[],
  { seconds, expectedSeconds, beside }: SpeedOptions,
): Promise<MeasuredSpeed> {
  const wanted = Math.floor(((seconds / roundsMin) * work.length) / Math.max(expectedSeconds, expectedSecondsMin));
  const pieces = evenly(work, wanted);
  const others = beside && evenly(beside, wanted);
  const repeats = Math.max(1, Math.floor(wanted / pieces.length));
  const rawBytes = repeats * pieces.reduce((sum, piece) => sum + piece.rawBytes, 0);
  const copy = copier(copyBytes);
  copy();
  const works: Spent[] = [];
  const copies: Spent[] = [];
  const besides: Spent[] = [];
  const started = performance.now();
  for (
    let round = 0;
    round < roundsMin || (round < roundsMax && performance.now() - started < 1000 * seconds);
    round += 1
  ) {
    const turns = [
      () => copies.push(copy()),
      async () => others && besides.push(await spentOn(() => runAll(others, repeats))),
      async () => works.push(await spentOn(() => runAll(pieces, repeats))),
    ];
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
  }
  const times = works.map((spent) => spent.seconds);
  const share = (of: keyof Spent): number =>
    median(works.map((spent, round) => rawBytes / spent[of] / (copyBytes / copies[round]![of])));
  return {
    gigabytesPerSecond: rawBytes / median(times) / 1e9,
    spread: (Math.max(...times) - Math.min(...times)) / median(times),
    rounds: times.length,
    memcpyShare: share('seconds'),
    memcpyShareByProcessor: share('processorSeconds'),
    besideShareByProcessor:
      others && median(works.map(({ processorSeconds }, round) => besides[round]!.processorSeconds / processorSeconds)),
    memcpyGigabytesPerSecond: copyBytes / median(copies.map((spent) => spent.seconds)) / 1e9,
  };
}

async function runAll(pieces: readonly TimedWork[], repeats: number): Promise<void> {
  for (let repeat = 0; repeat < repeats; repeat += 1) for (const piece of pieces) await piece.run();
}

/** `count` of all, at least one, evenly spread, including the last. */
function evenly<T>(all: readonly T[], count: number): T[] {
  const wanted = Math.min(all.length, Math.max(1, count));
  return Array.from({ length: wanted }, (_, i) => all[Math.ceil(((i + 1) * all.length) / wanted) - 1]!);
}
