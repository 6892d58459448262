import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { buildSafetensorsHeader } from '../../checkpoint/safetensors/safetensors-header.ts';
import { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';
import { decodePackageIndex } from './decode-index.ts';
import { encodePackageIndex } from './encode-index.ts';
import type { PackageIndex, SafetensorsContent, TensorCoding } from '../package-index.ts';
import { planTensors } from '../blocks/plan-file.ts';
import { readResidualTensors, writeResidualTensors } from './residual-records.ts';
import {
  exponentMax,
  exponentMin,
  gainMax,
  offsetUnits,
  originMax,
  shiftMax,
  stepCodeMax,
  stepScaleMax,
  stepUnits,
  type ResidualTensor,
} from '../residual-tensor.ts';

const id = (digit: number): string => String(digit).repeat(32);

const record: fc.Arbitrary<ResidualTensor> = fc.record({
  exponent: fc.integer({ min: exponentMin + shiftMax, max: exponentMax }),
  origin: fc.integer({ min: -(2 ** 6), max: 2 ** 6 }),
  shift: fc.constant(0),
  stepCode: fc.integer({ min: 0, max: stepCodeMax }),
  offsets: fc.tuple(fc.integer({ min: -8, max: 7 }), fc.integer({ min: -8, max: 7 })),
  gain: fc.integer({ min: 0, max: gainMax }),
});

/** Tensors t0, t1, ... of which those with a record are residual. */
function content(records: readonly (ResidualTensor | undefined)[]): SafetensorsContent {
  const layout = buildSafetensorsHeader(
    records.map((_, i) => ({ name: `t${i}`, dtype: 'F32', shape: [3, i + 1] })),
    {},
  );
  const codings = records.map((each): TensorCoding =>
    each === undefined ? { kind: 'exact', layerType: 'norm' } : { kind: 'residual' },
  );
  const residuals = new Map(
    [...records.entries()].filter((entry): entry is [number, ResidualTensor] => entry[1] !== undefined),
  );
  const blocks = planTensors(layout, codings).blocks.map((_, i) => ({
    offsetBytes: 24 + i,
    lengthBytes: 1,
    crc32c: i,
  }));
  return { type: 'safetensors', layout, codings, residuals, blocks };
}

/** Possible later checkpoints: units refined by shifts, all other fields new. */
const chain = fc.array(
  fc.tuple(
    fc.option(record, { nil: undefined }),
    fc.option(record, { nil: undefined }),
    fc.integer({ min: 0, max: shiftMax }),
  ),
  {
    minLength: 1,
    maxLength: 12,
  },
);

function later(
  before: ResidualTensor | undefined,
  after: ResidualTensor | undefined,
  shift: number,
): ResidualTensor | undefined {
  if (before === undefined || after === undefined) return after;
  return { ...after, shift, exponent: before.exponent - shift, origin: before.origin * 2 ** shift };
}

function indexOf(
  digit: number,
  records: readonly (ResidualTensor | undefined)[],
  ancestor?: PackageIndex,
): PackageIndex {
  return {
    formatVersion: 2,
    id: id(digit),
    ...(ancestor === undefined ? { kind: 'base' } : { kind: 'delta', ancestorId: ancestor.id }),
    codebooks: [],
    tableSets: [],
    residual: { tables: Uint8Array.of(1, 2, 3), scales: { vectors: -stepScaleMax, matrices: stepScaleMax } },
    files: [
      { path: 'm', sizeBytes: content(records).layout.sizeBytes, sha256: 'ab'.repeat(32), content: content(records) },
    ],
  };
}

describe('residual tensors in an index', () => {
  test('come back as they went in, alone and against an ancestor', () => {
    fc.assert(
      fc.property(chain, (tensors) => {
        if (tensors.every(([before]) => before === undefined) || tensors.every(([, after]) => after === undefined))
          return;
        const first = indexOf(
          1,
          tensors.map(([before]) => before),
        );
        expect(decodePackageIndex(encodePackageIndex(first), { formatVersion: 2, id: id(1) })).toEqual(first);
        const second = indexOf(
          2,
          tensors.map(([before, after, shift]) => later(before, after, shift)),
          first,
        );
        expect(
          decodePackageIndex(encodePackageIndex(second, first), { formatVersion: 2, id: id(2), ancestor: first }),
        ).toEqual(second);
      }),
    );
  });

  test('that did not change cost a delta a few bytes however many there are', () => {
    const same = Array.from({ length: 500 }, (): ResidualTensor => ({
      exponent: -20,
      origin: 0,
      shift: 0,
      stepCode: 300,
      offsets: [0, 0],
      gain: 256,
    }));
    const written = (count: number): number => {
      const first = indexOf(1, same.slice(0, count));
      const second = indexOf(2, same.slice(0, count), first);
      return encodePackageIndex(second, first).length;
    };
    expect(written(500) - written(10)).toBeLessThan(20);
  });

  test('whatever the bytes: a record inside its ranges, or a corrupt package', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), record, fc.boolean(), (bytes, before, inherits) => {
        const file = content([record === undefined ? undefined : before]);
        try {
          const found = readResidualTensors(
            new ByteReader(bytes),
            file,
            inherits ? { content: file, file: 0 } : undefined,
          ).get(0)!;
          expect(found.exponent).toBeGreaterThanOrEqual(exponentMin);
          expect(found.exponent).toBeLessThanOrEqual(exponentMax);
          expect(Math.abs(found.origin)).toBeLessThanOrEqual(originMax);
          expect(found.stepCode).toBeLessThanOrEqual(stepCodeMax);
          expect(found.gain).toBeLessThanOrEqual(gainMax);
          const writer = new ByteWriter();
          writeResidualTensors(
            writer,
            { ...file, residuals: new Map([[0, found]]) },
            inherits ? { content: file, file: 0 } : undefined,
          );
          expect(Buffer.compare(writer.finish(), bytes.subarray(0, writer.lengthBytes))).toBe(0);
        } catch (error) {
          if (!(error instanceof FirnError) || error.code !== 'corrupt-package') throw error;
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('and context tables are there together or not at all', () => {
    const unchanged: ResidualTensor = { exponent: 0, origin: 0, shift: 0, stepCode: 1, offsets: [0, 0], gain: 0 };
    const { residual: _, ...withoutTables } = indexOf(1, [unchanged]);
    const withoutTensors = { ...indexOf(1, [undefined]), residual: indexOf(1, [unchanged]).residual! };
    for (const index of [withoutTables, withoutTensors])
      expect(() => decodePackageIndex(encodePackageIndex(index), { formatVersion: 2, id: id(1) })).toThrow(
        expect.objectContaining({ code: 'corrupt-package', detail: expect.stringContaining('context tables') }),
      );
  });

  test('version 1 has none', () => {
    const bytes = encodePackageIndex(
      indexOf(1, [{ exponent: 0, origin: 0, shift: 0, stepCode: 1, offsets: [0, 0], gain: 0 }]),
    );
    expect(() => decodePackageIndex(bytes, { formatVersion: 1, id: id(1) })).toThrow(
      expect.objectContaining({ code: 'corrupt-package' }),
    );
  });
});

describe('steps', () => {
  test('double every 32 codes, from 1 to below 2^16 units, and never shrink', () => {
    const steps = Array.from({ length: stepCodeMax + 1 }, (_, stepCode) => stepUnits({ stepCode }, 0));
    expect(steps[0]).toBe(1);
    expect(steps.at(-1)).toBeLessThan(65536);
    expect(steps.slice(1).every((step, i) => step >= steps[i]!)).toBe(true);
    for (const code of [160, 300, 450]) expect(steps[code + 32]! / steps[code]!).toBeCloseTo(2, 1);
    expect(stepUnits({ stepCode: 100 }, stepScaleMax)).toBe(steps.at(-1));
    expect(stepUnits({ stepCode: 100 }, -stepScaleMax)).toBe(1);
  });

  test('offsets stay below a step', () => {
    for (const step of [1, 2, 7, 4000, 65535])
      for (let code = -8; code <= 7; code += 1) expect(Math.abs(offsetUnits(code, step))).toBeLessThan(step);
  });
});
