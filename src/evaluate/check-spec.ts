import { metricCountMax, type EvalSetSpec, type MetricSpec } from '../checkpoint/quality/eval-set-spec.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { metricKindRules, metricKinds, needsLabels } from '../checkpoint/quality/metric-kind.ts';
import { quoteName } from '../checkpoint/words/quote-name.ts';
import type { GraphDescription, GraphValue } from '../graph/describe-graph.ts';
import { isFeedable } from '../graph/evaluation-graph.ts';
import { quoteNames } from '../graph/quote-names.ts';
import { trainingNormalization } from '../graph/onnx/training-mode.ts';
import { canFeed } from './batches/feed-elements.ts';
import type { LocalTensor } from './batches/local-tensors.ts';

/** Rows fed at once if the spec does not specify it. */
export const batchRowsDefault = 16;
/** Most rows fed at once. */
export const batchRowsMax = 65_536;

/** How the batches of an eval set are cut. */
export interface RowPlan {
  readonly rows: number;
  /** Rows of each batch; only the last may have fewer. */
  readonly batchRows: number;
  /** Whether the graph accepts only this number of rows. */
  readonly rowsFixed: boolean;
}

export interface SpecParts {
  readonly spec: EvalSetSpec;
  readonly graph: GraphDescription;
  readonly batches: ReadonlyMap<string, LocalTensor>;
}

/**
 * Checks spec, graph and batches against each other without running anything, and returns how the rows are cut. A graph
 * with a fixed first dimension of its inputs gets batches of exactly that many rows. Errors: `metric-unknown`,
 * `eval-input-mismatch`, `eval-label-mismatch`, `graph-invalid` (exported in train mode).
 */
export function checkSpec(parts: SpecParts): RowPlan {
  refuseTraining(parts);
  checkMetrics(parts);
  const inputs = pairInputs(parts);
  const rows = commonRows(parts);
  const fixed = new Set(
    inputs.map(({ input, tensor }) => checkInput(input, tensor)).filter((size) => size !== undefined),
  );
  const batchRows = chooseBatchRows(parts.spec, [...fixed]);
  if (fixed.size > 0 && rows % batchRows !== 0) {
    throw mismatch(
      `The graph takes exactly ${batchRows} rows at once, which does not divide the ${rows} rows of the batches.`,
    );
  }
  return { rows, batchRows, rowsFixed: fixed.size > 0 };
}

function refuseTraining({ graph }: SpecParts): void {
  const name = trainingNormalization(graph.model);
  if (name === undefined) return;
  throw new FirnError(
    'graph-invalid',
    `The graph was exported in train mode: its batch normalization ${quoteName(name)} normalizes by each ` +
      'batch. Call model.eval() before the export.',
  );
}

function checkMetrics({ spec, graph, batches }: SpecParts): void {
  const { metrics } = spec;
  if (metrics.length < 1 || metrics.length > metricCountMax)
    throw new FirnError('metric-unknown', `An eval set has 1 to ${metricCountMax} metrics, not ${metrics.length}.`);
  if (new Set(metrics.map((metric) => metric.name)).size < metrics.length)
    throw new FirnError('metric-unknown', 'Two metrics of the eval set have the same name.');
  for (const metric of metrics) checkMetric(metric, graph, batches);
}

function checkMetric(metric: MetricSpec, graph: GraphDescription, batches: ReadonlyMap<string, LocalTensor>): void {
  const name = quoteName(metric.name);
  if (!metricKinds.includes(metric.kind))
    throw new FirnError(
      'metric-unknown',
      `Metric ${name} is of a kind that does not exist (${metricKinds.join(', ')} do).`,
    );
  if (!graph.outputs.some((output) => output.name === metric.output)) {
    throw new FirnError(
      'metric-unknown',
      `Metric ${name} reads output ${quoteName(metric.output)}, but the graph has ` +
        `${quoteNames(graph.outputs.map((output) => output.name))}.`,
    );
  }
  if (metric.kind === 'loss') return;
  if (metric.labels === undefined) {
    if (!needsLabels(metric.kind)) return;
    throw new FirnError(
      'eval-label-mismatch',
      `Metric ${name} of kind ${metric.kind} needs labels: ${metricKindRules[metric.kind].labels}.`,
    );
  }
  const labels = batches.get(metric.labels);
  if (labels === undefined)
    throw new FirnError(
      'eval-label-mismatch',
      `Metric ${name} reads labels ${quoteName(metric.labels)}, which the batches file does not have; it has ` +
        `${describeTensors(batches)}.`,
    );
  if (!isFeedable(labels.dtype) && labels.dtype !== 'BF16')
    throw new FirnError(
      'eval-label-mismatch',
      `Labels ${describeTensor(labels)} of metric ${name} have a type that cannot be labels. Kind ` +
        `${metric.kind} takes ${metricKindRules[metric.kind].labels}.`,
    );
}

function pairInputs({ spec, graph, batches }: SpecParts): { input: GraphValue; tensor: LocalTensor }[] {
  const names = new Set(graph.inputs.map((input) => input.name));
  const strangers = Object.keys(spec.inputs).filter((name) => !names.has(name));
  if (strangers.length > 0)
    throw mismatch(
      `The spec feeds inputs that the graph does not have: ${quoteNames(strangers)}; it has ${quoteNames([...names])}.`,
    );
  return graph.inputs.map((input) => {
    const source = Object.hasOwn(spec.inputs, input.name) ? spec.inputs[input.name]! : undefined;
    if (source === undefined)
      throw mismatch(`The spec does not say what to feed to graph input ${quoteName(input.name)}.`);
    const tensor = batches.get(source);
    if (tensor === undefined)
      throw mismatch(
        `Input ${quoteName(input.name)} is fed from ${quoteName(source)}, which the batches file does not ` +
          `have; it has ${describeTensors(batches)}.`,
      );
    return { input, tensor };
  });
}

/** The first dimension that all inputs and labels share. */
function commonRows({ spec, batches }: SpecParts): number {
  const inputs = Object.values(spec.inputs);
  const labels = spec.metrics.flatMap((metric) =>
    metric.kind === 'loss' || metric.labels === undefined ? [] : [metric.labels],
  );
  const first = batches.get(inputs[0] ?? labels[0] ?? '');
  const rows = first?.shape[0];
  if (first === undefined || rows === undefined || rows === 0)
    throw mismatch(`The batches have no rows${first === undefined ? '' : `: ${describeTensor(first)} is empty`}.`);
  for (const name of [...inputs, ...labels]) {
    const tensor = batches.get(name)!;
    if (tensor.shape[0] === rows) continue;
    const isInput = inputs.includes(name);
    const found =
      `${describeTensor(tensor)} ${isInput ? 'has' : 'have'} ${tensor.shape[0] ?? 'no'} rows where ` +
      `${describeTensor(first)} has ${rows}`;
    throw new FirnError(
      isInput ? 'eval-input-mismatch' : 'eval-label-mismatch',
      `${isInput ? 'Tensor' : 'Labels'} ${found}: all inputs and labels have the same number of rows, which ` +
        'are the first dimension.',
    );
  }
  return rows;
}

/** Checks one input's type and sizes; returns the number of rows that it requires, if it does. */
function checkInput(input: GraphValue, tensor: LocalTensor): number | undefined {
  const { dtype, dims } = input;
  const name = quoteName(input.name);
  if (!isFeedable(dtype)) throw mismatch(`Graph input ${name} has a type that cannot be fed (${dtype ?? 'unknown'}).`);
  if (!canFeed(tensor.dtype, dtype))
    throw mismatch(`Graph input ${name} takes ${dtype}, but ${quoteName(tensor.name)} is ${tensor.dtype}.`);
  if (dims === undefined) return undefined;
  const fits =
    dims.length === tensor.shape.length &&
    dims.every((dim, axis) => axis === 0 || typeof dim !== 'number' || dim === tensor.shape[axis]);
  if (!fits)
    throw mismatch(
      `Graph input ${name} takes shape [${dims.map((dim) => dim ?? '?').join(', ')}], but ` +
        `${quoteName(tensor.name)} has [${tensor.shape.join(', ')}].`,
    );
  return typeof dims[0] === 'number' ? dims[0] : undefined;
}

function chooseBatchRows(spec: EvalSetSpec, fixed: readonly number[]): number {
  if (fixed.length > 1) throw mismatch(`The inputs of the graph take different numbers of rows: ${fixed.join(', ')}.`);
  const asked = spec.batchRows ?? batchRowsDefault;
  if (!Number.isInteger(asked) || asked < 1 || asked > batchRowsMax)
    throw mismatch(`A batch has 1 to ${batchRowsMax} rows, not ${asked}.`);
  const batchRows = fixed[0] ?? asked;
  if (batchRows < 1) throw mismatch('The graph takes no rows at all.');
  return batchRows;
}

/** Most tensors of the batches named in a message. */
const namedTensorsMax = 8;

function describeTensors(batches: ReadonlyMap<string, LocalTensor>): string {
  const all = [...batches.values()];
  if (all.length === 0) return 'no tensor';
  const more = all.length > namedTensorsMax ? ` and ${all.length - namedTensorsMax} more` : '';
  return all.slice(0, namedTensorsMax).map(describeTensor).join(', ') + more;
}

function describeTensor({ name, dtype, shape }: LocalTensor): string {
  return `${quoteName(name)} (${dtype} [${shape.join(', ')}])`;
}

function mismatch(message: string): FirnError {
  return new FirnError('eval-input-mismatch', message);
}
