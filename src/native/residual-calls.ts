import { dtypeBytes } from '../checkpoint/dtype.ts';
import { checkArguments } from './check-arguments.ts';
import { checkLattice } from './check-lattice.ts';
import { NativeContextTables } from './context-objects.ts';
import type { NativeCore, ResidualChain } from './core.ts';
import { flattened, stateOf } from './lattice-calls.ts';
import { nativeNumbers } from './native-numbers.ts';
import { runJob, type JobRunner } from './run-job.ts';

/** The calls of NativeCore that follow a block through a chain of packages. */
export function residualCalls(runner: JobRunner) {
  const { addon, engine } = runner;
  return {
    residualState: async (chain, signal) => stateOf(await runJob(runner, signal, () => {
      checkLattice.chain(chain);
      return addon.residualState(engine, ...chainArguments(chain));
    })),
    residualElements: async (chain, dtype, { into, signal } = {}) => {
      const elements = await runJob(runner, signal, () => {
        const count = checkLattice.chain(chain);
        checkArguments.elements('result', into ?? new Uint8Array(), dtype);
        if (into !== undefined) checkArguments.integer('into length', into.length, count * dtypeBytes[dtype], count * dtypeBytes[dtype]);
        return addon.residualElements(engine, nativeNumbers.dtype[dtype], into, ...chainArguments(chain));
      });
      return elements ?? into!;
    },
  } satisfies Partial<NativeCore>;
}

function chainArguments({ start, links }: ResidualChain) {
  const origins = start instanceof Int32Array ? start : undefined;
  const previous = start instanceof Int32Array ? undefined : start;
  const flat = links.flatMap(({ tables, payload, segments, slots }) => [NativeContextTables.handleOf(tables), payload, flattened(segments), slots]);
  return [previous?.values, previous?.activity, origins, ...flat] as const;
}
