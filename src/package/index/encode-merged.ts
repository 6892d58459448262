import { FirnError } from '../../checkpoint/firn-error.ts';
import { ByteWriter } from '../byte-writer.ts';
import { sealIndex, writeFiles } from './encode-index.ts';
import { idBytes } from '../package-frame.ts';
import type { PackageIndex } from '../package-index.ts';
import { writeStepScales } from './residual-records.ts';

/**
 * Serialises the index of a merged package (docs/format.md, "Merged packages") from the indexes of its checkpoints,
 * oldest first, and of the first one's ancestor. Throws `internal` if these are no parts of one merged package.
 */
export function encodeMergedPackageIndex(parts: readonly PackageIndex[], ancestor: PackageIndex): Uint8Array {
  const mergedPackage = parts[0]?.part?.mergedPackage;
  const tables = parts[0]?.residual?.tables;
  const fits = parts.every(
    ({ id, codebooks, part }, position) =>
      id === mergedPackage?.packageIds[position] && part?.position === position && codebooks.length === 0,
  );
  const jointSymbols = mergedPackage?.jointSymbols;
  if (
    mergedPackage === undefined ||
    (tables === undefined) !== (jointSymbols === undefined) ||
    !fits ||
    parts.length !== mergedPackage.packageIds.length
  )
    throw new FirnError('internal', 'The checkpoints do not make a merged package.');
  const body = new ByteWriter();
  if (jointSymbols !== undefined && tables !== undefined) {
    const { symbols, width } = jointSymbols;
    body
      .varint(symbols.length / width)
      .append(symbols)
      .varint(tables.length)
      .append(tables);
  }
  for (const [position, index] of parts.entries()) {
    if (index.residual !== undefined) writeStepScales(body, index.residual.scales);
    writeFiles(body, { index, ancestor: parts[position - 1] ?? ancestor, sharesPayloads: position > 0 });
  }
  const ids = new ByteWriter().u8(parts.length);
  for (const { id } of parts) ids.append(idBytes(id));
  return sealIndex(body.finish(), { ancestorId: ancestor.id, packageIds: ids.finish() });
}
