import { FirnError } from '../../checkpoint/firn-error.ts';
import { ByteWriter } from '../byte-writer.ts';
import { sealIndex, writeFiles } from './encode-index.ts';
import { idBytes } from '../package-frame.ts';
import type { PackageIndex } from '../package-index.ts';
import { writeStepScales } from './residual-records.ts';

/** Serialises the index of a super-step (docs/format.md, "Super-steps") from those of its checkpoints, oldest first, and of the first one's ancestor. Throws `internal` where they are none. */
export function encodeSuperStepIndex(parts: readonly PackageIndex[], ancestor: PackageIndex): Uint8Array {
  const superStep = parts[0]?.part?.superStep;
  const tables = parts[0]?.residual?.tables;
  const fits = parts.every(
    ({ id, codebooks, part }, position) => id === superStep?.packageIds[position] && part?.position === position && codebooks.length === 0,
  );
  if (superStep === undefined || tables === undefined || !fits || parts.length !== superStep.packageIds.length)
    throw new FirnError('internal', 'The checkpoints do not make a super-step.');
  const { symbols, width } = superStep.tuples;
  const body = new ByteWriter()
    .varint(symbols.length / width)
    .append(symbols)
    .varint(tables.length)
    .append(tables);
  for (const [position, index] of parts.entries()) {
    writeStepScales(body, index.residual!.scales);
    writeFiles(body, { index, ancestor: parts[position - 1] ?? ancestor, sharesResidualPayloads: position > 0 });
  }
  const ids = new ByteWriter().u8(parts.length);
  for (const { id } of parts) ids.append(idBytes(id));
  return sealIndex(body.finish(), { ancestorId: ancestor.id, packageIds: ids.finish() });
}
