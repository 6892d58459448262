import { checkArguments } from '../check/check-arguments.ts';
import { nativeNumbers } from '../check/native-numbers.ts';
import { argumentError } from '../check/native-status.ts';
import type { NativeCore } from '../core.ts';
import { runJob, type JobRunner } from './run-job.ts';

const bitsMax = 8;

/** The calls that code what changed in buckets by sign and exponent (native/include/firn/buckets.h). */
export function bucketCalls(runner: JobRunner) {
  const { addon, engine } = runner;
  return {
    bucketEncode: ({ current, previous, dtype, bits }, signal) =>
      runJob(runner, signal, () => {
        checkArguments.elements('current', current, dtype);
        checkArguments.elements('previous', previous, dtype);
        if (current.byteLength !== previous.byteLength) throw argumentError('current and previous differ in length');
        checkArguments.integer('bits', bits, 1, bitsMax);
        return addon.bucketEncode(engine, current, previous, nativeNumbers.dtype[dtype], bits);
      }),
    bucketDecode: (payload, { previous, dtype }, signal) =>
      runJob(runner, signal, () => {
        checkArguments.bytes('payload', payload);
        checkArguments.elements('previous', previous, dtype);
        return addon.bucketDecode(engine, payload, previous, nativeNumbers.dtype[dtype]);
      }),
  } satisfies Partial<NativeCore>;
}
