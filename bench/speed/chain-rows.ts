import type { NativeCore } from '../../src/native/core.ts';
import { chainBytesMax, chainPackagesMax } from '../../src/compress/ancestor/restore-budget.ts';
import { StoredSeries, type StoredStep } from './stored-series.ts';
import type { BarredRow } from './speed-table.ts';
import { syntheticCheckpoints } from './synthetic-model.ts';
import { median, spentOn, type Spent } from './timed-rounds.ts';

/** Most times a base's time that restoring the last of a chain may take. */
export const timesOfBaseMax = 3;
/** Deltas of the chains. */
const deltaCounts = [1, 4, 8, 15];
/**
 * Drift from a checkpoint to the next, relative to the spread of a weight's row, and the step that it is stored with.
 */
const cases = [
  { drift: 0.03, step: 0 },
  { drift: 0.06, step: 0 },
  { drift: 0.14, step: 0 },
  { drift: 0.06, step: -32 },
] as const;
/** Rounds of each measurement; a base and all chains take turns. */
const rounds = 7;
/** A sequence number from which the later limit of the budget applies. */
const laterSequence = 1000;

/**
 * Restores the last of each chain of deltas and its base, in process, with packages in memory. A row compares the
 * chain's time with the allowed multiple of the base's time. Its name says whether the default policy would make such a
 * chain; if not, it has no limit.
 */
export async function* chainRows(core: NativeCore): AsyncGenerator<BarredRow> {
  for (const { drift, step } of cases) {
    const { rawBytes, packages } = await encodeChain(core, { drift, step });
    const chains = deltaCounts.map((deltas) => packages.slice(0, deltas + 1).reverse());
    const series = packages[0]!.series;
    const bases: Spent[] = [];
    const times = chains.map((): Spent[] => []);
    for (let round = -1; round < rounds; round++) {
      const base = await spentOn(() => series.restore([packages[0]!.stored]));
      if (round >= 0) bases.push(base);
      for (const [i, chain] of chains.entries()) {
        const spent = await spentOn(() => series.restore(chain.map(({ stored }) => stored)));
        if (round >= 0) times[i]!.push(spent);
      }
    }
    for (const [i, chain] of chains.entries()) yield rowOf(chain, { rawBytes, works: times[i]!, bases });
  }
}

interface ChainPackage {
  readonly series: StoredSeries;
  readonly stored: StoredStep;
}

/** Oldest first. */
async function encodeChain(
  core: NativeCore,
  { drift, step }: { drift: number; step: number },
): Promise<{ rawBytes: number; packages: ChainPackage[] }> {
  const series = new StoredSeries(core, step);
  const packages: ChainPackage[] = [];
  let rawBytes = 0;
  for (const file of syntheticCheckpoints({ layers: 0, drift }, Math.max(...deltaCounts) + 1)) {
    rawBytes = file.length;
    const number = packages.length;
    const planned = await series.plan(file, `checkpoint ${number}`);
    const stored = await series.encode(planned, number, packages.map((known) => known.stored).reverse());
    series.forget(`checkpoint ${number}`);
    packages.push({ series, stored });
  }
  return { rawBytes, packages };
}

function rowOf(
  chain: readonly ChainPackage[],
  { rawBytes, works, bases }: { rawBytes: number; works: readonly Spent[]; bases: readonly Spent[] },
): BarredRow {
  const steps = chain.map(({ stored }) => stored);
  const bytes = steps.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const baseBytes = steps.at(-1)!.sizeBytes;
  const migration = median(steps.slice(0, -1).map(({ encoded }) => encoded.migration!));
  const times = works.map(({ seconds }) => seconds);
  const within = (sequence: number): boolean =>
    chain.length <= chainPackagesMax && bytes <= chainBytesMax(baseBytes, { fullBytes: rawBytes, sequence });
  const allowed = within(laterSequence) ? '' : within(0) ? ', early in a run' : ', never made';
  return {
    name:
      `chain: base + ${chain.length - 1} of ${(100 * migration).toFixed(1)} %, ` +
      `${(bytes / baseBytes).toFixed(1)} bases${allowed}`,
    bytes: rawBytes,
    seconds: median(times),
    spread: (Math.max(...times) - Math.min(...times)) / median(times),
    memcpyRatio: (timesOfBaseMax * median(bases.map(({ seconds }) => seconds))) / median(times),
    processorRatio:
      (timesOfBaseMax * median(bases.map(({ processorSeconds }) => processorSeconds))) /
      median(works.map(({ processorSeconds }) => processorSeconds)),
    bar: within(0) ? 1 : 0,
  };
}
