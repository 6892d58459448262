import { stateTensorOf } from '../../src/checkpoint/options/state-role.ts';
import type { StateRole } from '../../src/checkpoint/options/state-options.ts';
import type { PackageFile, PackageIndex } from '../../src/package/package-index.ts';
import { planFile } from '../../src/package/blocks/plan-file.ts';

/** A part of the stored bytes: a role of optimizer state, weights, or everything around the payloads. */
export type Part = StateRole | 'weights' | 'rest';
export type PartBytes = Readonly<Record<Part, number>>;

export const noBytes: PartBytes = { weights: 0, firstMoment: 0, secondMoment: 0, momentum: 0, rest: 0 };

export function addParts(a: PartBytes, b: PartBytes): PartBytes {
  return {
    weights: a.weights + b.weights,
    firstMoment: a.firstMoment + b.firstMoment,
    secondMoment: a.secondMoment + b.secondMoment,
    momentum: a.momentum + b.momentum,
    rest: a.rest + b.rest,
  };
}

/**
 * Payload bytes of a package by part. A block that several parts share counts for each by its elements. The remainder
 * of `storedBytes` is the rest.
 */
export function partBytes(index: PackageIndex, storedBytes: number): PartBytes {
  const bytes: Record<Part, number> = { ...noBytes };
  for (const file of index.files) addFile(file, bytes);
  bytes.rest = storedBytes - Object.values(bytes).reduce((sum, part) => sum + part, 0);
  return bytes;
}

function addFile({ content, sizeBytes }: PackageFile, bytes: Record<Part, number>): void {
  if (content.type !== 'safetensors') return;
  for (const [number, { segments, elementCount }] of planFile({ content, sizeBytes })!.blocks.entries()) {
    for (const segment of segments) {
      const share = segment.elementCount / elementCount;
      bytes[partOf(content.layout.tensors[segment.tensor]!.name)] += share * content.blocks[number]!.lengthBytes;
    }
  }
}

/** The bytes of a raw file's tensors by part. */
export function rawParts(
  tensors: readonly { readonly name: string; readonly startBytes: number; readonly endBytes: number }[],
  sizeBytes: number,
): PartBytes {
  const bytes: Record<Part, number> = { ...noBytes };
  for (const { name, startBytes, endBytes } of tensors) bytes[partOf(name)] += endBytes - startBytes;
  bytes.rest = sizeBytes - Object.values(bytes).reduce((sum, part) => sum + part, 0);
  return bytes;
}

function partOf(name: string): Part {
  const role = stateTensorOf(name)?.role ?? 'master';
  return role === 'master' ? 'weights' : role;
}
