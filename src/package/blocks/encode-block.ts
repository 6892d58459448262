import type { ElementKind, EncodedLevels, NativeCore, TokenTables } from '../../native/core.ts';
import { ByteWriter } from '../byte-writer.ts';

/** Contents of a level block, and the levels it is coded against. */
export interface LevelsToEncode {
  readonly levels: Uint8Array;
  /** 16-bit words of the protected weights, in element order. */
  readonly protectedWords: Uint16Array;
  /** Levels of the matched block of the ancestor (`matchBlocks`); its codebook counts in `modulus`. */
  readonly previous?: Uint8Array | undefined;
  /** See `levelModulus`. */
  readonly modulus: number;
}

/**
 * The payload of a level block: protected words, then the token stream (docs/format.md, "Payloads"). Errors are those
 * of `TokenTables.encode`.
 */
export async function encodeLevelBlock(
  tables: TokenTables,
  block: LevelsToEncode,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const tokens = await tables.encode(
    {
      current: block.levels,
      modulus: block.modulus,
      ...(block.previous === undefined ? {} : { previous: block.previous }),
    },
    signal,
  );
  return levelPayload({ tokens, protectedWords: block.protectedWords });
}

/** The same from its parts. */
export function levelPayload({ tokens, protectedWords }: EncodedLevels): Uint8Array {
  const writer = new ByteWriter().varint(protectedWords.length);
  const words = new Uint8Array(protectedWords.length * 2);
  const view = new DataView(words.buffer);
  protectedWords.forEach((word, i) => view.setUint16(2 * i, word, true));
  return writer.append(words).append(tokens).finish();
}

/**
 * The payload of an exact block, alone or against the ancestor's bytes of the matched block, whichever is smaller.
 * Errors are those of `exactEncode`.
 */
export function encodeExactBlock(
  core: NativeCore,
  block: { readonly bytes: Uint8Array; readonly previous?: Uint8Array | undefined; readonly elementKind: ElementKind },
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const { bytes, previous, elementKind } = block;
  return core.exactEncode(
    { current: bytes, kind: elementKind, ...(previous === undefined ? {} : { previous }) },
    signal,
  );
}
