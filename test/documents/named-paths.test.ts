import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listFiles } from '../../scripts/wrap/list-files.ts';
import { anchorsOf, isThere, linkedPaths, namedPaths } from './named-paths.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = listFiles(root, /\.md$/);
/** These describe the past; files have moved since. */
const tellsOfThePast = (path: string): boolean =>
  path === 'CHANGELOG.md' || path.startsWith('docs/decisions/') || path.startsWith('docs/benchmarks/');

test.each(documents.filter((path) => !tellsOfThePast(path)))('%s names only paths that are there', (path) => {
  expect(
    namedPaths(read(path)).filter((named) => !isThere(root, named) && !isThere(join(root, dirname(path)), named)),
  ).toEqual([]);
});

test.each(documents)('links of %s lead somewhere', (path) => {
  const missing = linkedPaths(read(path)).filter(({ path: target, anchor }) => {
    const there = target === '' ? path : normalize(join(dirname(path), target));
    if (!isThere(root, there)) return true;
    return anchor !== undefined && there.endsWith('.md') && !anchorsOf(read(there)).includes(anchor);
  });
  expect(missing).toEqual([]);
});

test.each(['docs/architecture.md', 'docs/format.md'])(
  '%s names the first and every later fixture of a format',
  (path) => {
    const text = read(path);
    const range = /format-v1` to `(?:test\/fixtures\/)?format-v(\d+)`/.exec(text.replace(/\s+/g, ' '))!;
    const fixtures = readdirSync(join(root, 'test/fixtures')).filter((name) => /^format-v[\d]+(-state)?$/.test(name));
    const named = (name: string): boolean =>
      text.includes(`${name}\``) ||
      (/^format-v\d+$/.test(name) && Number(name.slice('format-v'.length)) <= Number(range[1]));
    expect(fixtures.length).toBeGreaterThan(6);
    expect(fixtures.filter((name) => !named(name))).toEqual([]);
  },
);

test('the list of rooms has every folder of src/', () => {
  const rooms = /^## Rooms\n([\s\S]*?)^## /m.exec(read('docs/architecture.md'))![1]!;
  const folders = readdirSync(join(root, 'src'), { recursive: true })
    .map(String)
    .filter((name) => statSync(join(root, 'src', name)).isDirectory());
  const unnamed = folders.filter(
    (folder) =>
      !rooms.includes(`src/${folder}/`) && !new RegExp(`\`(?:\\S*/)?${folder.split('/').at(-1)}/\``).test(rooms),
  );
  expect(unnamed).toEqual([]);
});

test('hacking.md leads to every room of src/', () => {
  const text = read('docs/hacking.md');
  const rooms = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(rooms.length).toBeGreaterThan(20);
  expect(rooms.map(({ name }) => `src/${name}/`).filter((room) => !text.includes(room))).toEqual([]);
});

test('each walk of architecture.md names at most ten files, none twice', () => {
  const walks = /^## Three walks\n([\s\S]*?)^What surrounds/m
    .exec(read('docs/architecture.md'))![1]!
    .split(/^\*\*/m)
    .slice(1);
  expect(walks).toHaveLength(3);
  for (const walk of walks) {
    // Wherever in a line a file is named, with its folder or without.
    const files = [...walk.matchAll(/`([^`\s]+\.\w+)`/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(4);
    expect(files.length).toBeLessThanOrEqual(10);
    expect(new Set(files).size).toBe(files.length);
    expect([...walk.matchAll(/^(\d+)\. `src\//gm)].map(([, number]) => Number(number))).toEqual(
      [...walk.matchAll(/^\d+\. /gm)].map((_, index) => index + 1),
    );
  }
});

test.each([
  ['src/main.ts', true],
  ['src/mane.ts', false],
  ['src/{main,config}.ts', true],
  ['src/{main,konfig}.ts', false],
  ['src/store/*.suite.ts', true],
  ['src/store/*.nothing.ts', false],
  ['bench/**/*.test.ts', true],
  ['src/nowhere/*.ts', false],
])('%s: %s', (named, there) => {
  expect(isThere(root, named)).toBe(there);
});

test('paths are found in code, not in blocks or commands with places to fill', () => {
  const document = 'See `src/main.ts`, `npx vitest run src/x`, `docs/<page>.md`.\n\n```sh\ncat src/never.ts\n```\n';
  expect(namedPaths(document)).toEqual(['src/main.ts', 'src/x']);
});
