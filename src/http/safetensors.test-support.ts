/** A safetensors file of float32 tensors, written from the format's description alone. */
export function safetensors(
  tensors: Readonly<Record<string, { shape: readonly number[]; values: readonly number[] }>>,
): Buffer {
  const header: Record<string, unknown> = {};
  const parts: Buffer[] = [];
  let offset = 0;
  for (const [name, { shape, values }] of Object.entries(tensors)) {
    const bytes = Buffer.from(Float32Array.from(values).buffer);
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + bytes.length] };
    parts.push(bytes);
    offset += bytes.length;
  }
  const text = JSON.stringify(header);
  const json = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, ...parts]);
}

/** `count` numbers that compress, different for each seed. */
export function ramp(count: number, seed: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.fround(((index * 31 + seed * 17) % 101) / 64 - 0.75));
}
