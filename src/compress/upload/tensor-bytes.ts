import { createHash } from 'node:crypto';
import { dtypeBytes, type Dtype } from '../../checkpoint/dtype.ts';
import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { blockElementsMax } from '../../native/core.ts';
import type { SourceFile } from './model-source.ts';

/** Below this size in bytes, a tensor takes less than a reference to another's. */
export const sharedBytesMin = 4096;
/** Length of each sample, at a tensor's start and in its middle. */
const sampleBytes = 1024;
/**
 * Samples of a tensor's first block. More than two, because rows of padding, masks and tensors that start at zero have
 * much in common.
 */
const headSamples = 5;
/** Bytes compared at a time. */
const pieceBytes = 1024 * 1024;

/** A tensor's bytes, wherever they are. */
export interface TensorBytes {
  readonly dtype: Dtype;
  readonly sizeBytes: number;
  /** `startBytes` counts from the tensor's first byte. */
  read(startBytes: number, lengthBytes: number): Promise<Uint8Array>;
}

/** A tensor as it was uploaded. */
export function uploadedBytes(
  { reader }: Pick<SourceFile, 'reader'>,
  { dtype, startBytes, endBytes }: TensorEntry,
  signal: AbortSignal | undefined,
): TensorBytes {
  return {
    dtype,
    sizeBytes: endBytes - startBytes,
    read: (at, length) => reader.read(startBytes + at, length, signal),
  };
}

/**
 * A digest of the start and middle of a tensor. Tensors of `sharedBytesMin` or more are compared in full only if it is
 * equal. Undefined for a tensor that seems to repeat one element.
 */
export async function sampleOf({ dtype, sizeBytes, read }: TensorBytes): Promise<string | undefined> {
  const middleBytes = Math.floor(sizeBytes / 2 / 8) * 8;
  const sample = Buffer.concat([await read(0, sampleBytes), await read(middleBytes, sampleBytes)]);
  const element = sample.subarray(0, dtypeBytes[dtype]);
  const isConstant = sample.every((byte, i) => byte === element[i % element.length]);
  return isConstant ? undefined : createHash('sha256').update(sample).digest('base64');
}

/** Bytes of a tensor in its first block. */
export function headBytesOf({ dtype, sizeBytes }: Pick<TensorBytes, 'dtype' | 'sizeBytes'>): number {
  return Math.min(sizeBytes, blockElementsMax * dtypeBytes[dtype]);
}

/**
 * A digest of samples spread evenly over the first block, including its first and last bytes. Samples beyond would
 * require decoding another block.
 */
export function sketchOf(head: Uint8Array): string {
  const hash = createHash('sha256');
  for (let i = 0; i < headSamples; i++) {
    const at = Math.floor(((head.length - sampleBytes) * i) / (headSamples - 1));
    hash.update(head.subarray(at, at + sampleBytes));
  }
  return hash.digest('base64');
}

/** Whether two tensors of one size have the same bytes. */
export async function isEqual(a: TensorBytes, b: TensorBytes): Promise<boolean> {
  for (let at = 0; at < a.sizeBytes; at += pieceBytes) {
    const length = Math.min(pieceBytes, a.sizeBytes - at);
    const [one, other] = await Promise.all([a.read(at, length), b.read(at, length)]);
    if (Buffer.compare(one, other) !== 0) return false;
  }
  return true;
}
