import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseSafetensorsHeader } from '../../checkpoint/safetensors/parse-safetensors.ts';
import { runFirn } from '../program/run-firn.test-support.ts';
import { parseNpy } from './arrays/parse-npy.ts';
import { parseNpz } from './arrays/parse-npz.ts';

const graph = fileURLToPath(new URL('../../../examples/lm-small/model.onnx', import.meta.url));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firn-make-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A file as numpy.save writes it. */
function npy(kind: string, shape: readonly number[], bytes: Uint8Array, order = 'False'): Buffer {
  const axes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${kind}', 'fortran_order': ${order}, 'shape': (${axes}), }`;
  const header = Buffer.from(`${text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11)}\n`);
  const length = Buffer.alloc(2);
  length.writeUInt16LE(header.length);
  return Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), length, header, bytes]);
}

/** A file as numpy.savez and numpy.savez_compressed write it, with extra bytes in the local headers. */
function npz(arrays: Readonly<Record<string, Buffer>>, isDeflated: boolean): Buffer {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [key, bytes] of Object.entries(arrays)) {
    const name = Buffer.from(`${key}.npy`);
    const packed = isDeflated ? deflateRawSync(bytes) : bytes;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isDeflated ? 8 : 0, 4);
    common.writeUInt32LE(crc32Of(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.from(common);
    local.writeUInt16LE(20, 24);
    files.push(Buffer.from('PK\x03\x04'), local, name, Buffer.alloc(20), packed);
    const offset = Buffer.alloc(14);
    offset.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), common, offset, name);
    at += 4 + 26 + name.length + 20 + packed.length;
  }
  const end = Buffer.alloc(18);
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  for (const offset of [4, 6]) end.writeUInt16LE(Object.keys(arrays).length, offset);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...files, ...directory, Buffer.from('PK\x05\x06'), end]);
}

/** The parser does not look at it; readers of the file by other programs would. */
const crc32Of = (bytes: Buffer): number => (typeof crc32 === 'function' ? crc32(bytes) : 0);

const numbers = (list: readonly number[]): Uint8Array => new Uint8Array(Float32Array.from(list).buffer);
const whole = (list: readonly number[]): Uint8Array => new Uint8Array(BigInt64Array.from(list.map(BigInt)).buffer);

describe('firn eval-set make', () => {
  test.each([false, true])('makes batches of numpy files, rows after rows (deflated: %s)', async (isDeflated) => {
    const row = Array.from({ length: 128 }, (_, at) => at);
    for (const part of [0, 1])
      writeFileSync(
        join(folder, `${part}.npz`),
        npz(
          { idx: npy('<i8', [1, 128], whole(row.map((id) => id + part))), labels: npy('<i8', [1, 128], whole(row)) },
          isDeflated,
        ),
      );
    const out = join(folder, 'eval.safetensors');
    const made = await runFirn('eval-set', 'make', graph, join(folder, '0.npz'), join(folder, '1.npz'), '--out', out);
    expect(made).toMatchObject({ code: 0, complained: [] });
    expect(made.said.join('\n')).toMatch(/idx: I64 \[2, 128\][^]*"kind":"cross-entropy"/);
    const bytes = readFileSync(out);
    const idx = parseSafetensorsHeader(bytes, bytes.length).tensors.find(({ name }) => name === 'idx')!;
    const ids = new BigInt64Array(Uint8Array.from(bytes.subarray(idx.startBytes, idx.endBytes)).buffer);
    expect([...ids]).toEqual([...row, ...row.map((id) => id + 1)].map(BigInt));
  });

  test.each<[string, Buffer, RegExp]>([
    ['a.npy', npy('>f4', [1], numbers([1])), /elements of >f4: save numbers/],
    ['a.npy', npy('<f4', [2, 1], numbers([1, 2]), 'True'), /Fortran order: save numpy.ascontiguousarray/],
    ['a.npy', npy('<f4', [3], numbers([1])), /4 bytes of numbers, which is not what its shape \[3\] takes/],
    ['a.npy', Buffer.from('no such file'), /is no \.npy file: write it with numpy\.save/],
    ['a.npz', Buffer.from('no such file'), /is no \.npz file that can be read/],
    ['a.txt', Buffer.from('1 2 3'), /is no \.npy and no \.npz file/],
  ])('refuses %s with what to do: %#', async (name, bytes, sentence) => {
    writeFileSync(join(folder, name), bytes);
    const { code, complained } = await runFirn(
      'eval-set',
      'make',
      graph,
      join(folder, name),
      '--out',
      join(folder, 'x'),
    );
    expect([code, complained]).toEqual([1, [expect.stringMatching(sentence)]]);
  });
});

const kinds = fc.constantFrom(['<f8', 8], ['<f4', 4], ['<f2', 2], ['<i8', 8], ['|u1', 1], ['|b1', 1]) as fc.Arbitrary<
  [string, number]
>;
const arrays = fc.tuple(kinds, fc.array(fc.nat(4), { maxLength: 4 })).chain(([[kind, bytes], shape]) => {
  const size = shape.reduce((product, each) => product * each, bytes);
  return fc.record({
    kind: fc.constant(kind),
    shape: fc.constant(shape),
    bytes: fc.uint8Array({ minLength: size, maxLength: size }),
  });
});

test('every array comes back as it was saved, alone and in a file of several', () => {
  fc.assert(
    fc.property(fc.array(arrays, { maxLength: 3 }), fc.boolean(), (list, isDeflated) => {
      const files = list.map(({ kind, shape, bytes }) => npy(kind, shape, bytes));
      const read = parseNpz(npz(Object.fromEntries(files.map((file, at) => [`a${at}`, file])), isDeflated), 'x.npz');
      for (const [at, { shape, bytes }] of list.entries()) {
        const array = read.get(`a${at}`)!;
        expect([array.shape, Buffer.from(array.bytes)]).toEqual([shape, Buffer.from(bytes)]);
        expect(parseNpy(files[at]!, 'x.npy').dtype).toBe(array.dtype);
      }
    }),
  );
});

test('any bytes are an array, or are refused in a sentence that names the file', () => {
  const valid = npz({ a: npy('<f4', [2], numbers([1, 2])) }, true);
  const damaged = fc.tuple(fc.nat(valid.length - 1), fc.nat(255)).map(([at, byte]) => {
    const bytes = Buffer.from(valid);
    bytes[at] = byte;
    return bytes;
  });
  fc.assert(
    fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 200 })), (bytes) => {
      for (const parse of [parseNpy, parseNpz])
        try {
          parse(bytes, 'x.np');
        } catch (error) {
          expect((error as Error).constructor).toBe(Error);
          expect((error as Error).message).toMatch(/^x\.np/);
        }
    }),
    { numRuns: 1000 },
  );
});
