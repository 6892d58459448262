import { unzigzag, type ByteReader } from '../byte-reader.ts';
import { zigzag, type ByteWriter } from '../byte-writer.ts';
import { namesakesIn } from '../blocks/namesakes.ts';
import { corruptPackage } from '../corrupt-package.ts';
import { contextTablesBytesMax } from '../format-limits.ts';
import type { ResidualCoding, SafetensorsContent } from '../package-index.ts';
import {
  exponentMax,
  exponentMin,
  gainMax,
  originMax,
  shiftMax,
  stepCodeMax,
  stepScaleMax,
  unitGain,
  type ResidualTensor,
  type StepScales,
} from '../residual-tensor.ts';

type Content = Pick<SafetensorsContent, 'layout' | 'codings' | 'residuals' | 'namesakes'>;

/** The ancestor's file of the same path, and its number. */
export interface ContentBefore {
  readonly content: Pick<SafetensorsContent, 'layout' | 'residuals'>;
  readonly file: number;
}

/** Writes the data shared by residual tensors (docs/format.md, "Residual coding"); empty if there are none. */
export function writeResidualCoding(writer: ByteWriter, coding: ResidualCoding | undefined): void {
  writer.varint(coding?.tables.length ?? 0);
  if (coding === undefined) return;
  writer.append(coding.tables);
  writeStepScales(writer, coding.scales);
}

export function writeStepScales(writer: ByteWriter, { vectors, matrices }: StepScales): void {
  writer.varint(zigzag(vectors)).varint(zigzag(matrices));
}

/** Reads the output of `writeResidualCoding`. Throws `corrupt-package`. */
export function readResidualCoding(reader: ByteReader): ResidualCoding | undefined {
  const tables = readContextTables(reader);
  return tables === undefined ? undefined : { tables, scales: readStepScales(reader) };
}

/** Undefined if there are none. Throws `corrupt-package`. */
export function readContextTables(reader: ByteReader): Uint8Array | undefined {
  const length = reader.varint(
    Math.min(contextTablesBytesMax, reader.remainingBytes),
    'the length of the context tables',
  );
  return length === 0 ? undefined : reader.take(length);
}

/** Throws `corrupt-package`. */
export function readStepScales(reader: ByteReader): StepScales {
  const scale = (): number => unzigzag(reader.varint(2 * stepScaleMax, 'a step scale'));
  return { vectors: scale(), matrices: scale() };
}

/**
 * Writes one record per residual tensor of a file, field by field over all of them (docs/format.md, "Residual
 * tensors"). A record is coded against that of its namesake in the ancestor, if there is one, so unchanged fields are
 * zero bytes for deflate.
 */
export function writeResidualTensors(writer: ByteWriter, content: Content, before: ContentBefore | undefined): void {
  const records = [...pairs(content, before)].map(({ tensor, reference }) => ({
    record: content.residuals!.get(tensor)!,
    reference,
  }));
  for (const { record, reference } of records)
    writer.varint(reference === undefined ? zigzag(record.exponent) : record.shift);
  for (const { record, reference } of records) if (reference === undefined) writer.varint(zigzag(record.origin));
  for (const { record, reference } of records) writer.varint(zigzag(record.stepCode - (reference?.stepCode ?? 0)));
  for (const { record } of records) writer.u8((record.offsets[0] & 15) | ((record.offsets[1] & 15) << 4));
  for (const { record, reference } of records) writer.varint(zigzag(record.gain - (reference?.gain ?? unitGain)));
}

/** Reads the output of `writeResidualTensors`, by tensor number. Throws `corrupt-package`. */
export function readResidualTensors(
  reader: ByteReader,
  content: Content,
  before: ContentBefore | undefined,
): ReadonlyMap<number, ResidualTensor> {
  const tensors = [...pairs(content, before)];
  const units = tensors.map(({ reference }) => readUnit(reader, reference));
  const origins = tensors.map(({ reference }, i) => readOrigin(reader, reference, units[i]!.shift));
  const stepCodes = tensors.map(({ reference }) =>
    within(readSigned(reader, 2 * stepCodeMax, reference?.stepCode ?? 0), 0, stepCodeMax, 'a step'),
  );
  const offsets = tensors.map(() => readOffsets(reader));
  const gains = tensors.map(({ reference }) =>
    within(readSigned(reader, 2 * gainMax, reference?.gain ?? unitGain), 0, gainMax, 'a gain'),
  );
  return new Map(
    tensors.map(({ tensor }, i) => [
      tensor,
      { ...units[i]!, origin: origins[i]!, stepCode: stepCodes[i]!, offsets: offsets[i]!, gain: gains[i]! },
    ]),
  );
}

/** The residual tensors of a file in order, each with the record of its namesake in the ancestor. */
function* pairs(
  content: Content,
  before: ContentBefore | undefined,
): Generator<{ tensor: number; reference: ResidualTensor | undefined }> {
  const namesakeOf = before && namesakesIn(content, { layout: before.content.layout, file: before.file });
  for (const [tensor, coding] of content.codings.entries()) {
    if (coding.kind !== 'residual') continue;
    const there = namesakeOf?.(tensor);
    yield { tensor, reference: there === undefined ? undefined : before?.content.residuals?.get(there) };
  }
}

function readUnit(
  reader: ByteReader,
  reference: ResidualTensor | undefined,
): Pick<ResidualTensor, 'exponent' | 'shift'> {
  if (reference === undefined) {
    return {
      exponent: within(readSigned(reader, 2 * -exponentMin, 0), exponentMin, exponentMax, 'the exponent of a unit'),
      shift: 0,
    };
  }
  const shift = reader.varint(shiftMax, 'a shift');
  return { exponent: within(reference.exponent - shift, exponentMin, exponentMax, 'the exponent of a unit'), shift };
}

function readOrigin(reader: ByteReader, reference: ResidualTensor | undefined, shift: number): number {
  const origin = reference === undefined ? readSigned(reader, 2 * originMax, 0) : reference.origin * 2 ** shift;
  return within(origin, -originMax, originMax, 'an origin');
}

function readOffsets(reader: ByteReader): readonly [number, number] {
  const byte = reader.u8();
  const signed = (nibble: number): number => (nibble ^ 8) - 8;
  return [signed(byte & 15), signed(byte >> 4)];
}

function readSigned(reader: ByteReader, zigzagMax: number, from: number): number {
  return from + unzigzag(reader.varint(zigzagMax, 'a field of a residual tensor'));
}

function within(value: number, min: number, max: number, what: string): number {
  if (value < min || value > max) throw corruptPackage(`${what} is not in ${min}..${max}`);
  return value;
}
