import type { Dtype } from '../dtype.ts';
import { tensorBytes } from '../dtype.ts';
import { orderTensors } from './order-tensors.ts';
import type { SafetensorsLayout } from './safetensors-layout.ts';
import { headerLengthBytes } from './safetensors-limits.ts';

/** A tensor to be written. */
export interface PlannedTensor {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
}

/** The data start on a multiple of this, so that a mapped file's tensors are aligned (the format's advice). */
const dataAlignmentBytes = 8;

/**
 * Builds the header of a file with the given tensors one after another, in this order, with unique names. The same
 * arguments give the same bytes, so a view's ETag can be computed without its data. Throws `tensor-size-mismatch` for
 * shapes beyond 2^53 - 1 bytes, and for packed elements that leave a byte unfilled.
 */
export function buildSafetensorsHeader(
  tensors: readonly PlannedTensor[],
  metadata: Readonly<Record<string, string>> = {},
): SafetensorsLayout {
  let edge = 0;
  const listed = tensors.map(({ name, dtype, shape }) => {
    const start = edge;
    edge += tensorBytes(dtype, shape);
    return { name, dtype, shape, offsets: [start, edge] as const };
  });
  // Entries instead of an object: an object would move names that look like integers to the front, and lose
  // "__proto__".
  const members = listed.map(
    ({ name, dtype, shape, offsets }) =>
      `${JSON.stringify(name)}:${JSON.stringify({ dtype, shape, data_offsets: offsets })}`,
  );
  if (Object.keys(metadata).length > 0) members.unshift(`"__metadata__":${JSON.stringify(metadata)}`);
  const json = Buffer.from(`{${members.join(',')}}`);
  const headerBytes = new Uint8Array(
    Math.ceil((headerLengthBytes + json.length) / dataAlignmentBytes) * dataAlignmentBytes,
  ).fill(0x20);
  new DataView(headerBytes.buffer).setBigUint64(0, BigInt(headerBytes.length - headerLengthBytes), true);
  headerBytes.set(json, headerLengthBytes);
  const entries = orderTensors(listed, headerBytes.length);
  return { headerBytes, sizeBytes: entries.at(-1)?.endBytes ?? headerBytes.length, tensors: entries, metadata };
}
