import { describe, expect, it } from 'vitest';
import type { RunLayout } from '../../catalog/contract/run-records.ts';
import { buildSafetensorsHeader } from '../../checkpoint/safetensors/safetensors-header.ts';
import type { TestTensor } from '../ingest.test-support.ts';
import { revisionId } from '../checkpoint/revision-id.ts';
import { roleOfFile } from '../stage/role-of-file.ts';
import { canBuildOn, checkBuildsOn, checkSameLayout, checkSensitivity, joinLayouts } from './run-layout.ts';

const file = (path: string, ...tensors: TestTensor[]) => ({
  path,
  layout: buildSafetensorsHeader(tensors.map(([name, dtype, shape]) => ({ name, dtype, shape }))),
});
const layoutOf = (...tensors: TestTensor[]): RunLayout => joinLayouts([file('f', ...tensors)]);
const mismatch = (message: RegExp) =>
  expect.objectContaining({ code: 'layout-mismatch', message: expect.stringMatching(message) as string });

describe('a model and its base model', () => {
  const base = layoutOf(['body', 'F32', [100]], ['embed', 'F32', [10, 4]], ['norm', 'F32', [2]]);

  it.each<[string, TestTensor[], boolean]>([
    ['the same tensors', [...base.map(({ name, dtype, shape }): TestTensor => [name, dtype, [...shape]])], true],
    [
      'an embedding that grew',
      [
        ['body', 'F32', [100]],
        ['embed', 'F32', [12, 4]],
      ],
      true,
    ],
    [
      'a new head',
      [
        ['body', 'F32', [100]],
        ['head', 'F32', [100]],
      ],
      true,
    ],
    [
      'a larger new head',
      [
        ['body', 'F32', [100]],
        ['head', 'F32', [101]],
      ],
      false,
    ],
    ['another dtype', [['body', 'F16', [100]]], false],
    ['another shape of as many elements', [['body', 'F32', [10, 10]]], false],
    ['another name', [['model.body', 'F32', [100]]], true],
    [
      'another name for an embedding that grew',
      [
        ['body', 'F32', [4]],
        ['model.embed', 'F32', [12, 4]],
      ],
      true,
    ],
    [
      'two tensors where the base has one',
      [
        ['one.body', 'F32', [100]],
        ['other.body', 'F32', [100]],
        ['third.body', 'F32', [100]],
      ],
      false,
    ],
    [
      'a tensor that has its name from another',
      [
        ['body', 'F32', [10, 4]],
        ['embed', 'F32', [100]],
      ],
      false,
    ],
    ['rows of another length under another name', [['model.embed', 'F32', [10, 5]]], false],
    ['no tensors', [], false],
  ])('%s', (_, tensors, expected) => {
    const model = layoutOf(...tensors);
    expect(canBuildOn(base, model)).toBe(expected);
    if (expected) expect(() => checkBuildsOn(base, model)).not.toThrow();
    else expect(() => checkBuildsOn(base, model)).toThrow(mismatch(/^Less than half of the bytes/));
  });
});

describe('the layout of a checkpoint', () => {
  it('joins its shards by name, in whatever file or order', () => {
    const whole = layoutOf(['b', 'F32', [2]], ['a', 'F16', [1, 2]], ['c', 'I64', []]);
    const sharded = joinLayouts([file('2', ['c', 'I64', []], ['a', 'F16', [1, 2]]), file('1', ['b', 'F32', [2]])]);
    expect(sharded).toEqual(whole);
    expect(() => checkSameLayout(whole, sharded)).not.toThrow();
  });

  it('has every tensor once', () => {
    expect(() => joinLayouts([file('one', ['a', 'F32', [1]]), file('two', ['a', 'F32', [1]])])).toThrow(
      expect.objectContaining({ code: 'tensor-duplicate', message: 'Tensor "a" is in "one" and in "two".' }),
    );
  });

  const run = layoutOf(['a', 'F32', [2, 3]], ['m', 'F32', [4]], ['z', 'F32', []]);
  it.each<[string, RunLayout, RegExp]>([
    ['a missing tensor', layoutOf(['a', 'F32', [2, 3]], ['z', 'F32', []]), /"m" of the run is missing/],
    ['a missing last tensor', layoutOf(['a', 'F32', [2, 3]], ['m', 'F32', [4]]), /"z" of the run is missing/],
    [
      'an extra tensor',
      layoutOf(['a', 'F32', [2, 3]], ['b', 'F32', [1]], ['m', 'F32', [4]], ['z', 'F32', []]),
      /"b" is not in the run/,
    ],
    [
      'an extra last tensor',
      layoutOf(['a', 'F32', [2, 3]], ['m', 'F32', [4]], ['z', 'F32', []], ['zz', 'F32', []]),
      /"zz" is not in the run/,
    ],
    [
      'another shape',
      layoutOf(['a', 'F32', [3, 2]], ['m', 'F32', [5]], ['z', 'F32', []]),
      /"a" is F32 \[3, 2\]; in the run it is F32 \[2, 3\]/,
    ],
    [
      'another rank',
      layoutOf(['a', 'F32', [2, 3]], ['m', 'F32', [4]], ['z', 'F32', [1]]),
      /"z" is F32 \[1\]; in the run it is F32 \[\]/,
    ],
    ['another dtype', layoutOf(['a', 'F32', [2, 3]], ['m', 'BF16', [4]], ['z', 'F32', []]), /"m" is BF16/],
    ['no tensor', [], /"a" of the run is missing/],
  ])('that differs by %s names it', (_what, found, message) => {
    expect(() => checkSameLayout(run, found)).toThrow(mismatch(message));
  });
});

describe('sensitivity', () => {
  const model = layoutOf(['a', 'F32', [2, 3]], ['b', 'F32', [4]], ['n', 'I64', []]);
  it('may cover part of the model, in any float dtype', () => {
    expect(() => checkSensitivity(model, layoutOf(['a', 'BF16', [2, 3]]))).not.toThrow();
    expect(() => checkSensitivity(model, [])).not.toThrow();
  });
  it.each<[string, RunLayout, RegExp]>([
    ['of no tensor', layoutOf(['c', 'F32', [1]]), /"c" belongs to no model tensor/],
    ['of another shape', layoutOf(['a', 'F32', [6]]), /"a" is F32 \[6\]; its model tensor is F32 \[2, 3\]/],
    ['of integers', layoutOf(['n', 'I64', []]), /must be F32, F16 or BF16/],
  ])('%s is refused', (_what, sensitivity, message) => {
    expect(() => checkSensitivity(model, sensitivity)).toThrow(mismatch(message));
  });
});

describe('revision ids', () => {
  const files = [
    { path: 'b', role: 'other', sizeBytes: 1, sha256: '1'.repeat(64) },
    { path: 'a', role: 'model', sizeBytes: 2, sha256: '2'.repeat(64) },
  ] as const;
  it('depend on everything but the order of files', () => {
    const id = revisionId('run', 5, files);
    expect(id).toMatch(/^[0-9a-f]{40}$/);
    expect(revisionId('run', 5, [files[1], files[0]])).toBe(id);
    const others = [
      revisionId('other', 5, files),
      revisionId('run', 6, files),
      revisionId('run', 5, files.slice(1)),
      ...(['path', 'role', 'sizeBytes', 'sha256'] as const).map((key) =>
        revisionId('run', 5, [
          { ...files[0], [key]: key === 'role' ? 'optimizer' : key === 'sizeBytes' ? 3 : '3' },
          files[1],
        ]),
      ),
    ];
    expect(new Set([id, ...others]).size).toBe(others.length + 1);
  });
});

describe('roles', () => {
  it('follow the announcement, the request, then the name', () => {
    expect(roleOfFile('model.safetensors')).toBe('model');
    expect(roleOfFile('config.json')).toBe('other');
    expect(roleOfFile('x.safetensors', 'sensitivity')).toBe('sensitivity');
    expect(roleOfFile('x.safetensors', undefined, 'optimizer')).toBe('optimizer');
    expect(roleOfFile('optimizer.pt', 'optimizer')).toBe('optimizer');
    expect(() => roleOfFile('x.safetensors', 'model', 'other')).toThrow(
      expect.objectContaining({ code: 'invalid-request' }),
    );
    expect(() => roleOfFile('pytorch_model.bin', 'model')).toThrow(
      expect.objectContaining({ code: 'invalid-request' }),
    );
  });
});
