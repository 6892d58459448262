import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dtypeBytes, tensorBytes, type Dtype } from '../dtype.ts';
import { FirnError, type FirnErrorCode } from '../firn-error.ts';
import { parseSafetensorsHeader } from './parse-safetensors.ts';
import { buildSafetensorsHeader } from './safetensors-header.ts';
import { SafetensorsHeaderReader } from './safetensors-header-reader.ts';
import { defaultSafetensorsLimits } from './safetensors-limits.ts';

/** A header around any JSON text; the length field is right unless given. */
function header(json: string | Uint8Array, length?: bigint): Uint8Array {
  const text = Buffer.from(json);
  const bytes = Buffer.alloc(8 + text.length);
  bytes.writeBigUInt64LE(length ?? BigInt(text.length));
  text.copy(bytes, 8);
  return bytes;
}

const tensor = (name: string, dtype: string, shape: readonly unknown[], start: number, end: number): string =>
  `${JSON.stringify(name)}:{"dtype":"${dtype}","shape":[${shape.join(',')}],"data_offsets":[${start},${end}]}`;
const listing = (...tensors: string[]): Uint8Array => header(`{${tensors.join(',')}}`);

function codeOf(work: () => unknown): FirnErrorCode | 'accepted' {
  try {
    work();
    return 'accepted';
  } catch (err) {
    if (err instanceof FirnError) return err.code;
    throw err;
  }
}

describe('parseSafetensorsHeader accepts', () => {
  it('tensors in any order, sorted by offset, with the header byte for byte', () => {
    const bytes = header(
      `{"__metadata__":{"format":"pt"},${tensor('b', 'F16', [3], 8, 14)}, ${tensor('a', 'F32', [2, 1], 0, 8)}}   `,
    );
    const layout = parseSafetensorsHeader(bytes, bytes.length + 14);
    expect(layout.headerBytes).toEqual(bytes);
    expect(layout.sizeBytes).toBe(bytes.length + 14);
    expect(layout.metadata).toEqual({ format: 'pt' });
    expect(layout.tensors).toEqual([
      { name: 'a', dtype: 'F32', shape: [2, 1], elementCount: 2, startBytes: bytes.length, endBytes: bytes.length + 8 },
      {
        name: 'b',
        dtype: 'F16',
        shape: [3],
        elementCount: 3,
        startBytes: bytes.length + 8,
        endBytes: bytes.length + 14,
      },
    ]);
  });

  it('scalars, tensors without elements at any edge, and no tensor at all', () => {
    const layout = parseSafetensorsHeader(
      listing(
        tensor('last', 'F32', [0, 7], 12, 12),
        tensor('scalar', 'F64', [], 0, 8),
        tensor('first', 'I8', [0], 0, 0),
        tensor('middle', 'U8', [5, 0], 8, 8),
        tensor('four', 'BOOL', [4], 8, 12),
      ),
    );
    expect(layout.tensors.map(({ name, elementCount }) => [name, elementCount])).toEqual([
      ['first', 0],
      ['scalar', 1],
      ['middle', 0],
      ['four', 4],
      ['last', 0],
    ]);
    expect(parseSafetensorsHeader(header('{}'), 10).tensors).toEqual([]);
  });

  it('names JavaScript objects trip over, escapes and any script', () => {
    const names = ['__proto__', 'constructor', '1', '0', 'ünïcode.重み', 'a"b\\c/d', '😀', ''];
    const layout = parseSafetensorsHeader(listing(...names.map((name, i) => tensor(name, 'U8', [1], i, i + 1))));
    expect(layout.tensors.map(({ name }) => name)).toEqual(names);
    const escaped = parseSafetensorsHeader(
      header('{"\\ud83d\\ude00\\u0041\\/":{"shape":[],"data_offsets":[0,1],"dtype":"U\\u0038"}}'),
    );
    expect(escaped.tensors[0]).toMatchObject({ name: '😀A/', dtype: 'U8' });
    expect(Object.entries(parseSafetensorsHeader(header('{"__metadata__":{"__proto__":"x"}}')).metadata)).toEqual([
      ['__proto__', 'x'],
    ]);
  });

  it.each(Object.keys(dtypeBytes) as Dtype[])('dtype %s with its size', (dtype) => {
    expect(parseSafetensorsHeader(listing(tensor('t', dtype, [4], 0, tensorBytes(dtype, [4])))).tensors[0]!.dtype).toBe(
      dtype,
    );
  });

  it.each([
    ['F4', [3, 2], 3],
    ['F4', [], undefined],
    ['F4', [0], 0],
    ['F4', [3], undefined],
    ['F6_E2M3', [2, 2], 3],
    ['F6_E3M2', [8, 131_072], 786_432],
    ['F6_E3M2', [2], undefined],
  ] as const)(
    'numbers of %s %j, packed into %s bytes, or none where a byte is left unfilled',
    (dtype, shape, bytes) => {
      const read = () =>
        parseSafetensorsHeader(listing(tensor('t', dtype, shape, 0, bytes ?? Math.ceil(tensorBytes(dtype, shape)))));
      if (bytes === undefined) expect(codeOf(read)).toBe('tensor-size-mismatch');
      else expect(read().tensors[0]).toMatchObject({ dtype, shape, elementCount: bytes });
    },
  );
});

describe('parseSafetensorsHeader refuses', () => {
  const big = Number.MAX_SAFE_INTEGER;
  const pickle = Buffer.concat([
    Buffer.from([0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20]),
    Buffer.alloc(40),
  ]);
  const cases: readonly [what: string, bytes: Uint8Array, code: FirnErrorCode, fileBytes?: number][] = [
    ['a pickle', pickle, 'not-safetensors'],
    ['a zip archive', Buffer.from('PK\x03\x04\x00\x00\x00\x00\x00\x00archive/data.pkl'), 'not-safetensors'],
    ['a GGUF file', Buffer.from('GGUF\x03\x00\x00\x00\x01\x00\x00\x00'), 'not-safetensors'],
    ['a Git LFS pointer', Buffer.from('version https://git-lfs.github.com/spec/v1\n'), 'not-safetensors'],
    ['a header that does not start with "{"', header(' {}'), 'not-safetensors'],
    ['no bytes', Buffer.alloc(0), 'header-truncated'],
    ['eight bytes', Buffer.alloc(8), 'header-truncated'],
    ['a header longer than the bytes at hand', header('{}', 3n), 'header-truncated'],
    ['a header longer than the file', header('{}   ', 5n), 'header-truncated', 12],
    [
      'a header above the limit',
      header('{}', BigInt(defaultSafetensorsLimits.headerBytesMax) + 1n),
      'header-too-large',
    ],
    ['a header of 2^64 - 1 bytes', header('{}', 0xffffffffffffffffn), 'header-too-large'],
    ['a header of one byte', header('{', 1n), 'header-invalid'],
    ['a length of zero', header('{}', 0n), 'header-invalid'],
    ['JSON that stops', header('{"a":{"dtype":"F32","shape":[1]'), 'header-invalid'],
    ['a second value', header('{}{}'), 'header-invalid'],
    ['a newline as padding', header('{}\n'), 'header-invalid'],
    ['a zero byte as padding', header('{}\0'), 'header-invalid'],
    ['a trailing comma', header(`{${tensor('a', 'U8', [], 0, 1)},}`), 'header-invalid'],
    ['a comment', header('{/**/}'), 'header-invalid'],
    ['single quotes', header("{'a':1}"), 'header-invalid'],
    ['a tensor that is a number', header('{"a":1}'), 'header-invalid'],
    ['a tensor that is null', header('{"a":null}'), 'header-invalid'],
    ['deep nesting', header(`{"a":${'['.repeat(100_000)}`), 'header-invalid'],
    ['a missing dtype', header('{"a":{"shape":[],"data_offsets":[0,0]}}'), 'header-invalid'],
    ['a missing shape', header('{"a":{"dtype":"U8","data_offsets":[0,1]}}'), 'header-invalid'],
    ['missing offsets', header('{"a":{"dtype":"U8","shape":[]}}'), 'header-invalid'],
    ['an unknown field', header('{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1],"x":1}}'), 'header-invalid'],
    ['a field twice', header('{"a":{"dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1]}}'), 'header-invalid'],
    ['a dtype that is a number', header('{"a":{"dtype":8,"shape":[],"data_offsets":[0,1]}}'), 'header-invalid'],
    ['one offset', header('{"a":{"dtype":"U8","shape":[],"data_offsets":[0]}}'), 'header-invalid'],
    ['three offsets', header('{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1,1]}}'), 'header-invalid'],
    ['offsets backwards', listing(tensor('a', 'U8', [1], 1, 0)), 'header-invalid'],
    ['a negative dimension', listing(tensor('a', 'U8', [-1], 0, 1)), 'header-invalid'],
    ['a fractional dimension', listing(tensor('a', 'U8', ['1.0'], 0, 1)), 'header-invalid'],
    ['an exponent', listing(tensor('a', 'U8', ['1e0'], 0, 1)), 'header-invalid'],
    ['a leading zero', listing(tensor('a', 'U8', ['01'], 0, 1)), 'header-invalid'],
    ['a number above 2^53 - 1', listing(tensor('a', 'U8', ['9007199254740992'], 0, 1)), 'header-invalid'],
    ['a boolean dimension', listing(tensor('a', 'U8', [true], 0, 1)), 'header-invalid'],
    [
      'too many dimensions',
      listing(
        tensor(
          'a',
          'U8',
          Array.from({ length: 65 }, () => 1),
          0,
          1,
        ),
      ),
      'header-invalid',
    ],
    ['a name above the limit', listing(tensor('n'.repeat(1025), 'U8', [], 0, 1)), 'header-invalid'],
    ['a raw control character', header('{"a\n":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}'), 'header-invalid'],
    [
      'an escaped NUL in a name',
      header('{"a\\u0000":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}'),
      'header-invalid',
    ],
    ['half a surrogate pair', header('{"\\ud83d":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}'), 'header-invalid'],
    ['an unknown escape', header('{"\\x41":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}'), 'header-invalid'],
    ['a cut escape', header('{"\\u00"'), 'header-invalid'],
    ['a backslash at the end', header('{"a\\'), 'header-invalid'],
    ['invalid UTF-8', header(Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x7b, 0x7d, 0x7d])), 'header-invalid'],
    ['metadata that is not text', header('{"__metadata__":{"a":1}}'), 'header-invalid'],
    ['metadata that is a list', header('{"__metadata__":[]}'), 'header-invalid'],
    ['metadata twice', header('{"__metadata__":{},"__metadata__":{}}'), 'header-invalid'],
    ['a metadata key twice', header('{"__metadata__":{"a":"1","a":"2"}}'), 'header-invalid'],
    ['an unknown dtype', listing(tensor('a', 'F31', [], 0, 4)), 'dtype-unknown'],
    ['a dtype named like an object member', listing(tensor('a', 'toString', [], 0, 4)), 'dtype-unknown'],
    ['a tensor twice', listing(tensor('a', 'U8', [], 0, 1), tensor('a', 'U8', [], 1, 2)), 'tensor-duplicate'],
    [
      'a tensor twice in other spelling',
      header(`{${tensor('a', 'U8', [], 0, 1)},"\\u0061":{"dtype":"U8","shape":[],"data_offsets":[1,2]}}`),
      'tensor-duplicate',
    ],
    ['too few bytes for the shape', listing(tensor('a', 'F32', [2], 0, 4)), 'tensor-size-mismatch'],
    ['bytes for an empty shape', listing(tensor('a', 'F32', [0], 0, 4)), 'tensor-size-mismatch'],
    ['a shape that overflows to its size', listing(tensor('a', 'U8', [big, big, 4], 0, 4)), 'tensor-size-mismatch'],
    [
      'an empty shape with dimensions that overflow',
      listing(tensor('a', 'U8', [0, big, big], 0, 0)),
      'tensor-size-mismatch',
    ],
    ['tensors that overlap', listing(tensor('a', 'U8', [4], 0, 4), tensor('b', 'U8', [4], 3, 7)), 'tensor-overlap'],
    [
      'an empty tensor inside another',
      listing(tensor('a', 'U8', [4], 0, 4), tensor('b', 'U8', [0], 2, 2)),
      'tensor-overlap',
    ],
    ['the same bytes twice', listing(tensor('a', 'U8', [4], 0, 4), tensor('b', 'U8', [4], 0, 4)), 'tensor-overlap'],
    ['a gap between tensors', listing(tensor('a', 'U8', [4], 0, 4), tensor('b', 'U8', [4], 5, 9)), 'tensor-gap'],
    ['a gap before the first', listing(tensor('a', 'U8', [4], 1, 5)), 'tensor-gap'],
    ['bytes after the last tensor', header('{}'), 'tensor-gap', 11],
    [
      'data that end too early',
      header(`{${tensor('a', 'U8', [4], 0, 4)}}`),
      'length-mismatch',
      8 + Buffer.byteLength(`{${tensor('a', 'U8', [4], 0, 4)}}`) + 3,
    ],
    ['a file beyond 2^53 - 1 bytes', listing(tensor('a', 'U8', [big], 0, big)), 'header-invalid'],
  ];

  it.each(cases)('%s', (_what, bytes, code, fileBytes) => {
    expect(codeOf(() => parseSafetensorsHeader(bytes, fileBytes))).toBe(code);
  });

  it('more tensors than the limit', () => {
    const bytes = listing(...Array.from({ length: 4 }, (_, i) => tensor(`t${i}`, 'U8', [], i, i + 1)));
    expect(
      codeOf(() => parseSafetensorsHeader(bytes, undefined, { ...defaultSafetensorsLimits, tensorCountMax: 3 })),
    ).toBe('header-too-large');
  });

  it('a pickle in words that name it', () => {
    expect(() => parseSafetensorsHeader(pickle)).toThrow('not safetensors but a Python pickle');
  });
});

// ---- properties ----
const dtype = fc.constantFrom(...(Object.keys(dtypeBytes) as Dtype[]));
const planned = fc
  .uniqueArray(
    fc.record({
      name: fc.string({ unit: 'grapheme', maxLength: 12 }),
      dtype,
      shape: fc.array(fc.nat(5), { maxLength: 4 }),
    }),
    {
      selector: ({ name }) => name,
      maxLength: 12,
    },
  )
  .map((tensors) => tensors.filter(({ name }) => name !== '__metadata__' && !/[\u0000-\u001f\u007f]/.test(name)))
  .map((tensors) =>
    tensors.map(({ name, dtype, shape }) => ({
      name,
      dtype,
      shape: Number.isInteger(tensorBytes(dtype, shape)) ? shape : [...shape, 4],
    })),
  );

describe('built headers', () => {
  it('parse back to the same layout, in pieces of any size', () => {
    fc.assert(
      fc.property(
        planned,
        fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' }), { maxKeys: 3 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (tensors, metadata, cuts) => {
          const built = buildSafetensorsHeader(tensors, metadata);
          expect(built.headerBytes.length % 8).toBe(0);
          const parsed = parseSafetensorsHeader(built.headerBytes, built.sizeBytes);
          expect(parsed.tensors).toEqual(built.tensors);
          expect(Object.entries(parsed.metadata)).toEqual(Object.entries(metadata));
          const file = Buffer.concat([built.headerBytes, Buffer.alloc(built.sizeBytes - built.headerBytes.length)]);
          const reader = new SafetensorsHeaderReader(file.length);
          for (let at = 0, i = 0; at < file.length; i++) {
            const size = cuts[i % cuts.length]!;
            const piece = Buffer.from(file.subarray(at, at + size));
            const layout = reader.push(piece);
            piece.fill(0xff);
            at += size;
            expect(layout === undefined).toBe(at < built.headerBytes.length);
          }
          expect(reader.finish()).toEqual(parsed);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('keep the given order, names that look like integers included', () => {
    const layout = buildSafetensorsHeader([
      { name: '10', dtype: 'U8', shape: [2] },
      { name: '2', dtype: 'U8', shape: [1] },
      { name: '__proto__', dtype: 'F32', shape: [] },
    ]);
    expect(layout.tensors.map(({ name }) => name)).toEqual(['10', '2', '__proto__']);
    expect(parseSafetensorsHeader(layout.headerBytes, layout.sizeBytes).tensors).toEqual(layout.tensors);
  });
});

describe('any change of one byte', () => {
  it('is refused with a code or still describes a file that tiles', () => {
    const { headerBytes } = buildSafetensorsHeader(
      [
        { name: 'a', dtype: 'F32', shape: [2, 3] },
        { name: 'b', dtype: 'BF16', shape: [4] },
      ],
      { k: 'v' },
    );
    fc.assert(
      fc.property(fc.nat(headerBytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = Uint8Array.from(headerBytes);
        damaged[at]! ^= flip;
        if (codeOf(() => parseSafetensorsHeader(damaged)) !== 'accepted') return;
        const layout = parseSafetensorsHeader(damaged);
        let edge = layout.headerBytes.length;
        for (const entry of layout.tensors) {
          expect(entry.startBytes).toBe(edge);
          expect(entry.endBytes - entry.startBytes).toBe(entry.elementCount * dtypeBytes[entry.dtype]);
          edge = entry.endBytes;
        }
        expect(layout.sizeBytes).toBe(edge);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('SafetensorsHeaderReader', () => {
  it('refuses a stranger at its ninth byte', () => {
    const reader = new SafetensorsHeaderReader();
    expect(reader.push(Buffer.from([0x80, 0x02, 0, 0, 0, 0, 0, 0]))).toBeUndefined();
    expect(codeOf(() => reader.push(Buffer.from([0xf9])))).toBe('not-safetensors');
  });

  it('refuses a header longer than the file before the rest arrives', () => {
    const reader = new SafetensorsHeaderReader(1000);
    expect(codeOf(() => reader.push(header('{}', 993n)))).toBe('header-truncated');
  });

  it('does not allocate what a header announces', () => {
    const before = process.memoryUsage().arrayBuffers;
    const readers = Array.from({ length: 50 }, () => {
      const reader = new SafetensorsHeaderReader(1e12);
      reader.push(header('{"a":', 100_000_000n));
      return reader;
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000);
    expect(codeOf(() => readers[0]!.finish())).toBe('header-truncated');
  });
});
