import {
  classifierBatches,
  classifierFile,
  classifierRows,
  classifierShapes,
  classifierSpec,
  classifierWeights,
  measure,
  type Weights,
} from '../classifier.ts';
import { bf16Word, wordBytes } from '../float-words.ts';
import { safetensorsFile } from '../safetensors-file.ts';
import { classifierVariant, renamedFile, weightNames, type WeightName } from './classifier-variants.ts';
import { unbound, type Mistake } from './mistake.ts';
import {
  sayings,
  tiedWeights,
  tokenBatches,
  tokenFile,
  tokenGraph,
  tokenLoss,
  tokenSpec,
  tokenWeights,
} from './next-token.ts';

const weights = classifierWeights(1);
/** The weights of the step at which the graph was exported. */
const older = classifierWeights(40);
const rows = classifierRows(weights);
const shared = { spec: classifierSpec, batches: classifierBatches(rows), truth: measure(weights, rows) };
const file = (bytes: Buffer) => ({ files: { 'model.safetensors': bytes } });
const plainFile = file(classifierFile(weights));
const lacking = file(renamedFile(weights, (name) => (name.startsWith('fc2') ? undefined : name)));
const lackingMatrix = file(renamedFile(weights, (name) => (name === 'fc2.weight' ? undefined : name)));
const foreignNames: Record<WeightName, string> = {
  'embed.weight': 'a',
  'fc1.weight': 'b',
  'fc1.bias': 'c',
  'fc2.weight': 'd',
  'fc2.bias': 'e',
};
const foreign = file(renamedFile(weights, (name) => foreignNames[name]));
const mapped = Object.fromEntries(weightNames.map((name) => [name, { tensor: foreignNames[name] }]));
const prefixed = (prefix: string) => file(renamedFile(weights, (name) => prefix + name));

const bfloat = file(
  safetensorsFile(
    Object.fromEntries(
      weightNames.map((name) => [
        name,
        { dtype: 'BF16', shape: classifierShapes[name], bytes: wordBytes(Array.from(weights[name], bf16Word)) },
      ]),
    ),
  ),
);
const rounded = Object.fromEntries(weightNames.map((name) => [name, weights[name].map(toBf16)])) as unknown as Weights;

const tokens = tokenWeights();
const said = sayings(tokens);
const tied = tiedWeights();
const tiedSaid = sayings(tied);
const tokenModel = {
  spec: tokenSpec,
  batches: tokenBatches(said.ids, said.labels),
  truth: { loss: tokenLoss(tokens, said.ids, said.labels) },
};
const tiedModel = {
  spec: tokenSpec,
  batches: tokenBatches(tiedSaid.ids, tiedSaid.labels),
  truth: { loss: tokenLoss(tied, tiedSaid.ids, tiedSaid.labels) },
  ...file(tokenFile(tied, { embed: 'embed.weight' })),
};

export const wrongWeights: readonly Mistake[] = [
  ...['module.', '_orig_mod.', 'model.', 'm.', 'net.inner.'].map((prefix) => ({
    ...shared,
    ...prefixed(prefix),
    name: `a checkpoint with the prefix ${prefix}`,
    graph: classifierVariant(),
    expected: ['right'] as const,
  })),
  {
    ...shared,
    ...plainFile,
    name: 'a graph exported through a wrapper, with the prefix m.',
    graph: classifierVariant({ nameOf: (name) => `m.${name}` }),
    expected: ['right'],
  },
  {
    ...shared,
    ...prefixed('module.'),
    name: 'a prefix, and a graph that carries older weights',
    graph: classifierVariant({ carried: older }),
    expected: ['right'],
  },
  {
    ...shared,
    ...foreign,
    name: 'names that have nothing in common',
    graph: classifierVariant(),
    expected: [unbound(/tensorMap|tensor map/i)],
  },
  {
    ...shared,
    ...foreign,
    name: 'names that have nothing in common, in a graph with older weights',
    graph: classifierVariant({ carried: older }),
    expected: [unbound(/tensorMap|tensor map/i)],
  },
  {
    ...shared,
    ...foreign,
    name: 'names that have nothing in common, in a graph with these weights',
    graph: classifierVariant({ carried: weights }),
    expected: ['right'],
  },
  {
    ...shared,
    ...foreign,
    name: 'names that have nothing in common, and a map',
    spec: { ...classifierSpec, tensorMap: mapped },
    graph: classifierVariant(),
    expected: ['right'],
  },
  {
    ...shared,
    ...foreign,
    name: 'a map to a tensor that is not there',
    spec: { ...classifierSpec, tensorMap: { ...mapped, 'fc2.bias': { tensor: 'f' } } },
    graph: classifierVariant(),
    expected: [unbound(/"f"/)],
  },
  {
    ...shared,
    ...plainFile,
    name: 'a map of a name that the graph does not have',
    spec: { ...classifierSpec, tensorMap: { 'fc3.bias': { tensor: 'fc2.bias' } } },
    graph: classifierVariant(),
    expected: [
      {
        stops: /"fc3\.bias"/,
        codes: ['eval-input-mismatch', 'graph-missing-weights'],
        at: ['eval set', 'upload', 'job'],
      },
    ],
  },
  {
    ...shared,
    ...lacking,
    name: 'a checkpoint that lacks two weights which the graph carries',
    graph: classifierVariant({ carried: older }),
    expected: [unbound(/"fc2\.(weight|bias)"/)],
  },
  {
    ...shared,
    ...lacking,
    name: 'a checkpoint that lacks two weights',
    graph: classifierVariant(),
    expected: [unbound(/"fc2\.(weight|bias)"/)],
  },
  {
    ...shared,
    ...lackingMatrix,
    name: 'a checkpoint that lacks a matrix as large as another one',
    graph: classifierVariant(),
    expected: [unbound(/"fc2\.weight"/)],
  },
  {
    ...shared,
    ...lackingMatrix,
    name: 'a checkpoint that lacks a matrix as large as another one, which the graph carries',
    graph: classifierVariant({ carried: older }),
    expected: [unbound(/"fc2\.weight"/)],
  },
  {
    ...shared,
    ...lacking,
    name: 'two weights that stay as the graph has them, and are declared',
    spec: { ...classifierSpec, constants: ['fc2.*'] },
    graph: classifierVariant({ carried: older }),
    truth: measure({ ...weights, 'fc2.weight': older['fc2.weight'], 'fc2.bias': older['fc2.bias'] }, rows),
    expected: ['right', { warns: /guess/i }],
  },
  {
    ...shared,
    ...shards(['model-00001-of-00002.safetensors']),
    name: 'one shard of two',
    graph: classifierVariant({ carried: older }),
    expected: [unbound(/"fc2\.(weight|bias)"/)],
  },
  {
    ...shared,
    ...shards(['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors']),
    name: 'both shards',
    graph: classifierVariant({ carried: older }),
    expected: ['right'],
  },
  {
    ...shared,
    ...bfloat,
    name: 'a bfloat16 checkpoint for a float32 graph',
    graph: classifierVariant(),
    truth: measure(rounded, rows),
    expected: ['right'],
  },
  { ...tiedModel, name: 'a tied head that the checkpoint leaves out', graph: tokenGraph(), expected: ['right'] },
  {
    ...tiedModel,
    name: 'a tied head under one name in the graph and another in the checkpoint',
    graph: headOnly(),
    expected: ['right'],
  },
  {
    ...tiedModel,
    name: 'a tied head that the checkpoint leaves out and the graph carries',
    graph: tokenGraph({ carried: tokenWeights(99) }),
    expected: ['right', unbound(/"lm_head\.weight"/)],
  },
  {
    ...tokenModel,
    ...file(tokenFile(tokens, { embed: 'embed.weight', head: 'lm_head.weight' })),
    name: 'a head of its own that the graph takes for tied',
    graph: tokenGraph({ headName: null }),
    expected: [unbound(/"lm_head\.weight"/), { warns: /"?lm_head\.weight/ }],
  },
  {
    ...tokenModel,
    ...file(tokenFile(tokens, { embed: 'embed.weight', head: 'lm_head.weight' })),
    name: 'a map that exchanges embedding and head',
    spec: {
      ...tokenSpec,
      tensorMap: { 'embed.weight': { tensor: 'lm_head.weight' }, 'lm_head.weight': { tensor: 'embed.weight' } },
    },
    graph: tokenGraph(),
    expected: [{ warns: /guess/i }],
  },
];

/** The form in which some exporters write a tied pair: one initializer, named like the head. */
function headOnly(): Buffer {
  return tokenGraph({ embedName: 'lm_head.weight', headName: null });
}

function shards(present: readonly string[]) {
  const [first, second] = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'] as const;
  const shardOf = (name: WeightName) => (name.startsWith('fc2') ? second : first);
  const index = { metadata: {}, weight_map: Object.fromEntries(weightNames.map((name) => [name, shardOf(name)])) };
  const bytes = (shard: string) => renamedFile(weights, (name) => (shardOf(name) === shard ? name : undefined));
  return {
    files: {
      ...Object.fromEntries(present.map((shard) => [shard, bytes(shard)])),
      'model.safetensors.index.json': Buffer.from(JSON.stringify(index)),
    },
  };
}

function toBf16(weight: number): number {
  const word = Buffer.alloc(4);
  word.writeUInt16LE(bf16Word(weight), 2);
  return word.readFloatLE(0);
}
