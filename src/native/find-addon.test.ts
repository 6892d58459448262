import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findAddon, prebuiltPackageName } from './find-addon.ts';

let folder: string;
let root: string;
let prebuilt: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'firn-addon-'));
  root = join(folder, 'node_modules', 'firn-hub');
  prebuilt = join(folder, 'node_modules', prebuiltPackageName());
  write(join(root, 'package.json'), '{"version":"1.2.3"}');
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

test('the prebuilt package of the same version is found next to the package', () => {
  expect(findAddon(root)).toBeUndefined();
  write(join(prebuilt, 'package.json'), '{"version":"1.2.3"}');
  expect(findAddon(root)).toBe(write(join(prebuilt, 'firn_core.node'), ''));
});

test('one of another version is not', () => {
  write(join(prebuilt, 'package.json'), '{"version":"1.2.4"}');
  write(join(prebuilt, 'firn_core.node'), '');
  expect(findAddon(root)).toBeUndefined();
});

test('a core compiled in the package comes first', () => {
  write(join(prebuilt, 'package.json'), '{"version":"1.2.3"}');
  write(join(prebuilt, 'firn_core.node'), '');
  const compiled = write(join(root, 'build', 'Release', 'firn_core.node'), '');
  expect(findAddon(root)).toBe(compiled);
});

test('the name says system, processor and C library', () => {
  expect(prebuiltPackageName()).toMatch(/^@firn-hub\/core-(linux-\w+-(gnu|musl)|(darwin|win32)-\w+)$/);
});
