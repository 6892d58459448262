import type { EvalSetSpec, MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { needsLabels, type MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import { isFloatDtype } from '../../graph/onnx/onnx-dtype.ts';
import type { GraphDescription } from '../../graph/describe-graph.ts';
import { quoteNames } from '../../graph/quote-names.ts';
import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';

/** Common names of labels, in the order in which they are looked for. */
const labelNames = ['labels', 'label', 'targets', 'target', 'y'];
/** Common names of the logits. */
const outputNames = ['logits', 'output', 'outputs'];

/** The tensors of a batches file, from its header. */
export type BatchColumns = readonly Pick<TensorEntry, 'name' | 'dtype' | 'shape'>[];

/**
 * The spec suggested by the names and types of graph and batches: inputs are fed from tensors of the same names, and
 * labels are the tensor with such a name. Whole-numbered labels mean cross-entropy, real ones mean squared error;
 * without labels an output called `loss` is one, and any other is compared with the uploaded model's. Pure. Errors:
 * `eval-input-mismatch` if names are ambiguous.
 */
export function inferSpec(
  graph: Pick<GraphDescription, 'inputs' | 'outputs'>,
  columns: BatchColumns,
  asked: { readonly kind?: MetricKind } = {},
): EvalSetSpec {
  const inputs = inferInputs(graph, columns);
  const fed = new Set(Object.values(inputs));
  const labels = labelNames
    .map((name) => columns.find((column) => column.name === name && !fed.has(name)))
    .find((column) => column !== undefined);
  const output = outputNames.find((name) => graph.outputs.some((each) => each.name === name)) ?? graph.outputs[0]?.name;
  if (output === undefined) throw new FirnError('graph-invalid', 'The graph has no output.');
  const kind =
    asked.kind ??
    (labels === undefined
      ? output === 'loss'
        ? 'loss'
        : 'kl-divergence'
      : isFloatDtype(labels.dtype)
        ? 'mse'
        : 'cross-entropy');
  if (needsLabels(kind) && labels === undefined)
    throw new FirnError(
      'eval-label-mismatch',
      `Kind ${kind} needs labels, and the batches have no tensor called ${labelNames.join(', ')}.`,
    );
  const metric: MetricSpec = { name: nameOf(kind), kind, output, ...(labels !== undefined && { labels: labels.name }) };
  return { inputs, metrics: [metric] };
}

function inferInputs({ inputs }: Pick<GraphDescription, 'inputs'>, columns: BatchColumns): Record<string, string> {
  const names = new Set(columns.map(({ name }) => name));
  const missing = inputs.filter(({ name }) => !names.has(name));
  const free = columns.filter(({ name }) => !labelNames.includes(name) && inputs.every((input) => input.name !== name));
  const [only] = free;
  // With several inputs, a missing one could be any tensor: a mask is not the token types.
  if (inputs.length === 1 && missing.length === 1 && free.length === 1) return { [inputs[0]!.name]: only!.name };
  if (missing.length > 0)
    throw new FirnError(
      'eval-input-mismatch',
      `The batches have no tensor for graph input ${quoteNames(missing.map(({ name }) => name))}; they hold ` +
        `${quoteNames([...names])}. Say what is fed with "inputs" in a spec.`,
    );
  return Object.fromEntries(inputs.map(({ name }) => [name, name]));
}

/** The usual name of such a metric. */
function nameOf(kind: MetricKind): string {
  return kind === 'cross-entropy' || kind === 'binary-cross-entropy' ? 'loss' : kind;
}
