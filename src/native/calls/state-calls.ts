import { checkArguments } from '../check/check-arguments.ts';
import { checkState } from '../check/check-state.ts';
import type { NativeCore, StatePlace } from '../core.ts';
import { nativeNumbers } from '../check/native-numbers.ts';
import { runJob, type JobRunner } from './run-job.ts';

/** The calls that code optimizer state. */
export function stateCalls(runner: JobRunner) {
  const { addon, engine } = runner;
  return {
    stateEncode: (values, place, signal) =>
      runJob(runner, signal, () => {
        checkState(place, values);
        return addon.stateEncode(engine, values, ...placeArguments(place));
      }),
    stateDecode: (payload, place, signal) =>
      runJob(runner, signal, () => {
        checkArguments.bytes('payload', payload);
        checkState(place);
        return addon.stateDecode(engine, payload, ...placeArguments(place));
      }),
    stateNeedsPreviousSync: (payload) => {
      checkArguments.bytes('payload', payload);
      return addon.stateNeedsPrevious(payload);
    },
  } satisfies Partial<NativeCore>;
}

function placeArguments({ encoding, segments, reference }: StatePlace) {
  const numbers = Uint32Array.from(
    segments.flatMap(({ elementCount, columns, column }) => [elementCount, columns, column]),
  );
  return [nativeNumbers.stateEncoding[encoding], numbers, reference] as const;
}
