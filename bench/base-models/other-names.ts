/** Forms of a fine-tune that its base model does not have: other names, and a larger vocabulary. */

interface HeaderEntry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

interface NamedTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Buffer;
}

/** A copy of a safetensors file with `prefix` before the name of every tensor; no other byte of a tensor changes. */
export function withPrefix(file: Buffer, prefix: string): Buffer {
  return writeTensors(readTensors(file).map((tensor) => ({ ...tensor, name: `${prefix}${tensor.name}` })));
}

/**
 * A copy of a safetensors file in which every tensor of F32 or BF16 whose first dimension is `rows` has `added` rows
 * more. Each new row is the mean of two neighbours among the first rows. Throws a RangeError if no tensor has as many
 * rows, or if there are too few of them for the new ones.
 */
export function withMoreRows(file: Buffer, { rows, added }: { readonly rows: number; readonly added: number }): Buffer {
  if (added >= rows) throw new RangeError(`${added} new rows need more than ${rows} rows`);
  const tensors = readTensors(file);
  const isGrown = ({ dtype, shape }: NamedTensor): boolean =>
    shape[0] === rows && (dtype === 'F32' || dtype === 'BF16');
  if (!tensors.some(isGrown)) throw new RangeError(`no tensor has ${rows} rows`);
  return writeTensors(
    tensors.map((tensor) =>
      isGrown(tensor)
        ? {
            ...tensor,
            shape: [rows + added, ...tensor.shape.slice(1)],
            bytes: Buffer.concat([tensor.bytes, newRows(tensor, rows, added)]),
          }
        : tensor,
    ),
  );
}

/** Rows that are means of rows i and i + 1, for each i below `added`; BF16 is cut, not rounded. */
function newRows({ dtype, bytes }: NamedTensor, rows: number, added: number): Buffer {
  const width = dtype === 'F32' ? 4 : 2;
  const perRow = bytes.length / rows / width;
  const scratch = Buffer.alloc(4);
  const numberAt = (element: number): number => {
    if (width === 4) return bytes.readFloatLE(element * 4);
    scratch.writeUInt32LE(bytes.readUInt16LE(element * 2) * 65_536);
    return scratch.readFloatLE(0);
  };
  const out = Buffer.alloc(added * perRow * width);
  for (let element = 0; element < added * perRow; element++) {
    scratch.writeFloatLE((numberAt(element) + numberAt(element + perRow)) / 2);
    scratch.copy(out, element * width, 4 - width);
  }
  return out;
}

function readTensors(file: Buffer): NamedTensor[] {
  const start = 8 + Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, start)) as Record<string, HeaderEntry>;
  return Object.entries(header)
    .filter(([name]) => name !== '__metadata__')
    .map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [from, to],
        },
      ]) => ({
        name,
        dtype,
        shape,
        bytes: file.subarray(start + from, start + to),
      }),
    );
}

function writeTensors(tensors: readonly NamedTensor[]): Buffer {
  let at = 0;
  const entries = tensors.map(({ name, dtype, shape, bytes }): [string, HeaderEntry] => [
    name,
    { dtype, shape, data_offsets: [at, (at += bytes.length)] },
  ]);
  const json = JSON.stringify(Object.fromEntries(entries));
  const header = Buffer.from(json.padEnd(Math.ceil(json.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, ...tensors.map(({ bytes }) => bytes)]);
}
