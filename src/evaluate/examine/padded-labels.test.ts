import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findPaddedLabels, type LabelColumns, type PaddedLabels } from './padded-labels.ts';

/** Eight sentences of 5 to 12 tokens, which are 1 to 40 and repeat. */
const sentences = [12, 5, 9, 7, 12, 6, 10, 8].map((length, row) =>
  Array.from({ length }, (_, at) => 1 + ((7 * row + 11 * at + ((at * at) % 5)) % 40)),
);
const longest = 12;
const paddedShare = (8 * longest - 69) / (8 * longest);

type Rows = readonly (readonly number[])[];

function filled(rows: Rows, filler: number, side: 'start' | 'end' = 'end'): Rows {
  return rows.map((row) => {
    const padding = Array.from({ length: longest - row.length }, () => filler);
    return side === 'end' ? [...row, ...padding] : [...padding, ...row];
  });
}

function columns(labels: Rows, inputs: Readonly<Record<string, Rows>> = {}, ignoreLabel?: number): LabelColumns {
  const dims = [labels.length, labels[0]!.length];
  return {
    labels: { dims, data: labels.flat() },
    ignoreLabel,
    inputs: Object.entries(inputs).map(([input, rows]) => ({
      input,
      dtype: 'I64',
      rowShape: [rows[0]!.length],
      elements: BigInt64Array.from(rows.flat(), BigInt),
    })),
  };
}

/** Of eight entities in a sea of class 0. */
const tags = sentences.map((row) => row.map((token) => (token % 5 === 0 ? 1 + (token % 3) : 0)));
const mask = sentences.map((row) => row.map(() => 1));

describe('findPaddedLabels', () => {
  test.each<[string, LabelColumns, PaddedLabels]>([
    ['padding as class 0', columns(filled(sentences, 0)), { label: 0, side: 'end', rows: 6, share: paddedShare }],
    [
      'padding as another class',
      columns(filled(sentences, 50)),
      { label: 50, side: 'end', rows: 6, share: paddedShare },
    ],
    [
      'padding before the tokens',
      columns(filled(sentences, 0, 'start')),
      { label: 0, side: 'start', rows: 6, share: paddedShare },
    ],
    [
      'padding as class 0 where another label is ignored',
      columns(filled(sentences, 0), {}, -100),
      { label: 0, side: 'end', rows: 6, share: paddedShare },
    ],
    [
      'padding as a class that is everywhere, by the mask',
      columns(filled(tags, 0), { attention_mask: filled(mask, 0) }),
      { label: 0, side: 'end', rows: 6, share: paddedShare, input: 'attention_mask' },
    ],
    [
      'padding as a class that is everywhere, by the tokens',
      columns(filled(tags, 0), { input_ids: filled(sentences, 45) }),
      { label: 0, side: 'end', rows: 6, share: paddedShare, input: 'input_ids' },
    ],
  ])('%s is found', (_, given, expected) => {
    expect(findPaddedLabels(given)).toEqual(expected);
  });

  test('labels one position ahead of padded inputs are found', () => {
    const ahead = (rows: Rows) => rows.map((row) => row.slice(1));
    const behind = (rows: Rows) => rows.map((row) => row.slice(0, -1));
    const tagged = filled(tags, 0);
    expect(findPaddedLabels(columns(ahead(tagged), { ids: behind(filled(sentences, 45)) }))).toMatchObject({
      label: 0,
      input: 'ids',
    });
  });

  test.each<[string, LabelColumns]>([
    ['padding that is ignored', columns(filled(sentences, -100), { ids: filled(sentences, 0) }, -100)],
    ['ignored padding of tags', columns(filled(tags, -100), { mask: filled(mask, 0) }, -100)],
    ['tags with one class in most places', columns(tags.map((row) => [...row, ...row, ...row, 0, 0].slice(0, 12)))],
    ['labels that are one class throughout', columns(sentences.map(() => Array.from({ length: longest }, () => 0)))],
    ['two padded rows', columns([...filled(sentences.slice(0, 3), 0), ...filled(sentences.slice(4, 5), 0)])],
    [
      'sentences in pairs, whose token types end in ones',
      columns(filled(tags, 0), { types: filled(mask, 0).map(flip) }),
    ],
    ['one label at the end of each row', columns(sentences.map((row) => [...row.slice(0, 4), 0]))],
    ['a label for each row', { labels: { dims: [8], data: [0, 1, 2, 0, 0, 0, 0, 0] }, inputs: [] }],
    ['rows of one position', { labels: { dims: [8, 1], data: [0, 1, 2, 0, 0, 0, 0, 0] }, inputs: [] }],
    ['no positions', { labels: { dims: [8, 0], data: [] }, inputs: [] }],
  ])('%s: nothing', (_, given) => {
    expect(findPaddedLabels(given)).toBeUndefined();
  });

  test.each(['README.md', 'docs/guide/eval-sets.md', 'src/evaluate/examine/padded-labels.ts'])(
    'the characters and bytes of %s, cut into rows of any length, are no padding',
    (path) => {
      const text = readFileSync(new URL(`../../../${path}`, import.meta.url));
      for (const length of [4, 8, 16, 32, 64, 128]) {
        const count = Math.floor((text.length - 1) / length);
        const rows = (from: number) =>
          Array.from({ length: count }, (_, row) => [...text.subarray(from + row * length, from + (row + 1) * length)]);
        expect(findPaddedLabels(columns(rows(1), { ids: rows(0) })), `rows of ${length}`).toBeUndefined();
      }
    },
  );

  test('the held-out text of the small language model is no padding', () => {
    const file = readFileSync(new URL('../../../examples/lm-small/eval.safetensors', import.meta.url));
    const headerBytes = Number(file.readBigUInt64LE(0));
    const header = JSON.parse(file.subarray(8, 8 + headerBytes).toString()) as Record<
      string,
      { readonly shape: number[]; readonly data_offsets: [number, number] }
    >;
    const data = file.subarray(8 + headerBytes);
    const rows = (name: string): number[][] => {
      const { shape, data_offsets } = header[name]!;
      const [count, length] = shape as [number, number];
      const at = (position: number) => Number(data.readBigInt64LE(data_offsets[0] + 8 * position));
      return Array.from({ length: count }, (_, row) => Array.from({ length }, (__, each) => at(row * length + each)));
    };
    expect(findPaddedLabels(columns(rows('labels'), { ids: rows('inputs') }))).toBeUndefined();
  });
});

function flip(row: readonly number[]): number[] {
  return row.map((value) => 1 - value);
}
