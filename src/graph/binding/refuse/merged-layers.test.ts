import { describe, expect, test } from 'vitest';
import { buildModel, external, floats, node, value, type ModelParts } from '../../onnx/build-model.ts';
import { describeGraph } from '../../describe-graph.ts';
import { bindingOf } from '../../bind-weights.ts';
import type { BindingSpec } from '../bind-request.ts';
import { numbers } from '../bind-model.test-support.ts';
import { pairByHeaders } from '../pair/pair-by-headers.ts';
import { mergedLayers, refuseMergedLayers } from './merged-layers.ts';

const layer = (at: number, prefix = '') => [`${prefix}layers.${at}.a.weight`, `${prefix}layers.${at}.a.bias`];
const shapeOf = (name: string) => (name.endsWith('bias') ? [3] : [3, 3]);

/** A stack of layers: the weights that each place uses, after the operators in `before`. */
function stack(
  places: readonly (readonly string[])[],
  { before = [], stored = [] }: { before?: ModelParts['nodes']; stored?: readonly string[] } = {},
) {
  const made = new Set(before.flatMap((each) => each.output ?? []));
  const names = [...new Set([...before.flatMap((each) => each.input ?? []), ...places.flat()])].filter(
    (name) => !made.has(name),
  );
  return describeGraph(
    buildModel({
      inputs: [value('h0', ['n', 3])],
      outputs: [value(`h${places.length}`, ['n', 3])],
      initializers: names.map((name, at) =>
        stored.includes(name)
          ? floats(name, shapeOf(name), numbers(name.endsWith('bias') ? 3 : 9, at))
          : external(name, shapeOf(name)),
      ),
      nodes: [...before, ...places.map((weights, at) => node('Gemm', [`h${at}`, ...weights], [`h${at + 1}`]))],
    }),
  );
}

/** Merged layers if the tensors in `names` have bytes of their own, except those in `copies`. */
function found(
  graph: ReturnType<typeof stack>,
  names: readonly string[],
  { copies = [], ...spec }: BindingSpec & { copies?: readonly string[] } = {},
) {
  const headers = pairByHeaders({
    ...spec,
    graph,
    tensors: names.map((name) => ({ name, dtype: 'F32' as const, shape: shapeOf(name) })),
  });
  const binding = bindingOf(headers.pairs);
  const used = new Set(Object.values(binding).map((source) => source.tensor));
  const unmeasured = new Set(names.filter((name) => !used.has(name) && !copies.includes(name)));
  const merged = mergedLayers(headers, binding, unmeasured);
  return { merged, refuse: () => refuseMergedLayers(merged, binding) };
}

const three = [...layer(0), ...layer(1), ...layer(2)];

describe('layers that an exporter merged are refused', () => {
  test('with both names, the exports that keep them apart, and how to say that they are left out', () => {
    const { refuse } = found(stack([layer(0), layer(0), layer(0)]), three);
    expect(refuse).toThrow(
      expect.objectContaining({
        code: 'graph-missing-weights',
        message: expect.stringMatching(
          new RegExp(
            [
              /"layers\.0\.a\.weight" in 3 places and "layers\.1\.a\.weight"/,
              /optimize=False/,
              /keep_initializers_as_inputs=True/,
              /"unused":\["layers\.1\.\*","layers\.2\.\*"\]/,
            ]
              .map(({ source }) => source)
              .join('.*'),
          ),
        ),
      }),
    );
    const declared = found(stack([layer(0), layer(0), layer(0)]), three, { unused: ['layers.1.*', 'layers.2.*'] });
    expect(declared.merged).toEqual([]);
    expect(declared.refuse).not.toThrow();
  });

  test.each<[string, ReturnType<typeof stack>, readonly string[]]>([
    ['some of them', stack([layer(0), layer(1), layer(1)]), three],
    [
      'behind a prefix',
      stack([layer(0, 'm.'), layer(0, 'm.'), layer(0, 'm.'), ['m.out.weight', 'm.out.bias']]),
      [...three, 'out.weight', 'out.bias'],
    ],
    ['with numbers stored in the graph', stack([layer(0), layer(0), layer(0)], { stored: layer(0) }), three],
    [
      'under names of their own, one of which is in use once',
      stack([layer(0), ['tail.weight', 'tail.bias']], {
        before: [
          node('Identity', ['layers.0.a.weight'], ['tail.weight']),
          node('Identity', ['layers.0.a.bias'], ['tail.bias']),
        ],
      }),
      [...layer(0), 'tail.weight', 'tail.bias'],
    ],
    [
      'turned once for all',
      stack([['turned'], ['turned'], ['turned']], { before: [node('Transpose', ['layers.0.a.weight'], ['turned'])] }),
      three.filter((name) => name.endsWith('weight')),
    ],
  ])('%s', (_, graph, names) => {
    expect(found(graph, names).merged).not.toEqual([]);
  });
});

describe('layers are not taken for merged', () => {
  test.each<readonly [string, ReturnType<typeof stack>, string[], string[]]>([
    ['that share their weights', stack([layer(0), layer(0), layer(0)]), layer(0), []],
    [
      'that share their weights and are stored under every name',
      stack([layer(0), layer(0), layer(0)]),
      three,
      [...layer(1), ...layer(2)],
    ],
    ['of which the graph has fewer', stack([layer(0), layer(1)]), three, []],
    [
      'beside unused tensors of other names',
      stack([layer(0), layer(0)]),
      [...layer(0), 'pooler.a.weight', 'ema.layers.0.a.weight', 'layers.0.b.weight'],
      [],
    ],
    ['that share their weights in a model of fewer layers', stack([layer(0), layer(0)]), [...three, ...layer(3)], []],
    [
      'of which one projects three times by parts of a matrix',
      stack([['q'], ['k'], ['v']], { before: [node('Split', ['layers.0.a.weight'], ['q', 'k', 'v'])] }),
      three.filter((name) => name.endsWith('weight')),
      [],
    ],
  ])('%s', (_, graph, names, copies) => {
    expect(found(graph, names, { copies }).merged).toEqual([]);
  });
});
