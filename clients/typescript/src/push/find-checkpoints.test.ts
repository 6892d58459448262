import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCheckpoints } from './find-checkpoints.ts';

let output: string;
beforeEach(() => {
  output = mkdtempSync(join(tmpdir(), 'firn-find-checkpoints-'));
  for (const name of ['checkpoint-100', 'checkpoint-200', 'checkpoint-300']) mkdirSync(join(output, name));
});
afterEach(() => rmSync(output, { recursive: true }));

test('a Trainer that has made the folder of a step and no file yet keeps no other step back', () => {
  writeFileSync(join(output, 'checkpoint-100', 'model.safetensors'), '');
  writeFileSync(join(output, 'checkpoint-200', '.hidden'), '');
  const empty: string[] = [];
  expect(findCheckpoints(output, { onEmpty: (folder) => empty.push(folder) }).map(({ step }) => step)).toEqual([100]);
  expect(empty).toEqual([join(output, 'checkpoint-200'), join(output, 'checkpoint-300')]);
});

test('weights beside the folders of the steps and files that begin with a dot are named, not pushed', () => {
  writeFileSync(join(output, 'checkpoint-100', 'model.safetensors'), '');
  writeFileSync(join(output, 'checkpoint-100', '.gitattributes'), '');
  writeFileSync(join(output, 'model.safetensors'), '');
  writeFileSync(join(output, 'training_args.bin'), '');
  const beside: string[] = [];
  const [found] = findCheckpoints(output, { onBeside: (weights) => beside.push(...weights) });
  expect(found).toMatchObject({ files: [{ path: 'model.safetensors' }], hidden: ['.gitattributes'] });
  expect(beside).toEqual([join(output, 'model.safetensors')]);
});

test('without any file there is nothing to push', () => {
  expect(() => findCheckpoints(output)).toThrow(`There is no file in the folders checkpoint-N of ${output}.`);
  expect(() => findCheckpoints(join(output, 'checkpoint-200'))).toThrow(/^There is no file in .*checkpoint-200\.$/);
});
