import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const textOf = (folder: string): string =>
  readdirSync(join(root, folder))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'))
    .join('\n');
const kernels = [...readFileSync(join(root, 'native/src/device/kernels.h'), 'utf8').matchAll(/^ {2}X\((\w+), /gm)].map(
  ([, name]) => name!,
);
const [tests, benches] = [textOf('native/test/device'), textOf('native/bench/device')];
const [, registers] = readFileSync(join(root, 'docs/benchmarks/device.md'), 'utf8').split('## Registers') as [
  string,
  string,
];

test('the list of kernels is read', () => {
  expect(kernels).toContain('sketch_values');
  expect(new Set(kernels).size).toBe(kernels.length);
});

describe.each(kernels)('the kernel %s', (name) => {
  test('is compared with the processor', () => expect(tests.includes(`&DeviceTable::${name},`)).toBe(true));
  test('has a row in the bench', () => expect(new RegExp(`"${name}[", ]`).test(benches)).toBe(true));
  test('stands among the registers and bytes', () =>
    expect(new RegExp(`^\\| \`${name}\` \\|`, 'm').test(registers)).toBe(true));
});
