import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dtypeBytes, type Dtype } from '../../checkpoint/dtype.ts';
import { buildSafetensorsHeader } from '../../checkpoint/safetensors/safetensors-header.ts';
import { blockElementsMax } from '../../native/core.ts';
import type { TensorCoding } from '../../package/package-index.ts';
import { planTensors } from '../../package/blocks/plan-file.ts';
import { dtypeView } from './dtype-view.ts';
import { planRange } from './plan-range.ts';

type Wanted = { readonly dtype: Dtype; readonly count: number; readonly codebook: number | undefined };

const tensors = fc.array(
  fc.record({
    dtype: fc.constantFrom<Dtype>('F32', 'BF16', 'F16', 'I64', 'U8'),
    count: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 0, max: 200 }) },
      { weight: 1, arbitrary: fc.integer({ min: 60_000, max: 300_000 }) },
    ),
    codebook: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
  }),
  { maxLength: 24 },
);

function plan(wanted: readonly Wanted[]) {
  const layout = buildSafetensorsHeader(
    wanted.map(({ dtype, count }, i) => ({ name: `t${i}`, dtype, shape: [count] })),
  );
  const codings = wanted.map(({ codebook }): TensorCoding =>
    codebook === undefined ? { kind: 'exact', layerType: 'bias' } : { kind: 'levels', codebook },
  );
  return { layout, filePlan: planTensors(layout, codings), codings };
}

describe('planRange', () => {
  it('names, for each byte of a range in order, the block and place of its element; in a dtype view too', () => {
    fc.assert(
      fc.property(tensors, fc.nat(), fc.nat(), fc.boolean(), (wanted, a, b, viewed) => {
        const { layout: own, filePlan } = plan(wanted);
        const layout = viewed ? dtypeView(own, 'BF16') : own;
        const [start, end] = [a % (layout.sizeBytes + 1), b % (layout.sizeBytes + 1)].sort((x, y) => x - y) as [
          number,
          number,
        ];
        const range = planRange(layout, filePlan, start, end);
        let at = start;
        expect(range.header.startBytes).toBe(Math.min(start, layout.headerBytes.length));
        at += range.header.endBytes - range.header.startBytes;
        for (const piece of range.pieces) {
          const tensor = layout.tensors.findIndex((entry) => entry.startBytes <= at && at < entry.endBytes);
          const entry = layout.tensors[tensor]!;
          const width = dtypeBytes[entry.dtype];
          // The plan's place of the first and the last element of the piece, found by linear search.
          for (const offset of [at, at + piece.endBytes - piece.startBytes - 1]) {
            expect(offset).toBeLessThan(entry.endBytes);
            const element = Math.floor((offset - entry.startBytes) / width);
            let before = 0;
            const segment = filePlan.blocks[piece.block]!.segments.find((candidate) => {
              if (
                candidate.tensor === tensor &&
                candidate.firstElement <= element &&
                element < candidate.firstElement + candidate.elementCount
              )
                return true;
              before += candidate.elementCount;
              return false;
            })!;
            const inBlock = (before + element - segment.firstElement) * width + ((offset - entry.startBytes) % width);
            expect(inBlock).toBe(piece.startBytes + offset - at);
          }
          at += piece.endBytes - piece.startBytes;
        }
        expect(at).toBe(end);
        expect(range.blocks).toEqual([...new Set(range.pieces.map((piece) => piece.block))]);
        expect(
          range.pieces
            .filter((piece) => piece.last)
            .map((piece) => piece.block)
            .sort(),
        ).toEqual([...range.blocks].sort());
      }),
      { numRuns: 150 },
    );
  });

  it('keeps at most one block of each coding open besides the current one', () => {
    fc.assert(
      fc.property(tensors, (wanted) => {
        const { layout, filePlan, codings } = plan(wanted);
        const open = new Set<number>();
        let most = 0;
        for (const piece of planRange(layout, filePlan, 0, layout.sizeBytes).pieces) {
          open.add(piece.block);
          most = Math.max(most, open.size);
          if (piece.last) open.delete(piece.block);
        }
        const kinds = new Set(
          codings.map((coding, i) => (coding.kind === 'levels' ? coding.codebook : wanted[i]!.dtype)),
        );
        expect(most).toBeLessThanOrEqual(kinds.size + 1);
        expect(open.size).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('touches the blocks of a small range only', () => {
    const { layout, filePlan } = plan([
      { dtype: 'F32', count: 50 * blockElementsMax, codebook: 0 },
      { dtype: 'F32', count: 10, codebook: undefined },
    ]);
    const start = layout.headerBytes.length + 7 * blockElementsMax * 4 - 2;
    expect(planRange(layout, filePlan, start, start + 4)).toEqual({
      header: { startBytes: layout.headerBytes.length, endBytes: layout.headerBytes.length },
      pieces: [
        { block: 6, startBytes: blockElementsMax * 4 - 2, endBytes: blockElementsMax * 4, last: true },
        { block: 7, startBytes: 0, endBytes: 2, last: true },
      ],
      blocks: [6, 7],
    });
  });

  it.each([
    [-1, 3],
    [4, 3],
    [0, 10 ** 9],
    [Number.NaN, 3],
  ])('refuses %s to %s', (start, end) => {
    const { layout, filePlan } = plan([{ dtype: 'F32', count: 5, codebook: undefined }]);
    expect(() => planRange(layout, filePlan, start, end)).toThrow(
      expect.objectContaining({ code: 'range-not-satisfiable' }),
    );
  });
});
