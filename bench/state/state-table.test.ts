import { expect, test } from 'vitest';
import { noBytes, partBytes, rawParts } from './part-bytes.ts';
import { bytesTable, resumedTable } from './state-table.ts';
import { buildSafetensorsHeader } from '../../src/checkpoint/safetensors/safetensors-header.ts';
import { planFile } from '../../src/package/blocks/plan-file.ts';

const layout = buildSafetensorsHeader(
  [
    { name: 'm.w', dtype: 'F32', shape: [10] },
    { name: 'v.w', dtype: 'F32', shape: [30] },
    { name: 'w', dtype: 'F32', shape: [10] },
  ],
  {},
);

test('a block that several parts share counts for each by its elements', () => {
  const codings = layout.tensors.map(() => ({ kind: 'exact', layerType: 'buffer' }) as const);
  const content = { type: 'safetensors', layout, codings } as const;
  const blocks = planFile({ content, sizeBytes: layout.sizeBytes })!.blocks.map(() => ({
    offsetBytes: 24,
    lengthBytes: 100,
    crc32c: 0,
  }));
  const file = { path: 'a.safetensors', sizeBytes: layout.sizeBytes, sha256: '', content: { ...content, blocks } };
  const index = { formatVersion: 4, kind: 'base', id: '', codebooks: [], tableSets: [], files: [file] } as const;
  expect(partBytes(index, 130)).toEqual({ weights: 20, firstMoment: 20, secondMoment: 60, momentum: 0, rest: 30 });
  expect(rawParts(layout.tensors, layout.sizeBytes)).toMatchObject({
    weights: 40,
    firstMoment: 40,
    secondMoment: 120,
    rest: layout.headerBytes.length,
  });
});

test('the table of bytes has ratios to what was uploaded, without parts that are not there', () => {
  const raw = { describe: 'as uploaded', parts: { ...noBytes, weights: 400, firstMoment: 400, secondMoment: 400 } };
  const ours = { describe: 'ours', parts: { ...noBytes, weights: 40, firstMoment: 100, secondMoment: 50, rest: 10 } };
  expect(bytesTable([raw, ours]).split('\n')).toEqual([
    '| method | weights | first moments | second moments | headers, index | together | ratio |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    '| as uploaded | 400 | 400 | 400 | 0 | 1200 | 1.00 |',
    '| ours | 40 (10.0x) | 100 (4.0x) | 50 (8.0x) | 10 | 200 | 6.00 |',
  ]);
});

test('the table of losses compares with the unbroken run, with exact resume, and tells the spread of the seeds', () => {
  const seed = (number: number, unbroken: number, final: number) => ({
    seed: number,
    unbroken,
    arms: [
      { run: 'exact', describe: 'all exact', final: unbroken, rawBytes: 100, storedBytes: 80 },
      { run: 'full', describe: 'full', final, rawBytes: 100, storedBytes: 5 },
    ],
  });
  const lines = resumedTable([seed(1, 2, 2.002), seed(2, 2.1, 2.1)]).split('\n');
  expect(lines).toContain('| all exact | 1.3 | 2.0000 | 2.1000 | 0.000 % | 0.000 % | 0.000 % |');
  expect(lines).toContain('| full | 20.0 | 2.0020 | 2.1000 | 0.050 % | 0.050 % | 0.100 % |');
  expect(lines.at(-1)).toBe('The unbroken seeds spread over 4.878 % of their mean.');
});
