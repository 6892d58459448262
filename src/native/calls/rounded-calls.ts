import { checkArguments } from '../check/check-arguments.ts';
import { blockElementsMax, type NativeCore, type RoundedPlace } from '../core.ts';
import { nativeNumbers } from '../check/native-numbers.ts';
import { argumentError } from '../check/native-status.ts';
import { runJob, type JobRunner } from './run-job.ts';

const valueBytes = 4;
const besideBytes = 2;

/** The calls that code F32 elements beside what was rounded from them. */
export function roundedCalls(runner: JobRunner) {
  const { addon, engine } = runner;
  return {
    roundedEncode: (values, place, signal) =>
      runJob(runner, signal, () => {
        const count = checkPlace(place);
        checkLength('values', values, count * valueBytes);
        return addon.roundedEncode(engine, values, ...placeArguments(place));
      }),
    roundedDecode: (payload, place, signal) =>
      runJob(runner, signal, () => {
        checkArguments.bytes('payload', payload);
        checkPlace(place);
        return addon.roundedDecode(engine, payload, ...placeArguments(place));
      }),
  } satisfies Partial<NativeCore>;
}

/** The number of elements. Throws for a place that native/include/firn/rounded.h does not allow. */
function checkPlace({ segments, beside }: RoundedPlace): number {
  let [elements, rounded] = [0, 0];
  for (const { elementCount, dtype } of segments) {
    checkArguments.integer('elementCount', elementCount, 0, blockElementsMax);
    if (dtype !== undefined && !Object.hasOwn(nativeNumbers.roundedKind, dtype))
      throw argumentError(`dtype: ${String(dtype)}`);
    elements += elementCount;
    if (dtype !== undefined) rounded += elementCount;
  }
  checkArguments.integer('elements of a block', elements, 0, blockElementsMax);
  checkLength('beside', beside, rounded * besideBytes);
  return elements;
}

function checkLength(name: string, bytes: Uint8Array, length: number): void {
  checkArguments.bytes(name, bytes);
  if (bytes.byteLength !== length) throw argumentError(`${name}: ${bytes.byteLength} bytes, not ${length}`);
}

function placeArguments({ segments, beside }: RoundedPlace) {
  const { roundedKind, notRounded } = nativeNumbers;
  const numbers = segments.flatMap(({ elementCount, dtype }) => [
    elementCount,
    dtype === undefined ? notRounded : roundedKind[dtype],
  ]);
  return [beside, Uint32Array.from(numbers)] as const;
}
