import { dtypeBytes } from '../../src/checkpoint/dtype.ts';
import type { SafetensorsLayout } from '../../src/checkpoint/safetensors/safetensors-layout.ts';

/** Dtypes of the weights that the bench codes. */
export type WeightDtype = 'F32' | HalfDtype;
/** Those of 16 bits, in the order of the tables. */
export const halfDtypes = ['BF16', 'F16'] as const;
export type HalfDtype = (typeof halfDtypes)[number];

/** Facts about a file that a decoder knows beforehand. */
export interface WeightShape {
  /** Tensors of one dtype, in file order without gaps from offset 0, without a header. */
  readonly layout: SafetensorsLayout;
  readonly dtype: WeightDtype;
}

/** The weights of one file of a checkpoint. */
export interface WeightFile extends WeightShape {
  /** Its name, the same in all checkpoints of a series. */
  readonly path: string;
  /** Little-endian, `layout.sizeBytes` bytes, starting at offset 0 of their buffer. */
  readonly bytes: Uint8Array;
}

export interface NamedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Lays tensors of one dtype one after another. */
export function weightFile(path: string, dtype: WeightDtype, tensors: readonly NamedTensor[]): WeightFile {
  let sizeBytes = 0;
  const entries = tensors.map(({ name, shape, bytes }) => {
    const startBytes = sizeBytes;
    sizeBytes += bytes.length;
    return { name, dtype, shape, elementCount: bytes.length / dtypeBytes[dtype], startBytes, endBytes: sizeBytes };
  });
  const bytes = new Uint8Array(sizeBytes);
  entries.forEach(({ startBytes }, i) => bytes.set(tensors[i]!.bytes, startBytes));
  return { path, dtype, layout: { headerBytes: new Uint8Array(), sizeBytes, tensors: entries, metadata: {} }, bytes };
}

/** The same file with other bytes. */
export function withBytes(file: WeightFile, bytes: Uint8Array): WeightFile {
  return { ...file, bytes };
}
