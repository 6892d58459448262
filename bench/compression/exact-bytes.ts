import { elementKindOfDtype } from '../../src/package/codings/exact-coding.ts';
import { dtypeBytes } from '../../src/checkpoint/dtype.ts';
import { exactBytesMax, type NativeCore } from '../../src/native/core.ts';
import type { WeightTensor } from './series/checkpoint-weights.ts';

/**
 * Bytes of tensors in the product's exact coder. Comparators store their other tensors with it, and whole checkpoints
 * if no knob passes. Tensors of one dtype are coded together, against the previous checkpoint's bytes of the same
 * tensors if those are known exactly.
 */
export async function exactBytes(
  core: NativeCore,
  tensors: readonly WeightTensor[],
  previous: readonly WeightTensor[] | undefined,
): Promise<number> {
  const before = new Map((previous ?? []).map((tensor) => [tensor.name, tensor.bytes]));
  let bytes = 0;
  for (const dtype of new Set(tensors.map((tensor) => tensor.dtype))) {
    const group = tensors.filter((tensor) => tensor.dtype === dtype && tensor.bytes.length > 0);
    const kind = elementKindOfDtype[dtype];
    const current = Buffer.concat(group.map((tensor) => tensor.bytes));
    const twins = group.map((tensor) => before.get(tensor.name));
    const known = twins.every((twin, i) => twin?.length === group[i]!.bytes.length)
      ? Buffer.concat(twins as Uint8Array[])
      : undefined;
    const piece = exactBytesMax - (exactBytesMax % dtypeBytes[dtype]);
    for (let at = 0; at < current.length; at += piece) {
      const range = (whole: Uint8Array): Uint8Array => whole.subarray(at, at + piece);
      const payload = await core.exactEncode({
        current: range(current),
        kind,
        ...(known !== undefined && { previous: range(known) }),
      });
      bytes += payload.length;
    }
  }
  return bytes;
}
