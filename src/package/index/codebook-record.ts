import { dtypeBytes, quantizableDtypes } from '../../checkpoint/dtype.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { quantizedLayerTypes } from '../../checkpoint/layer-type.ts';
import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';
import { corruptPackage } from '../corrupt-package.ts';
import { codebookCountMax, levelCountMax } from '../format-limits.ts';
import type { PackageCodebook } from '../package-index.ts';

const prunedFlag = 1 << 4;
const protectedFlag = 1 << 5;

/**
 * Writes a codebook: class, level count, table set and the centroids; the pruned and protected entries are implied
 * (docs/format.md, "Codebooks").
 */
export function writeCodebook(writer: ByteWriter, codebook: PackageCodebook): void {
  checkCodebook(codebook);
  const kind = quantizedLayerTypes.indexOf(codebook.layerType) | (quantizableDtypes.indexOf(codebook.dtype) << 2);
  const flags =
    (codebook.prunedLevel === undefined ? 0 : prunedFlag) | (codebook.protectedLevel === undefined ? 0 : protectedFlag);
  const centroidBytes = centroidCount(codebook) * dtypeBytes[codebook.dtype];
  writer
    .u8(kind | flags)
    .varint(codebook.levelCount)
    .varint(codebook.tableSet)
    .append(codebook.table.subarray(0, centroidBytes));
}

/** Reads the output of `writeCodebook`. Throws `corrupt-package`. */
export function readCodebook(reader: ByteReader, tableSetCount: number): PackageCodebook {
  const kind = reader.u8();
  const layerType = quantizedLayerTypes[kind & 3];
  const dtype = quantizableDtypes[(kind >> 2) & 3];
  if (layerType === undefined || dtype === undefined || kind >= protectedFlag * 2)
    throw corruptPackage('a codebook has an unknown class');
  const levelCount = reader.varint(levelCountMax, 'the level count of a codebook');
  const tableSet = reader.varint(codebookCountMax, 'the table set of a codebook');
  if (tableSet >= tableSetCount) throw corruptPackage('a codebook refers to a table set that is not there');
  const pruned = (kind & prunedFlag) === 0 ? 0 : 1;
  const guarded = (kind & protectedFlag) === 0 ? 0 : 1;
  const centroids = levelCount - pruned - guarded;
  if (centroids < 1) throw corruptPackage('a codebook has no centroid');
  const table = new Uint8Array(levelCount * dtypeBytes[dtype]);
  table.set(reader.take(centroids * dtypeBytes[dtype]));
  return {
    layerType,
    dtype,
    table,
    levelCount,
    tableSet,
    ...(pruned === 0 ? {} : { prunedLevel: centroids }),
    ...(guarded === 0 ? {} : { protectedLevel: centroids + pruned }),
  };
}

/** `table` padded with zeros to the 256 elements that dequantization expects. */
export function paddedTable(codebook: PackageCodebook): Uint8Array {
  const padded = new Uint8Array(levelCountMax * dtypeBytes[codebook.dtype]);
  padded.set(codebook.table);
  return padded;
}

function centroidCount({ levelCount, prunedLevel, protectedLevel }: PackageCodebook): number {
  return levelCount - (prunedLevel === undefined ? 0 : 1) - (protectedLevel === undefined ? 0 : 1);
}

/** Throws `internal` for a codebook that the format cannot represent. */
function checkCodebook(codebook: PackageCodebook): void {
  const centroids = centroidCount(codebook);
  const elementBytes = dtypeBytes[codebook.dtype];
  const inOrder =
    (codebook.prunedLevel ?? centroids) === centroids &&
    (codebook.protectedLevel ?? codebook.levelCount - 1) === codebook.levelCount - 1;
  const sized =
    centroids >= 1 &&
    codebook.levelCount <= levelCountMax &&
    codebook.table.length === codebook.levelCount * elementBytes;
  if (!inOrder || !sized || codebook.table.subarray(centroids * elementBytes).some((byte) => byte !== 0)) {
    throw new FirnError('internal', 'The codebook does not fit the package format.', {
      detail: `${codebook.layerType} ${codebook.dtype}, ${codebook.levelCount} levels, ${codebook.table.length} bytes`,
    });
  }
}
