import type { TokenTables } from '../../native/core.ts';
import { ByteReader } from '../byte-reader.ts';
import { corruptPackage } from '../corrupt-package.ts';
import type { PackageCodebook } from '../package-index.ts';

/** A decoded level block: one level an element, and the protected weights' words in element order. */
export interface DecodedLevels {
  readonly levels: Uint8Array;
  readonly protectedWords: Uint16Array;
}

export interface LevelDecodeRequest {
  readonly tables: TokenTables;
  readonly codebook: PackageCodebook;
  readonly elementCount: number;
  /** Levels of the matched block of the ancestor, each below `modulus`. */
  readonly previous?: Uint8Array | undefined;
  /** See `levelModulus`. */
  readonly modulus: number;
}

/**
 * Decodes the output of `encodeLevelBlock`; every level is below the codebook's level count. Rejects with
 * `corrupt-package`.
 */
export async function decodeLevelBlock(
  payload: Uint8Array,
  request: LevelDecodeRequest,
  signal?: AbortSignal,
): Promise<DecodedLevels> {
  const { tables, codebook, elementCount, previous, modulus } = request;
  const reader = new ByteReader(payload);
  const wordCount = reader.varint(
    codebook.protectedLevel === undefined ? 0 : elementCount,
    'the number of protected words',
  );
  const protectedWords = readWords(reader.take(2 * wordCount));
  const levels = await tables.decode(
    reader.rest(),
    { elementCount, modulus, ...(previous === undefined ? {} : { previous }) },
    signal,
  );
  if (modulus > codebook.levelCount && levels.some((level) => level >= codebook.levelCount))
    throw corruptPackage('a level is above the level count of its codebook');
  return { levels, protectedWords };
}

function readWords(bytes: Uint8Array): Uint16Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Uint16Array.from({ length: bytes.length / 2 }, (_, i) => view.getUint16(2 * i, true));
}
