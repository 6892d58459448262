import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

/** Versions that get fixes in November 2026, beside Node 20, which `engines` still allows. */
const supported = ['22', '24'];
const dockerfile = read('Dockerfile');

test('CI starts Firn on each supported version of Node; the image and .nvmrc take one of them', () => {
  expect(/^nodes=\((.+)\)$/m.exec(read('.ci/run'))?.[1]!.split(' ')).toEqual(supported);
  expect(supported).toContain(/^ARG NODE=(\d+)-/m.exec(dockerfile)?.[1]);
  expect(supported).toContain(read('.nvmrc').trim());
});

test('what the image copies is there, and is not ignored', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths]) => paths!.split(' '));
  expect(copied.length).toBeGreaterThan(5);
  expect(copied.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
  const sent = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const isSent = (path: string): boolean => sent.some((each) => path === each || path.startsWith(`${each}/`));
  expect(copied.filter((path) => !isSent(path))).toEqual([]);
});

test('every dependency runs on the oldest version of Node that Firn allows', () => {
  const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { engines?: { node?: string } }> };
  const needing = Object.entries(lock.packages).filter(([, { engines }]) =>
    /^>=\s*2[1-9][^|]*$/.test(engines?.node ?? ''),
  );
  expect(needing.map(([name]) => name)).toEqual([]);
});
