/** One tensor of a file; its bytes are little-endian elements. */
export interface FileTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Bytes of the length field in front of a header. */
export const lengthFieldBytes = 8;

export interface FileShape {
  readonly metadata?: Readonly<Record<string, string>>;
  /** Spaces after the JSON, which the format allows. */
  readonly padding?: number;
}

/** A safetensors file with the tensors one after another, in the given order. */
export function safetensorsFile(
  tensors: Readonly<Record<string, FileTensor>>,
  { metadata, padding = 0 }: FileShape = {},
): Buffer {
  let edge = 0;
  const entries = Object.entries(tensors).map(([name, { dtype, shape, bytes }]) => {
    const offsets = [edge, (edge += bytes.length)];
    return [name, { dtype, shape, data_offsets: offsets }] as const;
  });
  const header = Object.fromEntries([
    ...(metadata === undefined ? [] : [['__metadata__', metadata] as const]),
    ...entries,
  ]);
  return fileOfHeader(
    JSON.stringify(header) + ' '.repeat(padding),
    Buffer.concat(Object.values(tensors).map(({ bytes }) => bytes)),
  );
}

/** A file with any header text, even an invalid one. `announcedBytes` is the value of the length field. */
export function fileOfHeader(
  header: string,
  data: Uint8Array,
  announcedBytes: number | bigint = Buffer.byteLength(header),
): Buffer {
  const length = Buffer.alloc(lengthFieldBytes);
  length.writeBigUInt64LE(BigInt(announcedBytes));
  return Buffer.concat([length, Buffer.from(header), data]);
}

/** Length field and header of a file. */
export function headerOf(file: Buffer): Buffer {
  return file.subarray(0, lengthFieldBytes + Number(file.readBigUInt64LE(0)));
}

/** The tensors of a file by name. Trusts the file; tests compare bytes to check it. */
export function tensorsOf(file: Buffer): Map<string, FileTensor> {
  const header = headerOf(file);
  const entries = JSON.parse(header.subarray(lengthFieldBytes).toString()) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const data = file.subarray(header.length);
  return new Map(
    Object.entries(entries)
      .filter(([name]) => name !== '__metadata__')
      .map(
        ([
          name,
          {
            dtype,
            shape,
            data_offsets: [start, end],
          },
        ]) => [name, { dtype, shape, bytes: data.subarray(start, end) }],
      ),
  );
}

export function f32Tensor(shape: readonly number[], values: ArrayLike<number>): FileTensor {
  return { dtype: 'F32', shape, bytes: bytesOf(Float32Array.from(values)) };
}

export function i64Tensor(shape: readonly number[], values: ArrayLike<number>): FileTensor {
  return { dtype: 'I64', shape, bytes: bytesOf(BigInt64Array.from(Array.from(values), BigInt)) };
}

/** The elements of an F32 tensor. */
export function floatsOf({ bytes }: FileTensor): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}

function bytesOf(array: Float32Array | BigInt64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
