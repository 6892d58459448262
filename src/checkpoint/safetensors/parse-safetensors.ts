import { isDtype, type Dtype } from '../dtype.ts';
import { FirnError } from '../firn-error.ts';
import { JsonScanner } from './json-scanner.ts';
import { orderTensors, type ListedTensor } from './order-tensors.ts';
import { quoteName } from '../words/quote-name.ts';
import type { SafetensorsLayout } from './safetensors-layout.ts';
import { defaultSafetensorsLimits, headerLengthBytes, type SafetensorsLimits } from './safetensors-limits.ts';
import { checkSafetensorsPrefix, truncated } from './safetensors-prefix.ts';

const metadataKey = '__metadata__';

/**
 * Reads a whole safetensors header (length field and JSON) into a checked layout. The layout refers to `headerBytes`,
 * so do not write to it afterwards. `fileBytes` is the file's size; by default, the size that the header describes.
 * Stricter than the reference implementation about ambiguous headers: duplicate keys, unknown fields, numbers that are
 * not plain integers, control characters in names. Throws `not-safetensors`, `header-truncated`, `header-too-large`,
 * `header-invalid`, `dtype-unknown`, `tensor-duplicate`, `tensor-size-mismatch`, `tensor-overlap`, `tensor-gap`,
 * `length-mismatch`. Runs on the caller's thread and takes as long as JSON.parse, some 25 ms a megabyte of header.
 * Source: the section "Format" of the safetensors README.
 */
export function parseSafetensorsHeader(
  headerBytes: Uint8Array,
  fileBytes?: number,
  limits: SafetensorsLimits = defaultSafetensorsLimits,
): SafetensorsLayout {
  const length = checkSafetensorsPrefix(headerBytes, fileBytes, limits);
  if (headerBytes.length < length) throw truncated();
  const header = headerBytes.subarray(0, length);
  const { listed, metadata } = readHeader(new JsonScanner(header, headerLengthBytes), limits);
  const tensors = orderTensors(listed, length, fileBytes === undefined ? undefined : fileBytes - length);
  return { headerBytes: header, sizeBytes: tensors.at(-1)?.endBytes ?? length, tensors, metadata };
}

function readHeader(
  scanner: JsonScanner,
  limits: SafetensorsLimits,
): { listed: ListedTensor[]; metadata: Record<string, string> } {
  const names = new Set<string>();
  const listed: ListedTensor[] = [];
  let metadata: Record<string, string> | undefined;
  scanner.members((name) => {
    if (name === metadataKey) {
      if (metadata !== undefined) scanner.fail('"__metadata__" appears twice');
      metadata = readMetadata(scanner);
      return;
    }
    if (names.has(name))
      throw new FirnError('tensor-duplicate', `Tensor ${quoteName(name)} appears twice in the safetensors header.`);
    if (names.size === limits.tensorCountMax)
      throw new FirnError(
        'header-too-large',
        `The safetensors header lists more than ${limits.tensorCountMax} tensors.`,
      );
    // Names become database text, URLs and log lines.
    if (/[\u0000-\u001f\u007f]/.test(name)) scanner.fail('a control character in a tensor name');
    names.add(name);
    listed.push(readTensor(scanner, name, limits));
  }, limits.nameLengthMax);
  scanner.end();
  return { listed, metadata: metadata ?? {} };
}

function readMetadata(scanner: JsonScanner): Record<string, string> {
  const entries = new Map<string, string>();
  scanner.members((key) => {
    if (entries.has(key)) scanner.fail(`metadata key ${quoteName(key)} appears twice`);
    entries.set(key, scanner.string());
  });
  return Object.fromEntries(entries);
}

function readTensor(scanner: JsonScanner, name: string, limits: SafetensorsLimits): ListedTensor {
  let dtype: Dtype | undefined;
  let shape: number[] | undefined;
  let offsets: [number, number] | undefined;
  scanner.members((field) => {
    if (field === 'dtype' && dtype === undefined) dtype = readDtype(scanner, name);
    else if (field === 'shape' && shape === undefined) shape = readIntegers(scanner, limits.rankMax);
    else if (field === 'data_offsets' && offsets === undefined) offsets = readOffsets(scanner);
    else scanner.fail(`field ${quoteName(field)} of tensor ${quoteName(name)} is unknown or appears twice`);
  });
  if (dtype === undefined || shape === undefined || offsets === undefined) {
    return scanner.fail(`tensor ${quoteName(name)} lacks "dtype", "shape" or "data_offsets"`);
  }
  return { name, dtype, shape, offsets };
}

function readDtype(scanner: JsonScanner, name: string): Dtype {
  const dtype = scanner.string();
  if (!isDtype(dtype))
    throw new FirnError('dtype-unknown', `Tensor ${quoteName(name)} has the unknown dtype ${quoteName(dtype)}.`);
  return dtype;
}

function readOffsets(scanner: JsonScanner): [number, number] {
  const [start, end] = readIntegers(scanner, 2);
  if (start === undefined || end === undefined || start > end)
    return scanner.fail('"data_offsets" is not a pair [start, end] with start <= end');
  return [start, end];
}

function readIntegers(scanner: JsonScanner, countMax: number): number[] {
  const values: number[] = [];
  scanner.elements(() => {
    if (values.length === countMax) scanner.fail(`an array has more than ${countMax} numbers`);
    values.push(scanner.integer());
  });
  return values;
}
