import { checkArguments } from '../check/check-arguments.ts';
import { blockElementsMax, type NativeCore, type MasterPlace } from '../core.ts';
import { nativeNumbers } from '../check/native-numbers.ts';
import { argumentError } from '../check/native-status.ts';
import { runJob, type JobRunner } from './run-job.ts';

const valueBytes = 4;
const halfBytes = 2;

/** The calls for coding F32 master weights against the 16-bit elements rounded from them. */
export function masterCalls(runner: JobRunner) {
  const { addon, engine } = runner;
  return {
    masterEncode: (values, place, signal) =>
      runJob(runner, signal, () => {
        const count = checkPlace(place);
        checkLength('values', values, count * valueBytes);
        return addon.masterEncode(engine, values, ...placeArguments(place));
      }),
    masterDecode: (payload, place, signal) =>
      runJob(runner, signal, () => {
        checkArguments.bytes('payload', payload);
        checkPlace(place);
        return addon.masterDecode(engine, payload, ...placeArguments(place));
      }),
  } satisfies Partial<NativeCore>;
}

/** The number of elements. Throws for a place that violates native/include/firn/master_weights.h. */
function checkPlace({ segments, reference }: MasterPlace): number {
  let [elements, halves] = [0, 0];
  for (const { elementCount, dtype } of segments) {
    checkArguments.integer('elementCount', elementCount, 0, blockElementsMax);
    if (dtype !== undefined && !Object.hasOwn(nativeNumbers.masterKind, dtype))
      throw argumentError(`dtype: ${String(dtype)}`);
    elements += elementCount;
    if (dtype !== undefined) halves += elementCount;
  }
  checkArguments.integer('elements of a block', elements, 0, blockElementsMax);
  checkLength('reference', reference, halves * halfBytes);
  return elements;
}

function checkLength(name: string, bytes: Uint8Array, length: number): void {
  checkArguments.bytes(name, bytes);
  if (bytes.byteLength !== length) throw argumentError(`${name}: ${bytes.byteLength} bytes, not ${length}`);
}

function placeArguments({ segments, reference }: MasterPlace) {
  const { masterKind, noReference } = nativeNumbers;
  const numbers = segments.flatMap(({ elementCount, dtype }) => [
    elementCount,
    dtype === undefined ? noReference : masterKind[dtype],
  ]);
  return [reference, Uint32Array.from(numbers)] as const;
}
