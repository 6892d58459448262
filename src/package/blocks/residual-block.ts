import type { LatticeBlock, LatticeSegment, LatticeState, NativeCore, ResidualLink } from '../../native/core.ts';
import type { PlannedBlock } from './block-plan.ts';
import { corruptPackage } from '../corrupt-package.ts';
import type { FormatVersion } from '../format-version.ts';
import { offsetUnits, scaleOf, stepUnits, type ResidualTensor, type StepScales } from '../residual-tensor.ts';
import type { SafetensorsLayout } from '../../checkpoint/safetensors/safetensors-layout.ts';

/**
 * First version in which a residual block of a delta without a previous block starts from its gathered block, where it
 * has one, and not from the origins of its tensors.
 */
export const gatheredStartVersionMin: FormatVersion = 11;

/** Slots of a package's context tables: further tensors share the last one. */
const slotsMax = 65_536;

/** Data shared by the residual blocks of a package's file. */
export interface ResidualFile {
  readonly layout: SafetensorsLayout;
  readonly residuals: ReadonlyMap<number, ResidualTensor>;
  readonly scales: StepScales;
  /** By residual tensor: its slot in the package's context tables, of {@link tensorSlots}. */
  readonly slots: ReadonlyMap<number, number>;
}

/**
 * Slots of a file's residual tensors in the context tables, which number them through the whole package.
 * `tensorsBefore` counts those of earlier files.
 */
export function tensorSlots(
  residuals: ReadonlyMap<number, ResidualTensor>,
  tensorsBefore: number,
): ReadonlyMap<number, number> {
  const inOrder = [...residuals.keys()].sort((a, b) => a - b);
  return new Map(inOrder.map((tensor, ordinal) => [tensor, Math.min(tensorsBefore + ordinal, slotsMax - 1)]));
}

/** The parameters of a block's segments. Throws `corrupt-package` if a tensor has no record. */
export function latticeSegments(file: ResidualFile, block: PlannedBlock): LatticeSegment[] {
  return block.segments.map(({ tensor, elementCount }) => {
    const record = file.residuals.get(tensor);
    if (record === undefined) throw corruptPackage('a residual tensor has no record');
    return latticeSegment(record, { elementCount, scale: scaleOf(file.scales, file.layout.tensors[tensor]!.shape) });
  });
}

export function latticeSegment(
  record: ResidualTensor,
  { elementCount, scale }: { readonly elementCount: number; readonly scale: number },
): LatticeSegment {
  const { exponent, shift, gain } = record;
  const step = stepUnits(record, scale);
  const [one, more] = record.offsets.map((offset) => offsetUnits(offset, step)) as [number, number];
  return { elementCount, exponent, step, shift, offsets: [one, more, more], gain };
}

/**
 * Activity of every element at the start of a block without a previous one, and after one that started from origins;
 * kStateAfterBase of native/src/residual_quant/lattice/activity.h.
 */
const activityAtStart = 168;

/**
 * Starting values of a block's moves: the previous block's state, or the origins of its tensors. These may lie in
 * memory taken from `memory`: `values` and `activity` share a buffer.
 */
export function latticeBlock(
  file: ResidualFile,
  block: PlannedBlock,
  previous: LatticeState | undefined,
  memory?: Memory,
): Required<LatticeBlock> {
  const segments = latticeSegments(file, block);
  if (previous !== undefined) return { segments, previous };
  const { values, activity } = newState(block.elementCount, memory);
  activity.fill(activityAtStart);
  let first = 0;
  for (const { tensor, elementCount } of block.segments) {
    values.fill(file.residuals.get(tensor)!.origin, first, first + elementCount);
    first += elementCount;
  }
  return { segments: inOwnUnits(segments), previous: { values, activity } };
}

/** Gives buffers of a length in bytes, with undefined content, that begin where any element may. */
interface Memory {
  take(lengthBytes: number): Uint8Array;
}

/** A state with undefined content. */
function newState(elementCount: number, memory: Memory | undefined): LatticeState {
  const valuesBytes = elementCount * Int32Array.BYTES_PER_ELEMENT;
  const bytes = memory?.take(valuesBytes + elementCount) ?? new Uint8Array(valuesBytes + elementCount);
  return {
    values: new Int32Array(bytes.buffer, bytes.byteOffset, elementCount),
    activity: bytes.subarray(valuesBytes),
  };
}

/** Segments of a block that starts from values in its tensors' own units: origins, or a placed state. */
export function inOwnUnits(segments: readonly LatticeSegment[]): LatticeSegment[] {
  return segments.map((segment) => ({ ...segment, shift: 0 }));
}

/**
 * The state in which a block starts from elements that have none, in the dtype of its tensors: each at the nearest unit
 * of its tensor. Rejects with the errors of `latticePlace`.
 */
export async function placedState(
  core: NativeCore,
  elements: Uint8Array,
  { file, block }: { readonly file: ResidualFile; readonly block: PlannedBlock },
  signal?: AbortSignal,
): Promise<LatticeState> {
  if (block.coding.kind !== 'residual') throw new TypeError('not a residual block');
  return {
    values: await core.latticePlace(elements, latticeSegments(file, block), block.coding.dtype, signal),
    activity: activitiesAtStart(block),
  };
}

function activitiesAtStart({ elementCount }: PlannedBlock): Uint8Array {
  return new Uint8Array(elementCount).fill(activityAtStart);
}

/**
 * The package's data on a block, for rebuilding it along its chain. `starts`: it has no previous block. Throws
 * `corrupt-package` if a tensor has no record.
 */
export function residualLink(
  file: ResidualFile,
  block: PlannedBlock,
  { tables, payload, starts, part }: Pick<ResidualLink, 'tables' | 'payload' | 'part'> & { readonly starts: boolean },
): ResidualLink {
  const segments = latticeSegments(file, block);
  return {
    tables,
    payload,
    segments: starts ? inOwnUnits(segments) : segments,
    slots: blockSlots(file, block),
    part,
  };
}

/** By segment of a block without a previous one: its starting value. */
export function blockOrigins(file: ResidualFile, block: PlannedBlock): Int32Array {
  return Int32Array.from(block.segments, ({ tensor }) => file.residuals.get(tensor)!.origin);
}

/** By segment of a block: the slots of its tensors. Throws `corrupt-package` if a tensor has no record. */
export function blockSlots({ slots }: Pick<ResidualFile, 'slots'>, block: PlannedBlock): Uint32Array {
  return Uint32Array.from(block.segments, ({ tensor }) => {
    const slot = slots.get(tensor);
    if (slot === undefined) throw corruptPackage('a residual tensor has no record');
    return slot;
  });
}

/** By segment of a block: its length and its slot. Throws `corrupt-package` if a tensor has no record. */
export function contextSegments(
  file: Pick<ResidualFile, 'slots'>,
  block: PlannedBlock,
): { counts: Uint32Array; slots: Uint32Array } {
  return {
    counts: Uint32Array.from(block.segments, ({ elementCount }) => elementCount),
    slots: blockSlots(file, block),
  };
}

/** Number of slots in a package's context tables. */
export function slotCount(residualTensors: number): number {
  return Math.min(residualTensors, slotsMax);
}

/** A block's elements in the tensors' dtype. */
export function latticeElements(
  core: NativeCore,
  state: LatticeState,
  file: ResidualFile,
  block: PlannedBlock,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  if (block.coding.kind !== 'residual') throw new TypeError('not a residual block');
  return core.latticeValues(state.values, latticeSegments(file, block), block.coding.dtype, signal);
}
