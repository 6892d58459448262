import { integersAttribute, node, onnxFile, openInitializer, storedInitializer, value } from '../onnx-file.ts';
import { normal, randomNumbers } from '../random-numbers.ts';
import { f32Tensor, i64Tensor, safetensorsFile } from '../safetensors-file.ts';

/**
 * A language model whose next token follows from the last one alone: an embedding, a vector that turns some of its
 * signs, and a head.
 */
export const vocabulary = 24;
export const sequenceLength = 12;
export const sequences = 64;
const width = 16;

/** So that a tied model does not say the same token for ever. */
const mix = Float32Array.from({ length: width }, (_, at) => (at % 2 === 0 ? 1 : -1));
const mixName = 'mix.weight';

export interface TokenWeights {
  /** [vocabulary, width] */
  readonly embed: Float32Array;
  /** [vocabulary, width], as a linear layer keeps it. */
  readonly head: Float32Array;
}

export function tokenWeights(seed = 3): TokenWeights {
  const random = randomNumbers(seed);
  const matrix = () => Float32Array.from({ length: vocabulary * width }, () => 0.9 * normal(random));
  return { embed: matrix(), head: matrix() };
}

/** Embedding and head are one matrix. */
export function tiedWeights(seed = 4): TokenWeights {
  const { embed } = tokenWeights(seed);
  return { embed, head: embed };
}

export interface Sequences {
  /** Each `sequenceLength` tokens, and the one that follows each. */
  readonly ids: readonly number[];
  readonly labels: readonly number[];
  /** The one after that. */
  readonly later: readonly number[];
}

/** Sequences that the model itself says. */
export function sayings(weights: TokenWeights, seed = 6): Sequences {
  const random = randomNumbers(seed);
  const rows = Array.from({ length: sequences }, () => {
    const row = [Math.floor(random() * vocabulary)];
    while (row.length < sequenceLength + 2) {
      let left = random();
      const next = logProbabilities(weights, row.at(-1)!).findIndex((log) => (left -= Math.exp(log)) < 0);
      row.push(Math.max(0, next));
    }
    return row;
  });
  const from = (start: number) => rows.flatMap((row) => row.slice(start, start + sequenceLength));
  return { ids: from(0), labels: from(1), later: from(2) };
}

/** Mean loss over the positions whose label counts. */
export function tokenLoss(weights: TokenWeights, ids: readonly number[], labels: readonly number[]): number {
  const logs = Array.from({ length: vocabulary }, (_, id) => logProbabilities(weights, id));
  const losses = ids.flatMap((id, at) => (labels[at]! < 0 ? [] : [-logs[id]![labels[at]!]!]));
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

export function tokenBatches(ids: readonly number[], labels: readonly number[], length = sequenceLength): Buffer {
  return safetensorsFile({
    ids: i64Tensor([ids.length / length, length], ids),
    labels: i64Tensor([labels.length / length, length], labels),
  });
}

export const tokenSpec = {
  inputs: { ids: 'ids' },
  metrics: [{ name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'labels' }],
} as const;

export interface TokenGraphOptions {
  readonly embedName?: string;
  /** The graph uses the embedding for both when null. */
  readonly headName?: string | null;
  /** Weights that the graph carries; open without. */
  readonly carried?: TokenWeights;
  /** Logits as [N, C, T]. */
  readonly classesSecond?: boolean;
  readonly length?: number;
}

export function tokenGraph({
  embedName = 'embed.weight',
  headName = 'lm_head.weight',
  carried,
  ...options
}: TokenGraphOptions = {}): Buffer {
  const { classesSecond = false, length = sequenceLength } = options;
  const weight = (name: string, values?: Float32Array) =>
    values === undefined
      ? openInitializer(name, [vocabulary, width])
      : storedInitializer(name, [vocabulary, width], f32Tensor([], values).bytes);
  return onnxFile({
    inputs: [value('ids', ['rows', length], 'int64')],
    outputs: [value('logits', classesSecond ? ['rows', vocabulary, length] : ['rows', length, vocabulary])],
    initializers: [
      openInitializer(mixName, [width]),
      weight(embedName, carried?.embed),
      ...(headName === null ? [] : [weight(headName, carried?.head)]),
    ],
    nodes: [
      node('Gather', [embedName, 'ids'], ['looked_up']),
      node('Mul', ['looked_up', mixName], ['mixed']),
      node('Transpose', [headName ?? embedName], ['turned'], [integersAttribute('perm', [1, 0])]),
      node('MatMul', ['mixed', 'turned'], [classesSecond ? 'raw' : 'logits']),
      ...(classesSecond ? [node('Transpose', ['raw'], ['logits'], [integersAttribute('perm', [0, 2, 1])])] : []),
    ],
  });
}

/** A checkpoint with these tensors of it. */
export function tokenFile(weights: TokenWeights, names: { readonly embed?: string; readonly head?: string }): Buffer {
  const tensor = (values: Float32Array) => f32Tensor([vocabulary, width], values);
  return safetensorsFile({
    [mixName]: f32Tensor([width], mix),
    ...(names.embed !== undefined && { [names.embed]: tensor(weights.embed) }),
    ...(names.head !== undefined && { [names.head]: tensor(weights.head) }),
  });
}

function logProbabilities({ embed, head }: TokenWeights, id: number): number[] {
  const logits = Array.from({ length: vocabulary }, (_, token) => {
    let sum = 0;
    for (let at = 0; at < width; at++) sum += embed[id * width + at]! * mix[at]! * head[token * width + at]!;
    return sum;
  });
  const top = Math.max(...logits);
  const all = top + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0));
  return logits.map((logit) => logit - all);
}
