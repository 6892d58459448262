import { describe, expect, it } from 'vitest';
import { withMoreRows, withPrefix } from './other-names.ts';

function fileOf(header: object, data: Buffer): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, data]);
}

function parse(file: Buffer) {
  const start = 8 + Number(file.readBigUInt64LE(0));
  return { header: JSON.parse(file.toString('utf8', 8, start)) as unknown, data: file.subarray(start) };
}

const f32 = Buffer.from(new Float32Array([1, 2, 3, 4, 5, 6]).buffer);
const bf16 = Buffer.from(new Uint16Array([0x3f80, 0x4000, 0x4040]).buffer);
const file = fileOf(
  {
    embed: { dtype: 'F32', shape: [3, 2], data_offsets: [0, 24] },
    bias: { dtype: 'BF16', shape: [3], data_offsets: [24, 30] },
  },
  Buffer.concat([f32, bf16]),
);

describe('forms of a fine-tune', () => {
  it('has other names and the same elements', () => {
    const { header, data } = parse(withPrefix(file, 'model.'));
    expect(header).toEqual({
      'model.embed': { dtype: 'F32', shape: [3, 2], data_offsets: [0, 24] },
      'model.bias': { dtype: 'BF16', shape: [3], data_offsets: [24, 30] },
    });
    expect(data).toEqual(Buffer.concat([f32, bf16]));
  });

  it('has new rows that are means of two, after the old ones', () => {
    const { header, data } = parse(withMoreRows(file, { rows: 3, added: 1 }));
    expect(header).toEqual({
      embed: { dtype: 'F32', shape: [4, 2], data_offsets: [0, 32] },
      bias: { dtype: 'BF16', shape: [4], data_offsets: [32, 40] },
    });
    const rows = Buffer.from(new Float32Array([2, 3]).buffer);
    const half = Buffer.from(new Uint16Array([0x3fc0]).buffer);
    expect(data).toEqual(Buffer.concat([f32, rows, bf16, half]));
  });

  it('refuses a number of rows that no tensor has, and too many new ones', () => {
    expect(() => withMoreRows(file, { rows: 5, added: 1 })).toThrow(RangeError);
    expect(() => withMoreRows(file, { rows: 3, added: 3 })).toThrow(RangeError);
  });
});
