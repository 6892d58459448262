import type { Namesakes, TensorPlace } from '../tensor-place.ts';
import { unzigzag, type ByteReader } from '../byte-reader.ts';
import { zigzag, type ByteWriter } from '../byte-writer.ts';
import { corruptPackage } from '../corrupt-package.ts';
import { fileCountMax, tensorNumberMax } from '../format-limits.ts';

/**
 * Writes the namesakes that a file lists (docs/format.md, "Namesakes"): each as its distance from the tensor before it
 * in the list, and the file and tensor of the ancestor. Where all tensors were renamed alike, most bytes are equal.
 */
export function writeNamesakes(writer: ByteWriter, namesakes: Namesakes = new Map()): void {
  const listed = [...namesakes].sort(([a], [b]) => a - b);
  writer.varint(listed.length);
  let next = 0;
  for (const [tensor] of listed) {
    writer.varint(tensor - next);
    next = tensor + 1;
  }
  for (const [, { file }] of listed) writer.varint(file);
  for (const [tensor, place] of listed) writer.varint(zigzag(place.tensor - tensor));
}

/**
 * Reads the output of `writeNamesakes`. The caller must check that they can stand for their tensors. Throws
 * `corrupt-package`.
 */
export function readNamesakes(reader: ByteReader, tensorCount: number): Namesakes {
  const count = reader.varint(Math.min(tensorCount, reader.remainingBytes), 'the number of namesakes');
  const tensors: number[] = [];
  let next = 0;
  for (let i = 0; i < count; i++) {
    const tensor = next + reader.varint(tensorCount, 'the distance to the next tensor with a namesake');
    if (tensor >= tensorCount) throw corruptPackage('a namesake is listed for a tensor that is not there');
    tensors.push(tensor);
    next = tensor + 1;
  }
  const files = tensors.map(() => reader.varint(fileCountMax - 1, 'the file of a namesake'));
  return new Map(
    tensors.map((tensor, i): [number, TensorPlace] => {
      const there = tensor + unzigzag(reader.varint(tensorNumberMax, 'the number of a namesake'));
      if (there < 0) throw corruptPackage('a namesake has a negative number');
      return [tensor, { file: files[i]!, tensor: there }];
    }),
  );
}
