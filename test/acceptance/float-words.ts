/**
 * 16-bit floats as words, rounded to nearest, ties to even. Written here from IEEE 754 alone, to check downloads.
 */

const scratch = new DataView(new ArrayBuffer(8));

export function bf16Word(value: number): number {
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  const isNan = (bits & 0x7fffffff) > 0x7f800000;
  return isNan ? (bits >>> 16) | 0x40 : ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

export function f16Word(value: number): number {
  const sign = Object.is(Math.sign(value), -0) || value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  // Multiples of 2^-24 up to the smallest normal number, then eleven significant bits.
  const exponent = Math.max(-14, exponentOf(size));
  const unit = 2 ** (exponent - 10);
  const units = roundToEven(size / unit);
  return sign | (size < 2 ** -14 ? units : ((exponent + 15) << 10) + (units - 1024));
}

/** The exponent of a normal single-precision number; far below -14 for the others. */
function exponentOf(size: number): number {
  scratch.setFloat32(0, size);
  return (scratch.getUint32(0) >>> 23) - 127;
}

function roundToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}

export function wordBytes(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * words.length);
  words.forEach((word, at) => bytes.writeUInt16LE(word, 2 * at));
  return bytes;
}
