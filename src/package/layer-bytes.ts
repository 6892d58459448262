import { layerOf } from '../checkpoint/layer-of.ts';
import { planBlocks } from './blocks/block-plan.ts';
import { codingRuleOf, type BlockCoding } from './codings/all-codings.ts';
import type { PackageIndex, SafetensorsContent } from './package-index.ts';

/** What stored bytes are for: weights that a method codes, optimizer state, or what is kept bit for bit. */
export const layerParts = ['weights', 'state', 'exact'] as const;
export type LayerPart = (typeof layerParts)[number];

/** What one layer of a checkpoint takes in its package. */
export interface LayerBytes {
  /** The common prefix of its tensors' names; the path of a file without tensors. */
  readonly layer: string;
  /** 0 for a file without tensors. */
  readonly tensorCount: number;
  /** As they are downloaded. */
  readonly logicalBytes: number;
  /** Bytes of payloads. Not whole where tensors share a block: each has a share by its elements. */
  readonly stored: Readonly<Record<LayerPart, number>>;
}

interface Sums {
  tensorCount: number;
  logicalBytes: number;
  readonly stored: Record<LayerPart, number>;
}

/**
 * Bytes of the payloads of a package by layer, in the order of its files and tensors. Tensors of one name's prefix are
 * one layer, whatever their file. A payload that the checkpoints of a merged package share counts in equal shares.
 * Index and tables belong to no layer, and files outside the package are left out. Pure.
 */
export function layerBytes({ files, part }: PackageIndex): LayerBytes[] {
  const layers = new Map<string, Sums>();
  const sumsOf = (layer: string): Sums => {
    const sums = layers.get(layer) ?? { tensorCount: 0, logicalBytes: 0, stored: { weights: 0, state: 0, exact: 0 } };
    layers.set(layer, sums);
    return sums;
  };
  const sharers = part?.mergedPackage.packageIds.length ?? 1;
  for (const { path, sizeBytes, content } of files) {
    if (content.type === 'safetensors') addTensors(content, sumsOf, sharers);
    if (content.type !== 'blob') continue;
    const sums = sumsOf(path);
    sums.logicalBytes += sizeBytes;
    for (const { lengthBytes } of content.blocks) sums.stored.exact += lengthBytes;
  }
  return [...layers].map(([layer, sums]) => ({ layer, ...sums }));
}

function addTensors(
  { layout: { tensors }, codings, blocks }: SafetensorsContent,
  sumsOf: (layer: string) => Sums,
  sharers: number,
): void {
  const sums = tensors.map(({ name }) => sumsOf(layerOf(name)));
  tensors.forEach(({ startBytes, endBytes }, tensor) => {
    sums[tensor]!.tensorCount++;
    sums[tensor]!.logicalBytes += endBytes - startBytes;
  });
  planBlocks(tensors, codings).forEach(({ coding, segments, elementCount }, number) => {
    const payloadBytes = blocks[number]!.lengthBytes / (codingRuleOf(coding).isShared ? sharers : 1);
    for (const segment of segments)
      sums[segment.tensor]!.stored[partOf(coding)] += (payloadBytes * segment.elementCount) / elementCount;
  });
}

function partOf(coding: BlockCoding): LayerPart {
  if (coding.kind === 'state') return 'state';
  return codingRuleOf(coding).isWeight ? 'weights' : 'exact';
}
