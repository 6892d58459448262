import { describe, expect, test } from 'vitest';
import type { FileRole } from '../../checkpoint/role.ts';
import type { StateOptions } from '../../checkpoint/options/state-options.ts';
import { sourceFile } from '../harness/memory-source.test-support.ts';
import { planState, type KeptExact } from './plan-state.ts';
import { stateWarnings } from './state-warnings.ts';
import { f32, i64, noise, safetensors, type TestTensor, type TestTensors } from '../harness/tiny-model.test-support.ts';

const bounded: StateOptions = { firstMoment: 'bounded', secondMoment: 'bounded', momentum: 'bounded' };
const adam: StateOptions = { ...bounded, momentum: 'exact' };
const matrix = (seed = 1): TestTensor => f32([4, 6], noise(24, seed));
const half = (shape: readonly number[]): TestTensor => ({
  dtype: 'BF16',
  shape,
  data: new Uint16Array(shape.reduce((product, length) => product * length, 1)),
});
const optimizer = (tensors: TestTensors, path = 'o.safetensors', role: FileRole = 'optimizer') =>
  sourceFile(path, safetensors(tensors), role);

/** The encoding of every tensor that is not exact, with the name of the tensor of second moments that it refers to. */
function formsOf(files: readonly ReturnType<typeof optimizer>[], options: StateOptions): Record<string, string> {
  const { codings } = planState(files, options);
  return Object.fromEntries(
    files.flatMap(({ layout }, file) =>
      [...codings[file]!].map(([tensor, coding]) => {
        const reference =
          coding.encoding === 'firstMoment' ? ` scaled by ${layout.tensors[coding.secondMoments]!.name}` : '';
        return [layout.tensors[tensor]!.name, coding.encoding + reference];
      }),
    ),
  );
}

test('moments of modules that are called as short words are paired with their own', () => {
  const parameters = ['m.0.weight', 'v.0.weight', 'momentum.weight', 'encoder.momentum.weight', 'layer.weight'];
  const tensors = Object.fromEntries(
    parameters.flatMap((name) => [`${name}.exp_avg`, `${name}.exp_avg_sq`].map((full) => [full, matrix()])),
  );
  expect(formsOf([optimizer(tensors)], adam)).toEqual(
    Object.fromEntries(
      parameters.flatMap((name) => [
        [`${name}.exp_avg`, `firstMoment scaled by ${name}.exp_avg_sq`],
        [`${name}.exp_avg_sq`, 'secondMoment'],
      ]),
    ),
  );
  expect(stateWarnings([optimizer(tensors)], adam)).toEqual([]);
});

test('patterns pair by the text their wildcards match, whole names by their place', () => {
  const names = { firstMoment: ['m_*', 'exp_avg/*', 'opt_12'], secondMoment: ['v_*', 'exp_avg_sq/*', 'opt_13'] };
  const tensors = Object.fromEntries(
    ['m_w', 'v_w', 'exp_avg/w', 'exp_avg_sq/w', 'opt_12', 'opt_13', 'opt_1'].map((name) => [name, matrix()]),
  );
  expect(formsOf([optimizer(tensors)], { ...adam, names })).toEqual({
    m_w: 'firstMoment scaled by v_w',
    v_w: 'secondMoment',
    'exp_avg/w': 'firstMoment scaled by exp_avg_sq/w',
    'exp_avg_sq/w': 'secondMoment',
    opt_12: 'firstMoment scaled by opt_13',
    opt_13: 'secondMoment',
  });
});

test('an optimizer file that holds the weights by their names holds no moments', () => {
  const weights = { 'v.0.weight': matrix(), 'momentum.weight': matrix() };
  expect(formsOf([optimizer(weights, 'model.safetensors', 'model'), optimizer(weights)], bounded)).toEqual({});
});

describe('a tensor stays exact, with a warning,', () => {
  const v = matrix();
  test.each<[string, KeptExact, readonly TestTensors[], readonly string[]]>([
    ['if its name is ambiguous', 'ambiguous', [{ 'm.attn.v': matrix(), 'm.w': matrix(), 'v.w': v }], ['m.attn.v']],
    ['if it is not F32', 'dtype', [{ 'v.w': half([4, 6]) }, { 'm.w': half([4, 6]) }], ['v.w', 'm.w']],
    ['without second moments', 'secondMissing', [{ 'm.w': matrix(), 'm.x': matrix(), 'v.x': v }], ['m.w']],
    ['with second moments in another file', 'secondElsewhere', [{ 'm.w': matrix() }, { 'v.w': v }], ['m.w']],
    [
      'with second moments of another dtype',
      'secondDtype',
      [{ 'm.w': matrix(), 'v.w': i64([4, 6], Array(24).fill(1)) }],
      ['m.w'],
    ],
    [
      'with second moments of another shape',
      'secondShape',
      [{ 'm.w': matrix(), 'v.w': f32([24], noise(24, 2)) }],
      ['m.w'],
    ],
    [
      'with two tensors of second moments',
      'secondUnclear',
      [{ 'm.w': matrix(), 'v.w': v, 'w.exp_avg_sq': v }],
      ['m.w'],
    ],
  ])('%s', (_, why, files, names) => {
    const read = files.map((tensors, i) => optimizer(tensors, `${i}.safetensors`));
    expect(planState(read, adam).kept.filter((tensor) => tensor.why === why)).toEqual(
      names.map((name) => ({ name, why })),
    );
    for (const name of names) expect(formsOf(read, adam)).not.toHaveProperty([name]);
    const sentences = stateWarnings(read, adam).filter((sentence) =>
      sentence.includes(`(tensors: ${names.length}): ${names.map((name) => `"${name}"`).join(', ')}.`),
    );
    expect(sentences).toHaveLength(1);
  });

  test('but not if the run stores it exact, nor if it has no elements', () => {
    const odd = { 'm.attn.v': matrix(), 'm.w': matrix(), 'm.half': half([4, 6]), 'momentum.empty': f32([0, 4], []) };
    expect(planState([optimizer(odd)], { ...bounded, firstMoment: 'exact', secondMoment: 'exact' }).kept).toEqual([]);
    expect(stateWarnings([optimizer(odd)], { firstMoment: 'exact', secondMoment: 'exact', momentum: 'exact' })).toEqual(
      [],
    );
    expect(
      stateWarnings([optimizer(odd)], {
        firstMoment: 'exact',
        secondMoment: 'exact',
        momentum: 'exact',
        master: 'weights',
      }),
    ).toEqual([]);
  });

  test('by its number and a few names, which are quoted', () => {
    const tensors = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`m."${i}"`, matrix()]));
    const [sentence] = stateWarnings([optimizer({ ...tensors, 'v.w': v })], adam);
    expect(sentence).toBe(
      'First moments cannot be bounded and are kept exact, because no second moments of theirs are found ' +
        String.raw`(tensors: 20): "m.\"0\"", "m.\"1\"", "m.\"2\"", "m.\"3\"", "m.\"4\"" and 15 more.`,
    );
  });
});

test('clusters take no second moments', () => {
  expect(formsOf([optimizer({ 'm.w': matrix() })], { ...bounded, firstMoment: 'bitsnap' })).toEqual({
    'm.w': 'clusters',
  });
});

describe('lossy roles without any tensor cause a warning', () => {
  const told = (what: string) => [
    `The run does not want ${what} kept exact, but no tensor of an optimizer file is called as such; ` +
      'state.names of the run can say which are.',
  ];
  test.each<[string, readonly ReturnType<typeof optimizer>[], StateOptions, readonly string[]]>([
    [
      'names that nothing is known of',
      [optimizer({ mu_w: matrix(), nu_w: matrix() })],
      adam,
      told('first moments or second moments'),
    ],
    [
      'a map that fits nothing',
      [optimizer({ mu_w: matrix() })],
      { ...adam, secondMoment: 'exact', names: { firstMoment: ['mu'] } },
      told('first moments'),
    ],
    [
      'no momentum',
      [optimizer({ 'm.w': matrix(), 'v.w': matrix() })],
      { ...bounded, momentum: 'bitsnap' },
      told('momentum'),
    ],
    [
      'a file of another role',
      [optimizer({ 'momentum.w': matrix() }, 'o.safetensors', 'other')],
      { ...adam, momentum: 'bounded', secondMoment: 'exact', firstMoment: 'exact' },
      told('momentum'),
    ],
    ['no file at all', [], bounded, told('first moments or second moments or momentum')],
    ['all there', [optimizer({ 'm.w': matrix(), 'v.w': matrix(), 'momentum.x': matrix() })], bounded, []],
  ])('%s', (_, files, options, sentences) => {
    expect(stateWarnings(files, options)).toEqual(sentences);
  });
});
