import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listDocuments } from '../../scripts/wrap/list-documents.ts';
import { longLines } from '../../scripts/wrap/long-lines.ts';
import { wrapMarkdown } from '../../scripts/wrap/wrap-markdown.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const documents = listDocuments(root);

test('documents are found in every folder, and none that was installed', () => {
  expect(documents).toEqual(
    expect.arrayContaining(['README.md', 'docs/guide/api.md', 'docs/decisions/0013-residual-method.md']),
  );
  expect(documents).toEqual(expect.arrayContaining(['bench/series/README.md', 'native/README.md']));
  expect(documents.filter((path) => /^(build|dist|node_modules)\//.test(path))).toEqual([]);
});

test.each(documents)('%s is wrapped at 100 columns', async (path) => {
  const text = readFileSync(`${root}${path}`, 'utf8');
  expect(longLines(text)).toEqual([]);
  expect(await wrapMarkdown(text)).toBe(text);
});
