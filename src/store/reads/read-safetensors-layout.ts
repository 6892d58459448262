import { parseSafetensorsHeader } from '../../checkpoint/safetensors/parse-safetensors.ts';
import type { SafetensorsLayout } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { defaultSafetensorsLimits, type SafetensorsLimits } from '../../checkpoint/safetensors/safetensors-limits.ts';
import { checkSafetensorsPrefix, prefixBytes } from '../../checkpoint/safetensors/safetensors-prefix.ts';
import type { ObjectReader } from '../object-store.ts';

/**
 * Reads the header of a safetensors object and checks it against the object's size. Throws the errors of
 * `parseSafetensorsHeader` and `corrupt-object`.
 */
export async function readSafetensorsLayout(
  reader: ObjectReader,
  limits: SafetensorsLimits = defaultSafetensorsLimits,
): Promise<SafetensorsLayout> {
  const prefix = await reader.read(0, Math.min(prefixBytes, reader.sizeBytes));
  const headerBytes = checkSafetensorsPrefix(prefix, reader.sizeBytes, limits);
  return parseSafetensorsHeader(await reader.read(0, headerBytes), reader.sizeBytes, limits);
}
