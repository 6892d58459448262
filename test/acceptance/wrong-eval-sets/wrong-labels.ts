import {
  classifierBatches,
  classifierFile,
  classifierRows,
  classifierSpec,
  classifierWeights,
  measure,
} from '../classifier.ts';
import { randomNumbers } from '../random-numbers.ts';
import { f32Tensor, i64Tensor, safetensorsFile } from '../safetensors-file.ts';
import { classifierVariant } from './classifier-variants.ts';
import { refused, type Expected, type Mistake } from './mistake.ts';
import {
  sayings,
  sequenceLength,
  tokenBatches,
  tokenFile,
  tokenGraph,
  tokenLoss,
  tokenSpec,
  tokenWeights,
  vocabulary,
} from './next-token.ts';

const weights = classifierWeights(1);
const rows = classifierRows(weights);
const count = rows.labels.length;
const classes = 16;
const ids = i64Tensor([count, 4], rows.ids);
const truth = measure(weights, rows);
const shared = {
  spec: classifierSpec,
  graph: classifierVariant(),
  files: { 'model.safetensors': classifierFile(weights) },
  truth,
};
const withLabels = (labels: readonly number[]): Buffer => classifierBatches({ ids: rows.ids, labels });
const oneHot = rows.labels.flatMap((label) => Array.from({ length: classes }, (_, at) => Number(at === label)));
const worse: Expected = { warns: /guess/i };

const tokens = tokenWeights();
const said = sayings(tokens);
const tokenModel = {
  spec: tokenSpec,
  graph: tokenGraph(),
  files: { 'model.safetensors': tokenFile(tokens, { embed: 'embed.weight', head: 'lm_head.weight' }) },
  truth: { loss: tokenLoss(tokens, said.ids, said.labels) },
};
/** Every third label does not count. */
const masked = said.labels.map((label, at) => (at % 3 === 0 ? -100 : label));
const maskedTruth = { loss: tokenLoss(tokens, said.ids, masked) };
/** Sequences that end early, padded with token 0. */
const padded = { ids: said.ids.map((id, at) => (ended(at) ? 0 : id)), labels: said.labels.map(paddedWith(0)) };
const paddedTruth = { loss: tokenLoss(tokens, padded.ids, said.labels.map(paddedWith(-100))) };
/** As many positions as classes, so that nothing tells the two axes apart. */
const square = { ids: said.ids.slice(0, 2 * vocabulary), labels: said.labels.slice(0, 2 * vocabulary) };
const squareModel = {
  ...tokenModel,
  graph: tokenGraph({ classesSecond: true, length: vocabulary }),
  batches: tokenBatches(square.ids, square.labels, vocabulary),
  truth: { loss: tokenLoss(tokens, square.ids, square.labels) },
};

export const wrongLabels: readonly Mistake[] = [
  { ...shared, name: 'nothing at all', batches: classifierBatches(rows), expected: ['right'] },
  {
    ...shared,
    name: 'one-hot labels, and nothing that says so',
    batches: safetensorsFile({ ids, labels: i64Tensor([count, classes], oneHot) }),
    expected: [refused('eval-label-mismatch', /"labels": "probabilities"/)],
  },
  {
    ...shared,
    name: 'one-hot labels, called probabilities',
    spec: { ...classifierSpec, labels: 'probabilities' },
    batches: safetensorsFile({ ids, labels: f32Tensor([count, classes], oneHot) }),
    expected: ['right'],
  },
  {
    ...shared,
    name: 'class indices, called probabilities',
    spec: { ...classifierSpec, labels: 'probabilities' },
    batches: classifierBatches(rows),
    expected: [refused('eval-label-mismatch', /probabilities/)],
  },
  {
    ...shared,
    name: 'labels in a column of their own',
    batches: safetensorsFile({ ids, labels: i64Tensor([count, 1], rows.labels) }),
    expected: ['right'],
  },
  {
    ...shared,
    name: 'labels stored as floats',
    batches: safetensorsFile({ ids, labels: f32Tensor([count], rows.labels) }),
    expected: ['right'],
  },
  {
    ...shared,
    name: 'labels that are no whole numbers',
    batches: safetensorsFile({
      ids,
      labels: f32Tensor(
        [count],
        rows.labels.map((label) => label + 0.5),
      ),
    }),
    expected: [refused('eval-label-mismatch', /classes/)],
  },
  {
    ...shared,
    name: 'labels that count from one',
    batches: withLabels(rows.labels.map((label) => label + 1)),
    expected: [refused('eval-label-mismatch', /0 to 15/)],
  },
  {
    ...shared,
    name: 'labels that were never filled in',
    batches: withLabels(rows.labels.map(() => 0)),
    expected: [worse],
  },
  {
    ...shared,
    name: 'labels in another order than the inputs',
    batches: withLabels(shuffled(rows.labels)),
    expected: [worse],
  },
  {
    ...shared,
    name: 'classes numbered otherwise',
    batches: withLabels(rows.labels.map((label) => (label * 5 + 3) % classes)),
    expected: [worse],
  },
  {
    ...shared,
    name: 'fewer labels than rows',
    batches: safetensorsFile({ ids, labels: i64Tensor([count - 1], rows.labels.slice(1)) }),
    expected: [refused('eval-label-mismatch', /rows/)],
  },
  {
    ...shared,
    name: 'a batch of one',
    batches: classifierBatches(firstRows(1)),
    truth: measure(weights, firstRows(1)),
    expected: ['right', worse],
  },
  {
    ...shared,
    name: 'an empty batch',
    batches: classifierBatches(firstRows(0)),
    expected: [refused('eval-input-mismatch', /no rows/)],
  },
  {
    ...tokenModel,
    name: 'labels that are the inputs',
    batches: tokenBatches(said.ids, said.ids),
    expected: [{ warns: /shifted by one/i }],
  },
  {
    ...tokenModel,
    name: 'labels shifted twice',
    batches: tokenBatches(said.ids, said.later),
    expected: [{ warns: /shifted by one/i }],
  },
  { ...tokenModel, name: 'labels shifted once', batches: tokenBatches(said.ids, said.labels), expected: ['right'] },
  {
    ...tokenModel,
    name: 'masked labels without ignoreLabel',
    batches: tokenBatches(said.ids, masked),
    expected: [refused('eval-label-mismatch', /"ignoreLabel": -100/)],
  },
  {
    ...tokenModel,
    name: 'masked labels with it',
    spec: { ...tokenSpec, ignoreLabel: -100 },
    batches: tokenBatches(said.ids, masked),
    truth: maskedTruth,
    expected: ['right'],
  },
  {
    ...tokenModel,
    name: 'padding labelled as class 0',
    batches: tokenBatches(padded.ids, padded.labels),
    truth: paddedTruth,
    expected: [{ warns: /"labels" look padded: .* end in a run of label 0, .* % of all positions.*"ignoreLabel": 0/ }],
  },
  {
    ...tokenModel,
    name: 'padding that is left out',
    spec: { ...tokenSpec, ignoreLabel: -100 },
    batches: tokenBatches(padded.ids, said.labels.map(paddedWith(-100))),
    truth: paddedTruth,
    expected: ['right'],
  },
  {
    ...tokenModel,
    name: 'labels that are masked throughout',
    spec: { ...tokenSpec, ignoreLabel: -100 },
    batches: tokenBatches(
      said.ids,
      said.ids.map(() => -100),
    ),
    expected: [refused('eval-label-mismatch', /ignore/i), { warns: /no finite|ignore/i }],
  },
  {
    ...tokenModel,
    name: 'a vocabulary in another order',
    batches: tokenBatches(said.ids.map(otherToken), said.labels.map(otherToken)),
    expected: [worse],
  },
  {
    ...tokenModel,
    name: 'logits with the classes second',
    graph: tokenGraph({ classesSecond: true }),
    batches: tokenBatches(said.ids, said.labels),
    expected: ['right'],
  },
  {
    ...squareModel,
    name: 'logits that can be read in two ways',
    expected: [refused('eval-label-mismatch', /"classAxis": "second"/)],
  },
  {
    ...squareModel,
    name: 'logits that can be read in two ways, and which is said',
    spec: { ...tokenSpec, metrics: [{ ...tokenSpec.metrics[0], classAxis: 'second' }] },
    expected: ['right'],
  },
  {
    ...squareModel,
    name: 'the wrong axis of the two',
    spec: { ...tokenSpec, metrics: [{ ...tokenSpec.metrics[0], classAxis: 'last' }] },
    expected: [worse],
  },
  {
    ...tokenModel,
    name: 'tokens of a longer sequence than the graph takes',
    batches: tokenBatches(said.ids, said.labels, sequenceLength * 2),
    expected: [refused('eval-input-mismatch', /"ids"/)],
  },
];

/** Whether a sequence ended before this position; they end 0 to 5 tokens early. */
function ended(at: number): boolean {
  return at % sequenceLength >= sequenceLength - (Math.floor(at / sequenceLength) % 6);
}

function paddedWith(filler: number) {
  return (label: number, at: number) => (ended(at) ? filler : label);
}

function firstRows(amount: number) {
  return { ids: rows.ids.slice(0, 4 * amount), labels: rows.labels.slice(0, amount) };
}

function shuffled(values: readonly number[]): number[] {
  const random = randomNumbers(13);
  return values
    .map((value) => [random(), value] as const)
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value);
}

/** The same token in the other vocabulary. */
function otherToken(id: number): number {
  return (id * 7 + 5) % vocabulary;
}
