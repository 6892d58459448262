import type { MetricKind } from './metric-kind.ts';

/** Form of class labels: the index of a class for each position, or a probability for each class. */
export const labelForms = ['indices', 'probabilities'] as const;
export type LabelForm = (typeof labelForms)[number];

/** Axis of the classes in an output: its last one, or its second (`[N, C, H, W]`). */
export const classAxes = ['last', 'second'] as const;
export type ClassAxis = (typeof classAxes)[number];

/** Meaning of an eval set's graph and batches; uploaded with them as JSON. */
export interface EvalSetSpec {
  /** Graph input name to tensor of the batches file. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly metrics: readonly MetricSpec[];
  /** Form of the class labels. Without it, they are indices, and labels in the shape of the logits are refused. */
  readonly labels?: LabelForm;
  /** Positions with this label count in no metric. */
  readonly ignoreLabel?: number;
  /** Rows of the batches fed at once; default 16. */
  readonly batchRows?: number;
  /** Maps graph initializers to checkpoint tensors, if their names differ. */
  readonly tensorMap?: Readonly<Record<string, { readonly tensor: string; readonly transpose?: boolean }>>;
  /**
   * Floating-point constants of the graph that are no weights of the checkpoint, by name; `*` stands for any
   * characters. Any other constant that no tensor fills fails the checkpoint.
   */
  readonly constants?: readonly string[];
  /**
   * Tensors of the checkpoint that the graph leaves out on purpose, by name; `*` stands for any characters. They need
   * no initializer: nothing is refused or doubted because the graph does not use them.
   */
  readonly unused?: readonly string[];
  /**
   * Accepts figures that are worse than guessing, or with labels that look shifted. Without it a checkpoint with such a
   * figure is stored exact.
   */
  readonly allowDoubted?: boolean;
}

export interface MetricSpec {
  /** Unique in the set; thresholds refer to it. */
  readonly name: string;
  readonly kind: MetricKind;
  /** Graph output. */
  readonly output: string;
  /** Tensor of the batches file with the labels; see `needsLabels`. */
  readonly labels?: string;
  /** Axis of the classes; found from the shapes of output and labels if these are unambiguous. */
  readonly classAxis?: ClassAxis;
  /** For kind `top-k-accuracy`: how many of the largest logits count; default 5. */
  readonly k?: number;
}

/** Most metrics of one eval set. */
export const metricCountMax = 16;
/** Most names or patterns in `constants`, and in `unused`. */
export const constantsMax = 1024;
/** Most of them that are patterns: each is compared with every name of the graph, or of the checkpoint. */
export const constantPatternsMax = 64;
/** Default of `k` for kind `top-k-accuracy`. */
export const topKDefault = 5;
