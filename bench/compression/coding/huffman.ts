import { BitReader } from './bit-reader.ts';
import { BitWriter } from './bit-writer.ts';

/** Bits of a code length in a stored table. */
const lengthBits = 5;
/**
 * Longest code that `lengthBits` can store. Even Fibonacci-like counts of 2^31 elements stay far below a depth of 32;
 * longer codes are refused.
 */
const codeLengthMax = 31;

/** Number of occurrences of each whole number. */
export function countSymbols(symbols: ArrayLike<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (let i = 0; i < symbols.length; i += 1) counts.set(symbols[i]!, (counts.get(symbols[i]!) ?? 0) + 1);
  return counts;
}

/**
 * Lengths of an optimal prefix code (Huffman 1952) by symbol; a single symbol takes no bits. Ties are broken by symbol,
 * so that the same counts give the same code.
 */
export function codeLengths(counts: ReadonlyMap<number, number>): Map<number, number> {
  const symbols = [...counts.keys()].sort((a, b) => a - b);
  const nodes = symbols.map((symbol) => ({ weight: counts.get(symbol)!, members: [symbol] }));
  const lengths = new Map(symbols.map((symbol) => [symbol, 0]));
  // Two queues: leaves by weight, and joined nodes, which arise in order of weight.
  const leaves = nodes.sort((a, b) => a.weight - b.weight);
  const joined: typeof nodes = [];
  let [leaf, join] = [0, 0];
  const lightest = () =>
    join >= joined.length || (leaf < leaves.length && leaves[leaf]!.weight <= joined[join]!.weight)
      ? leaves[leaf++]!
      : joined[join++]!;
  for (let left = symbols.length; left > 1; left -= 1) {
    const [a, b] = [lightest(), lightest()];
    const members = [...a.members, ...b.members];
    for (const symbol of members) lengths.set(symbol, lengths.get(symbol)! + 1);
    joined.push({ weight: a.weight + b.weight, members });
  }
  if ([...lengths.values()].some((length) => length > codeLengthMax))
    throw new RangeError('a code is longer than a table can say');
  return lengths;
}

/** Bits of symbols under their own optimal code, table included: the length of writeHuffman's output. */
export function huffmanBits(counts: ReadonlyMap<number, number>): number {
  const lengths = codeLengths(counts);
  let bits = tableBits(counts);
  for (const [symbol, count] of counts) bits += count * lengths.get(symbol)!;
  return bits;
}

/**
 * A table holds the number of symbols, and for each in rising order the difference to the previous symbol and the
 * length of its code.
 */
function tableBits(counts: ReadonlyMap<number, number>): number {
  const writer = new BitWriter();
  writeTable(writer, codeLengths(counts));
  return writer.writtenBits;
}

/** Writes a table and the symbols, any whole numbers. The reader must know their number. */
export function writeHuffman(writer: BitWriter, symbols: ArrayLike<number>): void {
  const lengths = codeLengths(countSymbols(symbols));
  writeTable(writer, lengths);
  const codes = canonicalCodes(lengths);
  for (let i = 0; i < symbols.length; i += 1) {
    const { code, length } = codes.get(symbols[i]!)!;
    writer.bits(code, length);
  }
}

export function readHuffman(reader: BitReader, symbolCount: number): Int32Array {
  const symbols = new Int32Array(symbolCount);
  const lengths = readTable(reader);
  if (lengths.size === 1) return symbols.fill([...lengths.keys()][0]!);
  const byCode = new Map<number, number>();
  for (const [symbol, { code, length }] of canonicalCodes(lengths)) byCode.set(keyOf(code, length), symbol);
  for (let i = 0; i < symbolCount; i += 1) {
    let [code, length] = [0, 0];
    let symbol: number | undefined;
    while (symbol === undefined) {
      code = code * 2 + reader.bit();
      length += 1;
      if (length > codeLengthMax) throw new RangeError('no symbol has this code');
      symbol = byCode.get(keyOf(code, length));
    }
    symbols[i] = symbol;
  }
  return symbols;
}

function keyOf(code: number, length: number): number {
  return length * 2 ** 32 + code;
}

function canonicalCodes(lengths: ReadonlyMap<number, number>): Map<number, { code: number; length: number }> {
  const ordered = [...lengths].sort(([a, lengthA], [b, lengthB]) => lengthA - lengthB || a - b);
  const codes = new Map<number, { code: number; length: number }>();
  let [code, before] = [0, ordered[0]?.[1] ?? 0];
  for (const [symbol, length] of ordered) {
    code *= 2 ** (length - before);
    before = length;
    codes.set(symbol, { code, length });
    code += 1;
  }
  return codes;
}

function writeTable(writer: BitWriter, lengths: ReadonlyMap<number, number>): void {
  writer.varint(lengths.size);
  let before = 0;
  for (const [symbol, length] of [...lengths].sort(([a], [b]) => a - b)) {
    const step = symbol - before;
    writer.varint(step < 0 ? -2 * step - 1 : 2 * step);
    writer.bits(length, lengthBits);
    before = symbol;
  }
}

function readTable(reader: BitReader): Map<number, number> {
  const lengths = new Map<number, number>();
  let symbol = 0;
  for (let left = reader.varint(); left > 0; left -= 1) {
    const step = reader.varint();
    symbol += step % 2 === 1 ? -(step + 1) / 2 : step / 2;
    lengths.set(symbol, reader.bits(lengthBits));
  }
  return lengths;
}
