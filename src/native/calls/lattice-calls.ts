import { checkArguments } from '../check/check-arguments.ts';
import { checkGptq } from '../check/check-gptq.ts';
import { checkLattice } from '../check/check-lattice.ts';
import type { LatticeSegment, LatticeState, NativeCore } from '../core.ts';
import { nativeNumbers } from '../check/native-numbers.ts';
import { runJob, type JobRunner } from './run-job.ts';

/** The lattice calls of NativeCore. */
export function latticeCalls(runner: JobRunner) {
  const { addon, engine } = runner;
  return {
    latticeQuantize: (block, signal) =>
      runJob(runner, signal, () => {
        checkLattice.weights(block);
        const { weights, dtype, segments, previous, deadZone } = block;
        return addon.latticeQuantize(
          engine,
          weights,
          nativeNumbers.dtype[dtype],
          flattened(segments),
          previous?.values,
          previous?.activity,
          deadZone,
        );
      }),
    latticeContexts: (block, signal) =>
      runJob(runner, signal, () => {
        checkLattice.block(block);
        return addon.latticeContexts(
          engine,
          flattened(block.segments),
          block.previous?.values,
          block.previous?.activity,
        );
      }),
    latticeApply: async ({ symbols, escapes }, { segments, previous }, signal) =>
      stateOf(
        await runJob(runner, signal, () => {
          checkLattice.symbolsOf({ symbols, escapes }, { segments, ...(previous && { previous }) });
          return addon.latticeApply(
            engine,
            symbols,
            escapes,
            flattened(segments),
            previous?.values,
            previous?.activity,
          );
        }),
      ),
    latticePlace: async (elements, segments, dtype, signal) => {
      const { buffer, length } = await runJob(runner, signal, () => {
        checkLattice.placed(elements, segments, dtype);
        return addon.latticePlace(engine, elements, nativeNumbers.dtype[dtype], flattened(segments));
      });
      return new Int32Array(buffer, 0, length / Int32Array.BYTES_PER_ELEMENT);
    },
    latticeValues: (values, segments, dtype, signal) =>
      runJob(runner, signal, () => {
        checkLattice.values(values, segments);
        checkArguments.elements('result', new Uint8Array(), dtype);
        return addon.latticeValues(engine, values, flattened(segments), nativeNumbers.dtype[dtype]);
      }),
    gramFactor: async (gram, { size, damping }, signal) =>
      floatsOf(
        await runJob(runner, signal, () => {
          checkGptq.gram(gram, size, damping);
          return addon.gramFactor(engine, gram, size, damping);
        }),
      ),
    latticeTargets: async (request, { into, signal } = {}) => {
      const targets = await runJob(runner, signal, () => {
        checkGptq.weights(request);
        if (into !== undefined) checkGptq.into(into, request.segment);
        const { weights, dtype, segment, previous, symbolRates, firstElement, strength, deadZone } = request;
        const { held, movement } = request;
        const { factor, size, inputs, outputs, inputsLast } = request.place;
        return addon.latticeTargets(
          engine,
          weights,
          nativeNumbers.dtype[dtype],
          flattened([segment]),
          previous?.values,
          previous?.activity,
          symbolRates,
          factor,
          size,
          inputs,
          outputs,
          Number(inputsLast),
          firstElement,
          strength,
          deadZone,
          movement?.before,
          movement?.pull ?? 0,
          held?.weights ?? '',
          held?.state ?? '',
          held?.factor ?? '',
          into,
        );
      });
      return floatsOf(targets ?? into!);
    },
  } satisfies Partial<NativeCore>;
}

/** Eight numbers a segment. */
export function flattened(segments: readonly LatticeSegment[]): Int32Array {
  const numbers = new Int32Array(8 * segments.length);
  segments.forEach(({ elementCount, exponent, step, shift, offsets, gain }, i) => {
    numbers.set([elementCount, exponent, step, shift, ...offsets, gain], 8 * i);
  });
  return numbers;
}

/** Jobs write from the start of their own buffers, or to aligned ones that they were given. */
function floatsOf({ buffer, byteOffset, length }: Uint8Array): Float32Array {
  return new Float32Array(buffer, byteOffset, length / Float32Array.BYTES_PER_ELEMENT);
}

/** Both parts share the buffer that the job wrote: four bytes an element, then one. */
export function stateOf({ buffer, length }: Uint8Array): LatticeState {
  const count = length / 5;
  return { values: new Int32Array(buffer, 0, count), activity: new Uint8Array(buffer, 4 * count, count) };
}
