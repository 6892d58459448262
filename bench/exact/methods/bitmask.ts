import { requirePrevious, type ExactMethod } from '../exact-method.ts';

/** First byte of a file: its words unchanged, or a mask and the words that changed. */
const whole = 0;
const masked = 1;

/**
 * BitSnap's lossless half: packed bitmasks for model states of 16 bits (section 3.3, "Improved Bitmask Sparsification",
 * and algorithm 1). One bit per word says whether it differs from the previous checkpoint's, packed eight to a byte.
 * The changed words follow: n / 8 + 2 n_c bytes. If that is no gain (equation 2: from 15/16 changed on), all words are
 * stored. The new word is stored instead of the difference, because a difference of two floats is rounded and would not
 * restore it exactly. Padded once per file instead of once per tensor, in its favour.
 */
export const bitmask: ExactMethod = {
  name: 'bitmask (BitSnap)',
  encoder(current, previous) {
    const [words, before] = [wordsOf(current.bytes), wordsOf(requirePrevious(current, previous).bytes)];
    return () => encodeWords(words, before);
  },
  decoder(payloads, shape, previous) {
    const before = wordsOf(requirePrevious(shape, previous).bytes);
    return { decode: () => [decodeWords(payloads, before)], rebuild: ([bytes]) => bytes! };
  },
};

function encodeWords(words: Uint16Array, before: Uint16Array): Uint8Array[] {
  const mask = new Uint8Array(Math.ceil(words.length / 8));
  const changed = new Uint16Array(words.length);
  let count = 0;
  for (let i = 0; i < words.length; i += 1) {
    if (words[i] === before[i]) continue;
    mask[i >>> 3]! |= 128 >>> (i & 7);
    changed[count] = words[i]!;
    count += 1;
  }
  if (mask.length + 2 * count >= 2 * words.length) return [Uint8Array.of(whole), bytesOf(words)];
  return [Uint8Array.of(masked), mask, bytesOf(changed.slice(0, count))];
}

function decodeWords([form, first, second]: readonly Uint8Array[], before: Uint16Array): Uint8Array {
  if (form![0] === whole) return first!.slice();
  const mask = first!;
  const changed = wordsOf(second!);
  const words = before.slice();
  let count = 0;
  for (let at = 0; at < mask.length; at += 1) {
    for (let bits = mask[at]!; bits !== 0;) {
      const bit = Math.clz32(bits) - 24;
      words[at * 8 + bit] = changed[count]!;
      count += 1;
      bits ^= 128 >>> bit;
    }
  }
  return bytesOf(words);
}

function wordsOf(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
}

function bytesOf(words: Uint16Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
