import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FirnError, type FirnErrorCode } from '../checkpoint/firn-error.ts';
import { buildSafetensorsHeader, type PlannedTensor } from '../checkpoint/safetensors/safetensors-header.ts';
import { ByteWriter } from './byte-writer.ts';
import { decodePackageIndex, readAncestorId } from './index/decode-index.ts';
import { encodePackageIndex } from './index/encode-index.ts';
import { prefixBytes } from './package-frame.ts';
import type { BlockEntry, PackageCodebook, PackageFile, PackageIndex, TensorCoding } from './package-index.ts';
import { planFile } from './blocks/plan-file.ts';

const id = (n: number): string => n.toString(16).padStart(32, '0');
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

const linear: PackageCodebook = {
  layerType: 'linear',
  dtype: 'F32',
  levelCount: 5,
  table: f32(-1, 0.5, 2, 0, 0),
  prunedLevel: 3,
  protectedLevel: 4,
  tableSet: 0,
};
const embedding: PackageCodebook = {
  layerType: 'embedding',
  dtype: 'F32',
  levelCount: 2,
  table: f32(-1, 3),
  tableSet: 0,
};

function f32(...values: number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(values).buffer);
}

/** A small transformer's tensors, in the names and shapes of a real one. */
function gptTensors(layers: number): PlannedTensor[] {
  const tensors: PlannedTensor[] = [
    { name: 'wte.weight', dtype: 'F32', shape: [1024, 96] },
    { name: 'wpe.weight', dtype: 'F32', shape: [128, 96] },
  ];
  for (let i = 0; i < layers; i++) {
    for (const [part, shape] of [
      ['attn.qkv', [288, 96]],
      ['attn.proj', [96, 96]],
      ['mlp.fc', [384, 96]],
      ['mlp.proj', [96, 384]],
    ] as const) {
      tensors.push(
        { name: `h.${i}.${part}.weight`, dtype: 'F32', shape },
        { name: `h.${i}.${part}.bias`, dtype: 'F32', shape: [shape[0]] },
      );
    }
    tensors.push(
      { name: `h.${i}.ln1.weight`, dtype: 'F32', shape: [96] },
      { name: `h.${i}.ln1.bias`, dtype: 'F32', shape: [96] },
    );
  }
  return tensors;
}

function gptFile(
  step: number,
  codebookNumbers = { linear: 0, embedding: 1 },
): Omit<PackageFile, 'content'> & {
  content: { type: 'safetensors'; layout: ReturnType<typeof buildSafetensorsHeader>; codings: TensorCoding[] };
} {
  const layout = buildSafetensorsHeader(gptTensors(3), { format: 'pt', step: String(step), index: String(step / 70) });
  const codings = layout.tensors.map(({ name, shape }): TensorCoding => {
    if (name.startsWith('w')) return { kind: 'levels', codebook: codebookNumbers.embedding };
    if (shape.length === 2) return { kind: 'levels', codebook: codebookNumbers.linear };
    return { kind: 'exact', layerType: name.includes('ln') ? 'norm' : 'bias' };
  });
  return {
    path: 'model.safetensors',
    sizeBytes: layout.sizeBytes,
    sha256: sha(`model ${step}`),
    content: { type: 'safetensors', layout, codings },
  };
}

/** Gives every planned block an entry, payload after payload. */
function withEntries(
  files: readonly (Omit<PackageFile, 'content'> & { content: Parameters<typeof planFile>[0]['content'] })[],
): PackageFile[] {
  let offsetBytes = prefixBytes;
  return files.map((file): PackageFile => {
    if (file.content.type === 'external') return { ...file, content: file.content };
    const blocks = planFile(file)!.blocks.map((block, i): BlockEntry => {
      const entry = {
        offsetBytes,
        lengthBytes: 1 + (block.elementCount % 1000),
        crc32c: Number.parseInt(sha(`${file.path} ${i} ${offsetBytes}`).slice(0, 8), 16),
      };
      offsetBytes += entry.lengthBytes;
      return entry;
    });
    return { ...file, content: { ...file.content, blocks } };
  });
}

function baseIndex(): PackageIndex {
  const blob = { path: 'sub/tökens.json', sizeBytes: 300_000, sha256: sha('blob'), content: { type: 'blob' } } as const;
  const raw = { path: 'optimizer.bin', sizeBytes: 2 ** 40, sha256: sha('raw'), content: { type: 'external' } } as const;
  return {
    formatVersion: 1,
    id: id(1),
    kind: 'base',
    codebooks: [linear, embedding],
    tableSets: [Uint8Array.of(1, 2, 3)],
    files: withEntries([gptFile(1260), blob, raw]),
  };
}

function deltaIndex(): PackageIndex {
  return {
    formatVersion: 1,
    id: id(2),
    kind: 'delta',
    ancestorId: id(1),
    codebooks: [{ ...embedding, tableSet: 1 }, linear],
    tableSets: [new Uint8Array(0), Uint8Array.of(9)],
    files: withEntries([
      gptFile(1330, { linear: 1, embedding: 0 }),
      { path: 'new.txt', sizeBytes: 0, sha256: sha(''), content: { type: 'blob' } },
    ]),
  };
}

function codeOf(work: () => unknown): FirnErrorCode | 'accepted' {
  try {
    work();
    return 'accepted';
  } catch (error) {
    if (error instanceof FirnError) return error.code;
    throw error;
  }
}

describe('the package index', () => {
  it('comes back as it went in: base and delta, codebooks in another order, blobs, external files', () => {
    const base = baseIndex();
    const stored = encodePackageIndex(base);
    expect(readAncestorId(stored)).toBeUndefined();
    expect(decodePackageIndex(stored, { formatVersion: 1, id: id(1) })).toEqual(base);
    const delta = encodePackageIndex(deltaIndex(), base);
    expect(readAncestorId(delta)).toBe(id(1));
    expect(decodePackageIndex(delta, { formatVersion: 1, id: id(2), ancestor: base })).toEqual(deltaIndex());
  });

  it('costs a delta little besides its new parts: digest, centroids, checksums', () => {
    const base = baseIndex();
    const delta: PackageIndex = { ...deltaIndex(), files: withEntries([gptFile(1330, { linear: 1, embedding: 0 })]) };
    const blocks = delta.files[0]!.content.type === 'safetensors' ? delta.files[0]!.content.blocks.length : 0;
    // Ancestor id, digest, centroids, and at most seven bytes a block; the header's change and everything else in 48.
    expect(encodePackageIndex(delta, base).length).toBeLessThanOrEqual(16 + 32 + 5 * 4 + 7 * blocks + 48);
    expect(encodePackageIndex({ ...base, files: withEntries([gptFile(1260)]) }).length).toBeLessThan(700);
  });

  it('rebuilds headers far above the deflate window from their ancestor', () => {
    const wide = (step: string): PackageFile[] => {
      const layout = buildSafetensorsHeader(
        Array.from({ length: 4000 }, (_, i) => ({ name: `model.layers.${i}.weight`, dtype: 'U8', shape: [1] })),
        { step },
      );
      return withEntries([
        {
          path: 'a',
          sizeBytes: layout.sizeBytes,
          sha256: sha(step),
          content: {
            type: 'safetensors',
            layout,
            codings: layout.tensors.map(() => ({ kind: 'exact', layerType: 'buffer' })),
          },
        },
      ]);
    };
    const base: PackageIndex = {
      formatVersion: 1,
      id: id(1),
      kind: 'base',
      codebooks: [],
      tableSets: [],
      files: wide('99'),
    };
    const delta: PackageIndex = { ...base, id: id(2), kind: 'delta', ancestorId: id(1), files: wide('100') };
    const stored = encodePackageIndex(delta, base);
    expect(
      base.files[0]!.content.type === 'safetensors' && base.files[0]!.content.layout.headerBytes.length,
    ).toBeGreaterThan(200_000);
    expect(stored.length).toBeLessThan(110);
    expect(decodePackageIndex(stored, { formatVersion: 1, id: id(2), ancestor: base })).toEqual(delta);
  });

  it('is refused with another ancestor than its own, or none', () => {
    const base = baseIndex();
    const delta = encodePackageIndex(deltaIndex(), base);
    expect(codeOf(() => decodePackageIndex(delta, { formatVersion: 1, id: id(2) }))).toBe('corrupt-package');
    expect(
      codeOf(() => decodePackageIndex(delta, { formatVersion: 1, id: id(2), ancestor: { ...base, id: id(3) } })),
    ).toBe('corrupt-package');
    expect(
      codeOf(() => decodePackageIndex(encodePackageIndex(base), { formatVersion: 1, id: id(1), ancestor: base })),
    ).toBe('corrupt-package');
    expect(
      codeOf(() => decodePackageIndex(delta, { formatVersion: 1, id: id(2), ancestor: { ...base, files: [] } })),
    ).toBe('corrupt-package');
  });

  it('refuses to be written wrongly', () => {
    const base = baseIndex();
    const wrong: [PackageIndex, PackageIndex?][] = [
      [deltaIndex()],
      [base, base],
      [{ ...base, codebooks: [{ ...linear, prunedLevel: 1 }, embedding] }],
      [{ ...base, codebooks: [{ ...linear, protectedLevel: 3 }, embedding] }],
      [{ ...base, codebooks: [{ ...linear, levelCount: 6 }, embedding] }],
      [{ ...base, codebooks: [{ ...linear, table: f32(1, 2, 3, 4, 0) }, embedding] }],
      [{ ...base, codebooks: Array.from({ length: 10 }, () => embedding) }],
      [{ ...base, tableSets: Array.from({ length: 3 }, () => new Uint8Array(1)) }],
    ];
    for (const [index, ancestor] of wrong) expect(codeOf(() => encodePackageIndex(index, ancestor))).toBe('internal');
  });
});

describe('a hostile index', () => {
  const plain = (write: (body: ByteWriter) => void): Uint8Array => {
    const writer = new ByteWriter().u8(0);
    write(writer);
    return writer.finish();
  };
  const header = (json: string): Uint8Array => {
    const deflated = deflateRawSync(Buffer.from(json));
    return new ByteWriter()
      .varint(0)
      .varint(0)
      .varint(0)
      .varint(json.length)
      .varint(deflated.length)
      .append(deflated)
      .finish();
  };
  const path = (name: string): Uint8Array => new ByteWriter().varint(name.length).append(Buffer.from(name)).finish();
  const oneFile = (kind: number, rest: Uint8Array, name = 'a'): Uint8Array =>
    plain((body) =>
      body.varint(0).varint(0).varint(1).u8(kind).append(path(name)).append(new Uint8Array(32)).append(rest),
    );
  const f32Tensor = (count: number): string =>
    `{"t":{"dtype":"F32","shape":[${count}],"data_offsets":[0,${count * 4}]}}`;
  const block = (length: number): Uint8Array => new ByteWriter().varint(length).u32(0).finish();
  const join = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts);
  const exactRun = Uint8Array.of(1, 4, 1);
  const zeros = (count: number): Uint8Array => new Uint8Array(count);

  it('accepts what the cases below start from', () => {
    expect(
      codeOf(() =>
        decodePackageIndex(oneFile(0, join(header(f32Tensor(3)), exactRun, block(13))), {
          formatVersion: 1,
          id: id(1),
        }),
      ),
    ).toBe('accepted');
    expect(
      codeOf(() => decodePackageIndex(oneFile(1, join(Uint8Array.of(9), block(10))), { formatVersion: 1, id: id(1) })),
    ).toBe('accepted');
    expect(
      codeOf(() =>
        decodePackageIndex(
          plain((body) => body.varint(0).varint(0).varint(0)),
          { formatVersion: 1, id: id(1) },
        ),
      ),
    ).toBe('accepted');
  });

  it.each<[string, Uint8Array]>([
    ['no bytes', zeros(0)],
    ['unknown flags', Uint8Array.of(4, 0, 0, 0)],
    ['an ancestor id cut short', Uint8Array.of(1, 0, 0)],
    ['a byte too many', plain((body) => body.varint(0).varint(0).varint(0).u8(0))],
    [
      'a number that is not in its shortest form',
      plain((body) => body.append(Uint8Array.of(0x80, 0x00)).varint(0).varint(0)),
    ],
    ['a number of a hundred bytes', plain((body) => body.append(zeros(100).fill(0xff)))],
    ['ten codebooks', plain((body) => body.varint(10).varint(0))],
    ['more table sets than codebooks', plain((body) => body.varint(0).varint(1).varint(0).varint(0))],
    [
      'a codebook of an unknown layer type',
      plain((body) => body.varint(1).varint(1).u8(3).varint(1).varint(0).append(zeros(4)).varint(0).varint(0)),
    ],
    [
      'a codebook of an unknown dtype',
      plain((body) => body.varint(1).varint(1).u8(12).varint(1).varint(0).append(zeros(4)).varint(0).varint(0)),
    ],
    [
      'a codebook with unknown flags',
      plain((body) => body.varint(1).varint(1).u8(64).varint(1).varint(0).append(zeros(4)).varint(0).varint(0)),
    ],
    [
      'a codebook without a centroid',
      plain((body) => body.varint(1).varint(1).u8(48).varint(2).varint(0).varint(0).varint(0)),
    ],
    [
      '257 levels',
      plain((body) =>
        body
          .varint(1)
          .varint(1)
          .u8(0)
          .varint(257)
          .varint(0)
          .append(zeros(257 * 4))
          .varint(0)
          .varint(0),
      ),
    ],
    [
      'a codebook without its table set',
      plain((body) => body.varint(1).varint(1).u8(0).varint(1).varint(1).append(zeros(4)).varint(0).varint(0)),
    ],
    [
      'two codebooks of one class',
      plain((body) =>
        body
          .varint(2)
          .varint(1)
          .u8(0)
          .varint(1)
          .varint(0)
          .append(zeros(4))
          .u8(0)
          .varint(1)
          .varint(0)
          .append(zeros(4))
          .varint(0)
          .varint(0),
      ),
    ],
    [
      'a table set longer than the index',
      plain((body) => body.varint(1).varint(1).u8(0).varint(1).varint(0).append(zeros(4)).varint(99).varint(0)),
    ],
    ['more files than allowed', plain((body) => body.varint(0).varint(0).varint(65_537))],
    ['an unknown kind of content', oneFile(3, zeros(1))],
    ['unknown bits of a kind', oneFile(8, zeros(1))],
    [
      'a path from an ancestor that is not there',
      plain((body) => body.varint(0).varint(0).varint(1).u8(5).varint(0).append(zeros(32)).varint(0)),
    ],
    ['a path upwards', oneFile(2, Uint8Array.of(1), '../a')],
    ['an absolute path', oneFile(2, Uint8Array.of(1), '/a')],
    ['an empty path', oneFile(2, Uint8Array.of(1), '')],
    [
      'a path that is not UTF-8',
      plain((body) => body.varint(0).varint(0).varint(1).u8(2).varint(1).u8(0xff).append(zeros(32)).varint(0)),
    ],
    [
      'two files of one path',
      plain((body) =>
        body
          .varint(0)
          .varint(0)
          .varint(2)
          .u8(2)
          .append(path('a'))
          .append(zeros(32))
          .varint(0)
          .u8(2)
          .append(path('a'))
          .append(zeros(32))
          .varint(0),
      ),
    ],
    ['a file of 2^53 bytes', oneFile(2, new ByteWriter().varint(2 ** 53).finish())],
    [
      'a blob with more blocks than the index has bytes',
      oneFile(
        1,
        new ByteWriter()
          .varint(2 ** 50)
          .append(block(1))
          .finish(),
      ),
    ],
    [
      'a tensor with more blocks than the index has bytes',
      oneFile(0, join(header(f32Tensor(2 ** 48)), exactRun, block(1))),
    ],
    ['an empty payload', oneFile(1, join(Uint8Array.of(9), block(0)))],
    ['a payload longer than its block can be', oneFile(1, join(Uint8Array.of(9), block(11)))],
    ['a block entry cut short', oneFile(1, Uint8Array.of(9, 1, 0, 0, 0))],
    ['a header that is not one', oneFile(0, join(header('{"t":1}'), exactRun, block(1)))],
    [
      'a header with a gap',
      oneFile(0, join(header('{"t":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}'), exactRun, block(1))),
    ],
    ['a header shared with an ancestor that is not there', oneFile(0, join(Uint8Array.of(0, 1, 0, 0), exactRun))],
    [
      'a header shorter than declared',
      oneFile(0, join(Uint8Array.of(0, 0, 0, 3, 4), deflateRawSync(Buffer.from('{}')), zeros(1))),
    ],
    [
      'a header longer than declared',
      oneFile(0, join(Uint8Array.of(0, 0, 0, 1, 4), deflateRawSync(Buffer.from('{}')), zeros(1))),
    ],
    [
      'a header of a terabyte',
      oneFile(
        0,
        new ByteWriter()
          .varint(0)
          .varint(0)
          .varint(0)
          .varint(2 ** 40)
          .varint(1)
          .u8(0)
          .finish(),
      ),
    ],
    [
      'a header with a terabyte of padding',
      oneFile(
        0,
        new ByteWriter()
          .varint(2 ** 40)
          .varint(0)
          .varint(0)
          .varint(0)
          .finish(),
      ),
    ],
    ['codings inherited from nowhere', oneFile(0, join(header(f32Tensor(3)), Uint8Array.of(0), block(13)))],
    [
      'coding runs for too few tensors',
      oneFile(
        0,
        join(
          header(
            '{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"b":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}',
          ),
          exactRun,
        ),
      ),
    ],
    ['coding runs for too many tensors', oneFile(0, join(header(f32Tensor(3)), Uint8Array.of(1, 4, 2), block(13)))],
    ['an empty coding run', oneFile(0, join(header(f32Tensor(3)), Uint8Array.of(1, 4, 0), block(13)))],
    ['an unknown codebook', oneFile(0, join(header(f32Tensor(3)), Uint8Array.of(1, 6, 1), block(3)))],
    [
      'a codebook of another dtype',
      plain((body) =>
        body
          .varint(1)
          .varint(1)
          .u8(4)
          .varint(1)
          .varint(0)
          .append(zeros(2))
          .varint(0)
          .varint(1)
          .u8(0)
          .append(path('a'))
          .append(zeros(32))
          .append(header(f32Tensor(3)))
          .append(Uint8Array.of(1, 6, 1))
          .append(block(3)),
      ),
    ],
    ['a body that inflates to more than it says', join(Uint8Array.of(2, 2), deflateRawSync(zeros(3)))],
    ['a body that inflates to less than it says', join(Uint8Array.of(2, 4), deflateRawSync(zeros(3)))],
    ['a body with bytes after its deflate stream', join(Uint8Array.of(2, 3), deflateRawSync(zeros(3)), zeros(1))],
    [
      'a body that inflates to a gigabyte',
      new ByteWriter()
        .u8(2)
        .varint(2 ** 30)
        .append(deflateRawSync(zeros(1000)))
        .finish(),
    ],
    ['a body that does not inflate', Uint8Array.of(2, 3, 0xff, 0xff, 0xff)],
  ])('is refused: %s', (_, bytes) => {
    expect(codeOf(() => decodePackageIndex(bytes, { formatVersion: 1, id: id(1) }))).toBe('corrupt-package');
  });

  it('never allocates what a bomb declares', () => {
    // 60 MB of zeros in 60 kB: one body declares its true length, and one a false length.
    const bomb = deflateRawSync(zeros(60_000_000));
    const before = process.memoryUsage().rss;
    for (const claimed of [60_000_000, 1000]) {
      expect(
        codeOf(() =>
          decodePackageIndex(new ByteWriter().u8(2).varint(claimed).append(bomb).finish(), {
            formatVersion: 1,
            id: id(1),
          }),
        ),
      ).toBe('corrupt-package');
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
  });

  it('bounds the headers of all files together', () => {
    const json = `{"__metadata__":{"x":"${'y'.repeat(50_000_000)}"}}`;
    const deflated = deflateRawSync(Buffer.from(json));
    const file = (name: string): Uint8Array =>
      new ByteWriter()
        .u8(0)
        .append(path(name))
        .append(zeros(32))
        .varint(0)
        .varint(0)
        .varint(0)
        .varint(json.length)
        .varint(deflated.length)
        .append(deflated)
        .varint(0)
        .finish();
    const bytes = plain((body) =>
      body.varint(0).varint(0).varint(3).append(file('a')).append(file('b')).append(file('c')),
    );
    expect(codeOf(() => decodePackageIndex(bytes, { formatVersion: 1, id: id(1) }))).toBe('corrupt-package');
  });
});
