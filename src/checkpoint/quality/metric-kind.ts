/** The kinds of metrics an eval set may have. {@link metricKindRules} describes each. */
export const metricKinds = [
  'loss',
  'cross-entropy',
  'perplexity',
  'accuracy',
  'top-k-accuracy',
  'f1',
  'binary-cross-entropy',
  'binary-accuracy',
  'mse',
  'pearson',
  'kl-divergence',
  'agreement',
  'deviation',
] as const;
export type MetricKind = (typeof metricKinds)[number];

/** The reference that the output of the graph is compared with. */
export type ComparedWith =
  /** Nothing: the output is the value. */
  | 'nothing'
  /** The class of each position: an index, or a probability for each class (`EvalSetSpec.labels`). */
  | 'classes'
  /** A target from 0 to 1 for each value of the output. */
  | 'binary-targets'
  /** A real value for each value of the output. */
  | 'values'
  /** Logits of the model as it was uploaded. Labels are optional and only say which positions to leave out. */
  | 'uploaded-classes'
  /** Real values of the model as it was uploaded. Labels are optional and only say which values to leave out. */
  | 'uploaded-values';

export interface MetricKindRules {
  readonly higherIsBetter: boolean;
  readonly comparedWith: ComparedWith;
  /** Whether a threshold bounds the change in units of the uploaded model's value, or the change itself. */
  readonly bound: 'relative' | 'absolute';
  /** Unit of the value. */
  readonly unit: string;
  /** The quantity that the kind measures. */
  readonly meaning: string;
  /** Shape and type of the graph output. */
  readonly output: string;
  /** Shape and type of the labels. */
  readonly labels: string;
  /** The condition under which a position is left out. */
  readonly masks: string;
}

const classOutput =
  'logits `[N, ..., C]`, or `[N, C, ...]` with the classes second (segmentation), floating; not probabilities';
const classLabels =
  'class indices without the class axis, `[N, ...]`, whole numbers from 0 to C-1; or, with `"labels": ' +
  '"probabilities"` in the spec, one probability a class in the shape of the logits (one-hot is one of these)';
const classMasks = 'positions whose label is `ignoreLabel`; of probabilities those that are `ignoreLabel` throughout';
const binaryOutput = 'one logit a target, any shape, floating; not probabilities';
const binaryLabels = 'targets from 0 to 1 in the shape of the output';
const valueMasks = 'values whose label is `ignoreLabel`';
const referenceOutput =
  'logits `[N, ..., C]` (or `[N, C, ...]` with `"classAxis": "second"`); with a last axis of one, one logit a value';
const referenceLabels = 'none needed; where given, they only say which positions to leave out';

/** Rules of each kind. Docs, API description and errors are made from this table. */
export const metricKindRules: Readonly<Record<MetricKind, MetricKindRules>> = {
  loss: {
    higherIsBetter: false,
    comparedWith: 'nothing',
    bound: 'relative',
    unit: 'that of the output',
    meaning: 'the mean of an output that is a loss already, each batch weighted by its rows',
    output: 'a scalar, or one value a row or position; a mean, not a sum, since a sum follows `batchRows`',
    labels: 'none; the graph may take them as inputs',
    masks: 'nothing',
  },
  'cross-entropy': {
    higherIsBetter: false,
    comparedWith: 'classes',
    bound: 'relative',
    unit: 'nats',
    meaning: 'mean over positions of minus the log-probability that softmax gives the label',
    output: classOutput,
    labels: classLabels,
    masks: classMasks,
  },
  perplexity: {
    higherIsBetter: false,
    comparedWith: 'classes',
    bound: 'relative',
    unit: '1 (the exponential of the cross-entropy)',
    meaning: 'exp(cross-entropy); a threshold t bounds the rise of the cross-entropy by ln(1 + t) nats',
    output: classOutput,
    labels: classLabels,
    masks: classMasks,
  },
  accuracy: {
    higherIsBetter: true,
    comparedWith: 'classes',
    bound: 'relative',
    unit: 'share of positions',
    meaning: 'share of positions whose largest logit is the label (of probabilities: their largest)',
    output: classOutput,
    labels: classLabels,
    masks: classMasks,
  },
  'top-k-accuracy': {
    higherIsBetter: true,
    comparedWith: 'classes',
    bound: 'relative',
    unit: 'share of positions',
    meaning: 'share of positions whose label is among the `k` largest logits (5 unless `k` is given)',
    output: classOutput,
    labels: classLabels,
    masks: classMasks,
  },
  f1: {
    higherIsBetter: true,
    comparedWith: 'classes',
    bound: 'relative',
    unit: '0 to 1',
    meaning:
      'mean over classes of the harmonic mean of precision and recall (macro F1), over the classes that ' +
      'occur in labels or answers',
    output: classOutput,
    labels: classLabels,
    masks: classMasks,
  },
  'binary-cross-entropy': {
    higherIsBetter: false,
    comparedWith: 'binary-targets',
    bound: 'relative',
    unit: 'nats',
    meaning: 'mean over all values of the cross-entropy of a target under the sigmoid of its logit',
    output: binaryOutput,
    labels: binaryLabels,
    masks: valueMasks,
  },
  'binary-accuracy': {
    higherIsBetter: true,
    comparedWith: 'binary-targets',
    bound: 'relative',
    unit: 'share of values',
    meaning: 'share of values where logit > 0 agrees with target > 0.5',
    output: binaryOutput,
    labels: binaryLabels,
    masks: valueMasks,
  },
  mse: {
    higherIsBetter: false,
    comparedWith: 'values',
    bound: 'relative',
    unit: 'that of the output, squared',
    meaning: 'mean of the squared differences',
    output: 'any shape, floating',
    labels: 'the shape of the output, floating',
    masks: valueMasks,
  },
  pearson: {
    higherIsBetter: true,
    comparedWith: 'values',
    bound: 'relative',
    unit: '-1 to 1',
    meaning: "Pearson's correlation over all values",
    output: 'any shape, floating',
    labels: 'the shape of the output, floating',
    masks: valueMasks,
  },
  'kl-divergence': {
    higherIsBetter: false,
    comparedWith: 'uploaded-classes',
    bound: 'absolute',
    unit: 'nats',
    meaning:
      "mean over positions of the divergence from the uploaded model's distribution to the rebuilt one's; 0 " +
      'for the uploaded model',
    output: referenceOutput,
    labels: referenceLabels,
    masks: classMasks,
  },
  agreement: {
    higherIsBetter: true,
    comparedWith: 'uploaded-classes',
    bound: 'absolute',
    unit: 'share of positions',
    meaning:
      "share of positions whose top choice is the uploaded model's; 1 for the uploaded model, and a " +
      'threshold of 0.01 lets one position in a hundred change',
    output: referenceOutput,
    labels: referenceLabels,
    masks: classMasks,
  },
  deviation: {
    higherIsBetter: false,
    comparedWith: 'uploaded-values',
    bound: 'absolute',
    unit: 'that of the output, squared',
    meaning: "mean of the squared differences from the uploaded model's output; 0 for the uploaded model",
    output: 'any shape, floating',
    labels: 'none needed; where given, in the shape of the output, they only say which values to leave out',
    masks: valueMasks,
  },
};

/** Whether a metric of this kind cannot be computed without labels. */
export function needsLabels(kind: MetricKind): boolean {
  return metricKindRules[kind].comparedWith !== 'nothing' && !needsReference(kind);
}

/** Whether the kind compares with the outputs of the uploaded model. */
export function needsReference(kind: MetricKind): boolean {
  const { comparedWith } = metricKindRules[kind];
  return comparedWith === 'uploaded-classes' || comparedWith === 'uploaded-values';
}

/** Whether output and labels of the kind are read as classes, one choice at each position. */
export function readsClasses(kind: MetricKind): boolean {
  const { comparedWith } = metricKindRules[kind];
  return comparedWith === 'classes' || comparedWith === 'uploaded-classes';
}

/** Whether the kind says how far outputs are from the uploaded model's, in the unit of their loss. */
export function isDivergence(kind: MetricKind): boolean {
  return kind === 'kl-divergence' || kind === 'deviation';
}
