import { expect, test } from 'vitest';
import { codebookCountMax } from '../format-limits.ts';
import { formatVersions } from '../format-version.ts';
import { refusalOf } from '../refusal.test-support.ts';
import { codingRules } from './all-codings.ts';
import { masterCode } from './exact-coding.ts';

/** Copies, masters, widened copies and inherited tensors refer to other tensors; tensor-codings.ts reads them. */
const namingCodes = [40, masterCode, 42, 43];

test.each(formatVersions)(
  'in version %i a code is of one kind at most, and is written as it is read',
  (formatVersion) => {
    for (let code = 0; code < 256; code++) {
      const read = codingRules.flatMap((rule) => {
        const coding = rule.read(code, { formatVersion, codebookCount: codebookCountMax });
        return coding === undefined ? [] : [{ rule, coding }];
      });
      expect(read.length, `code ${code}`).toBeLessThanOrEqual(1);
      for (const { rule, coding } of read) {
        expect(coding.kind).toBe(rule.kind);
        expect(rule.codeOf(coding)).toBe(code);
        expect(rule.versionMin(coding)).toBeLessThanOrEqual(formatVersion);
        expect(namingCodes).not.toContain(code);
      }
    }
  },
);

test('a block of the most elements has a bound above its raw bytes, and one more element never lowers it', () => {
  for (const rule of codingRules) {
    const [coding] = [...Array(256).keys()].flatMap(
      (code) => rule.read(code, { formatVersion: formatVersions.at(-1)!, codebookCount: 1 }) ?? [],
    );
    const block = rule.blockOf(
      { name: 'w', dtype: 'F32', shape: [1], elementCount: 1, startBytes: 0, endBytes: 4 },
      coding!,
    );
    const bound = (elementCount: number): number =>
      rule.payloadBytesMax({ coding: block, elementCount, segments: [{}] });
    expect(bound(131_072), rule.kind).toBeGreaterThan(131_072);
    expect(bound(1025)).toBeGreaterThan(bound(1024));
    expect(rule.isShared).toBe(rule.sharedPayloadBytesMax !== undefined);
  }
});

test('tensors of a dtype that a kind cannot hold are refused', () => {
  const entry = { name: 'w', dtype: 'I8', shape: [1], elementCount: 1, startBytes: 0, endBytes: 1 } as const;
  const refusals = codingRules.map((rule) => {
    const [coding] = [...Array(256).keys()].flatMap(
      (code) => rule.read(code, { formatVersion: formatVersions.at(-1)!, codebookCount: 1 }) ?? [],
    );
    const codebooks = [
      { layerType: 'linear', dtype: 'F32', table: new Uint8Array(4), levelCount: 1, tableSet: 0 } as const,
    ];
    return [rule.kind, refusalOf(() => rule.checkTensor(entry, coding!, codebooks)) === 'accepted'];
  });
  expect(Object.fromEntries(refusals)).toMatchObject({ exact: true, levels: false, residual: false, state: false });
});
