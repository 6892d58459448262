import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listFiles } from '../../scripts/wrap/list-files.ts';
import { longLines } from '../../scripts/wrap/long-lines.ts';
import { codeColumns } from '../../scripts/wrap/wrap-code-comments.ts';
import { wrapMarkdown } from '../../scripts/wrap/wrap-markdown.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** What ESLint does not read: C++, CUDA, CMake, Python, scripts of the shell, YAML and protocol buffers. */
const code = /(\.(c|cc|cu|cuh|h|cmake|proto|py|sh|ya?ml)|^native\/\.clang-\w+|\/CMakeLists\.txt|^\.ci\/[\w-]+)$/;
const isGenerated = (text: string): boolean => /^# Generated from /m.test(text);

const documents = listFiles(root, /\.md$/);

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

test(`code has no line of more than ${codeColumns} characters`, () => {
  const paths = listFiles(root, code);
  expect(paths).toEqual(expect.arrayContaining(['.ci/run', 'native/CMakeLists.txt', 'scripts/run.sh']));
  const wide = paths.flatMap((path) => {
    const text = readFileSync(`${root}${path}`, 'utf8');
    const lines = isGenerated(text) ? [] : text.split('\n');
    return lines.flatMap((line, at) => ([...line].length > codeColumns ? [`${path}:${at + 1}`] : []));
  });
  expect(wide).toEqual([]);
});
