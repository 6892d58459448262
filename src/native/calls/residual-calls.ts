import { dtypeBytes, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import type { Started } from '../addon.ts';
import { checkArguments } from '../check/check-arguments.ts';
import { checkGptq } from '../check/check-gptq.ts';
import { checkLattice } from '../check/check-lattice.ts';
import { NativeContextCounts, NativeContextTables } from './context-objects.ts';
import type { CodedBlock, ElementsOptions, NativeCore, ResidualChain, SegmentRounding } from '../core.ts';
import { flattened, stateOf } from './lattice-calls.ts';
import { NativeCachedSymbols } from './native-cached-symbols.ts';
import { nativeNumbers } from '../check/native-numbers.ts';
import { argumentError } from '../check/native-status.ts';
import { runJob, type JobRunner } from './run-job.ts';

/** The calls of NativeCore for blocks along a chain of packages. */
export function residualCalls(runner: JobRunner) {
  const { addon, engine } = runner;

  /**
   * Elements of a job, in `into` or in a new buffer. `check` checks the call's own arguments and returns the number of
   * elements; `start` starts the job.
   */
  async function elementsOf(
    dtype: QuantizableDtype,
    { into, signal }: ElementsOptions,
    check: () => number,
    start: (dtype: number) => Started<Uint8Array | undefined>,
  ): Promise<Uint8Array> {
    const elements = await runJob(runner, signal, () => {
      const bytes = check() * dtypeBytes[dtype];
      checkArguments.elements('result', into ?? new Uint8Array(), dtype);
      if (into !== undefined) checkArguments.integer('into length', into.length, bytes, bytes);
      return start(nativeNumbers.dtype[dtype]);
    });
    return elements ?? into!;
  }

  return {
    residualState: async (chain, signal) =>
      stateOf(
        await runJob(runner, signal, () => {
          checkLattice.chain(chain);
          return addon.residualState(engine, ...chainArguments(chain));
        }),
      ),
    residualElements: (chain, dtype, options = {}) =>
      elementsOf(
        dtype,
        options,
        () => checkLattice.chain(chain),
        (number) => addon.residualElements(engine, number, options.into, ...chainArguments(chain)),
      ),
    residualQuantize: async (block, { counts, keep, plain = false }, signal) => {
      const { symbols, symbolBytes, ...sums } = await runJob(runner, signal, () => {
        checkBlock(block);
        return addon.residualQuantize(
          engine,
          NativeContextCounts.handleOf(counts),
          Number(keep),
          Number(plain),
          ...blockArguments(block),
        );
      });
      return { ...sums, symbols: symbols && new NativeCachedSymbols(addon, symbols, symbolBytes) };
    },
    countCachedSymbols: (symbols, { counts: lengths, slots }, counts, signal) =>
      runJob(runner, signal, () => {
        checkArguments.contextSegments({ counts: lengths, slots });
        return addon.countCachedSymbols(
          engine,
          NativeContextCounts.handleOf(counts),
          NativeCachedSymbols.handleOf(symbols),
          lengths,
          slots,
        );
      }),
    encodeCachedSymbols: (symbols, { counts: lengths, slots }, tables, { left, signal } = {}) =>
      runJob(runner, signal, () => {
        checkArguments.contextSegments({ counts: lengths, slots });
        if (left !== undefined) checkLattice.segmentsElements(left.segments);
        return addon.encodeCachedSymbols(
          engine,
          NativeContextTables.handleOf(tables),
          NativeCachedSymbols.handleOf(symbols),
          lengths,
          slots,
          left?.name ?? '',
          left?.before ?? '',
          Number(left?.isFirst ?? false),
          flattened(left?.segments ?? []),
        );
      }),
    residualEncode: (block, tables, signal) =>
      runJob(runner, signal, () => {
        checkBlock(block);
        return addon.residualEncode(engine, NativeContextTables.handleOf(tables), ...blockArguments(block));
      }),
    residualCodedElements: (block, dtype, options = {}) =>
      elementsOf(
        dtype,
        options,
        () => checkBlock(block),
        (number) => addon.residualCodedElements(engine, number, options.into, ...blockArguments(block)),
      ),
    residualMovedElements: (symbols, { segments, chain, held }, dtype, options = {}) =>
      elementsOf(
        dtype,
        options,
        () =>
          chain === undefined ? checkLattice.segmentsElements(segments) : checkLattice.chainBefore(chain, segments),
        (number) =>
          addon.residualMovedElements(
            engine,
            number,
            options.into,
            NativeCachedSymbols.handleOf(symbols),
            held?.state ?? '',
            flattened(segments),
            ...chainArguments(chain),
          ),
      ),
  } satisfies Partial<NativeCore>;
}

/** Returns the number of elements. */
function checkBlock(block: CodedBlock): number {
  const count = checkLattice.codedBlock(block);
  if (block.rounding === undefined) return count;
  checkArguments.integer('segments of a block to round', block.segments.length, 1, 1);
  if (block.weights !== undefined && block.targets !== undefined)
    throw argumentError('targets: of a block that is to be rounded');
  checkGptq.place(block.rounding, count);
  return count;
}

function chainArguments(chain: ResidualChain | undefined) {
  const start = chain?.start;
  const links = chain?.links ?? [];
  const origins = start instanceof Int32Array ? start : undefined;
  const previous = start instanceof Int32Array ? undefined : start;
  const flat = links.flatMap(({ tables, payload, segments, slots, part }) => [
    NativeContextTables.handleOf(tables),
    payload,
    flattened(segments),
    slots,
    part?.jointSymbols.symbols,
    part?.jointSymbols.width ?? 0,
    part?.position ?? 0,
  ]);
  return [previous?.values, previous?.activity, origins, ...flat] as const;
}

function blockArguments(block: CodedBlock) {
  const { rounding, deadZone, rates, held, left, segments, slots, chain } = block;
  return [
    ...weightArguments(block),
    ...roundingArguments(rounding),
    deadZone,
    rates,
    held?.weights ?? '',
    held?.state ?? '',
    left?.name ?? '',
    Number(left?.isFirst ?? false),
    flattened(segments),
    slots,
    ...chainArguments(chain),
  ] as const;
}

/** Weights with their gradients, scales and targets; scales alone of a block that a device holds. */
function weightArguments(block: CodedBlock) {
  const { weightDtype, gradientDtype = 'F32', gradientScales } = block;
  const { dtype } = nativeNumbers;
  const brought = block.weights === undefined ? undefined : block;
  const isWeighted = brought === undefined || brought.gradients !== undefined;
  return [
    brought?.weights,
    dtype[weightDtype],
    brought?.gradients,
    dtype[gradientDtype],
    isWeighted ? gradientScales : undefined,
    brought?.targets,
  ] as const;
}

/** In place of the place of a segment that is not rounded. */
const noPlace = { factor: undefined, size: 1, inputs: 1, outputs: 1, inputsLast: false };

function roundingArguments(rounding: SegmentRounding | undefined) {
  const { factor, size, inputs, outputs, inputsLast } = rounding?.place ?? noPlace;
  return [
    factor,
    size,
    inputs,
    outputs,
    Number(inputsLast),
    rounding?.firstElement ?? 0,
    rounding?.strength ?? 0,
    rounding?.deadZone ?? 0,
    rounding?.factorName ?? '',
  ] as const;
}
