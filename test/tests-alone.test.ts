import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { testsAlone } from './tests-alone.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** A test file with the suites that it runs. */
const wholeTest = (path: string): string => {
  const text = read(path);
  const suites = ts
    .preProcessFile(text, true, true)
    .importedFiles.filter(({ fileName }) => /\.suite\.ts$/.test(fileName));
  return [text, ...suites.map(({ fileName }) => read(normalize(join(dirname(path), fileName))))].join('\n');
};

test('tests that replace modules or measure memory, and no others, have a process of their own', () => {
  const tests = ['src', 'bench', 'clients/typescript'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true })
      .map((path) => `${room}/${String(path)}`)
      .filter((path) => /\.test\.tsx?$/.test(path) && !path.includes('node_modules')),
  );
  expect(tests.length).toBeGreaterThan(300);
  const needy = tests.filter((path) => /\bvi\.(do)?[mM]ock\(|\bprocess\.memoryUsage\b/.test(wholeTest(path)));
  expect(needy.sort()).toEqual([...testsAlone].sort());
});
