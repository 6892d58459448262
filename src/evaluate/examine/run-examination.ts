import { topKDefault, type EvalSetSpec, type MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import {
  metricKindRules,
  needsReference,
  readsClasses,
  type MetricKind,
} from '../../checkpoint/quality/metric-kind.ts';
import type { MetricValues } from '../../checkpoint/quality/quality.ts';
import { columnExtremes } from './column-extremes.ts';
import type { Examination, InputReading, MetricReading } from './examination.ts';
import { classLayout } from '../metrics/label-layout.ts';
import { ClassReader, ProbabilityCheck } from '../metrics/read-classes.ts';
import { ValueReader } from '../metrics/read-values.ts';
import type { NumberTensor } from '../metrics/metric-accumulator.ts';
import { MetricSet } from '../metrics/metric-set.ts';
import type { PreparedSet } from '../batches/prepared-set.ts';
import { ReferenceWriter } from '../batches/reference-file.ts';
import { requireHalves } from '../batches/require-halves.ts';
import { RowGroups } from '../batches/row-groups.ts';
import { comparedOutputs, measuredBatches, type BatchRun, type MeasuredBatch } from '../batches/run-batches.ts';
import { findPaddedLabels } from './padded-labels.ts';
import { summedLosses } from './summed-loss.ts';
import type { RoundedWeights } from '../batches/weight-tensors.ts';

export interface ExaminationRun extends BatchRun {
  readonly reference: { readonly path: string; readonly bytesMax: number } | undefined;
  readonly needsHalves: boolean;
  readonly needsGroups: boolean;
  readonly roundedWeights?: RoundedWeights;
}

/**
 * Runs every batch once, like {@link runBatches} and with the same values, and examines outputs and labels. The
 * uploaded model is the reference that candidates are compared with, so here it agrees with itself. If the graph
 * computes a loss, each half of the first batch is run once more. Errors: those of {@link runBatches};
 * `eval-label-mismatch` if outputs are probabilities instead of logits; `eval-input-mismatch` if halves are needed and
 * there are none; `storage-full`.
 */
export async function runExamination(run: ExaminationRun): Promise<Examination> {
  const { prepared, spec, reference } = run;
  if (run.needsHalves) requireHalves(prepared);
  const { metrics, agreeing } = metricsOf(run);
  const whole = new MetricSet(metrics, spec);
  const halves = [new MetricSet(spec.metrics, spec), new MetricSet(spec.metrics, spec)] as const;
  const groups = run.needsGroups ? new RowGroups(prepared, spec) : undefined;
  const readers = metricReaders(spec);
  const compared = comparedOutputs(run);
  const writer =
    reference === undefined || compared.length === 0
      ? undefined
      : new ReferenceWriter(reference.path, reference.bytesMax);
  /** Losses of the first batch. */
  const losses = new Map<string, NumberTensor>();
  let batchCount = 0;
  const started = performance.now();
  try {
    for await (const measured of measuredBatches(run)) {
      const references = new Map(compared.map((name) => [name, measured.outputs.get(name)!.data]));
      const batch = { ...measured, references };
      for (const each of [whole, halves[measured.batch % 2]!]) each.add(batch);
      groups?.add(batch);
      for (const reader of readers) reader.add(measured);
      if (batchCount === 0) lossOutputs(spec).forEach((name) => losses.set(name, measured.outputs.get(name)!));
      if (batchCount === 0) writer?.expect(elementsOf(references.values()) * Math.floor(prepared.rows / measured.rows));
      for (const name of compared) writer?.add(references.get(name)!);
      batchCount++;
    }
  } finally {
    writer?.close();
  }
  const seconds = (performance.now() - started) / 1000;
  const values = { ...whole.values(), ...agreeing };
  const summed = await summedLosses(run, losses);
  const batchRows = Math.min(prepared.rows, prepared.batchRows);
  return {
    whole: values,
    ...(batchCount > 1 && { halves: [halves[0].values(), halves[1].values()] as const }),
    ...(groups && { groups: groups.values() }),
    rows: prepared.rows,
    batchCount,
    inputs: inputReadings(prepared, spec),
    unusedColumns: prepared.unusedColumns,
    readings: readers.map((reader) => {
      const reading = reader.reading(prepared, values);
      const loss = reading.kind === 'loss' ? summed.get(reading.output) : undefined;
      return {
        ...reading,
        ...paddedLabels(prepared, spec, reading),
        ...(loss !== undefined && { summed: { ...loss, rows: batchRows } }),
      };
    }),
    ...(run.roundedWeights !== undefined && { roundedWeights: run.roundedWeights }),
    probabilityOutputs: [
      ...new Set(readers.filter(({ readsProbabilities }) => readsProbabilities).map(({ output }) => output)),
    ],
    referenceWritten: writer?.whole ?? false,
    referenceOutputs: compared,
    seconds,
  };
}

/**
 * The metrics to compute, and the values of those that need no computing: observed metrics of agreement, since a model
 * agrees with itself.
 */
function metricsOf({ spec, observed = [] }: ExaminationRun): {
  readonly metrics: readonly MetricSpec[];
  readonly agreeing: MetricValues;
} {
  const withItself = observed.filter(({ kind }) => needsReference(kind));
  const agreeing = Object.fromEntries(
    withItself.map(({ name, kind }) => [name, metricKindRules[kind].higherIsBetter ? 1 : 0]),
  );
  return { metrics: [...spec.metrics, ...observed.filter(({ kind }) => !needsReference(kind))], agreeing };
}

/** Outputs that are a loss already. */
function lossOutputs({ metrics }: EvalSetSpec): string[] {
  return metrics.filter(({ kind }) => kind === 'loss').map(({ output }) => output);
}

/** A reader for each metric; those of the same output and labels share the reader of the labels. */
function metricReaders(spec: EvalSetSpec): MetricReader[] {
  const shared = new Map<string, ClassReader>();
  return spec.metrics.map((metric) => {
    const { output, labels, classAxis } = metric;
    const key = JSON.stringify([output, labels, classAxis]);
    const known = shared.get(key);
    const reader = new MetricReader(metric, spec, known);
    if (reader.classes !== undefined) shared.set(key, reader.classes);
    return reader;
  });
}

function elementsOf(arrays: Iterable<ArrayLike<number>>): number {
  return [...arrays].reduce((sum, { length }) => sum + length, 0);
}

/** Kinds that take a softmax, or of one logit a sigmoid. */
const takesSoftmax: ReadonlySet<MetricKind> = new Set<MetricKind>(['cross-entropy', 'perplexity', 'kl-divergence']);

/** Reads output and labels of one metric. */
class MetricReader {
  readonly #metric: MetricSpec;
  readonly #classes: ClassReader | undefined;
  /** Whether another metric's reader feeds the shared class reader. */
  readonly #sharesClasses: boolean;
  readonly #values: ValueReader | undefined;
  readonly #probabilities: ProbabilityCheck | undefined;
  #outputDims: readonly number[] = [];
  /** Whether the first dimension is that of the rows. */
  #hasRows = false;
  /** All positions of classes, or all values, whether they count or not. */
  #positions = 0;
  #width = 0;

  constructor(metric: MetricSpec, { labels, ignoreLabel }: EvalSetSpec, known: ClassReader | undefined) {
    this.#metric = metric;
    const isLabelled = metric.labels !== undefined;
    const ofClasses = readsClasses(metric.kind);
    if (ofClasses && isLabelled)
      this.#classes = known ?? new ClassReader({ labels, ignoreLabel, classAxis: metric.classAxis });
    this.#sharesClasses = this.#classes !== undefined && known !== undefined;
    if (!ofClasses && isLabelled && metric.kind !== 'loss') this.#values = new ValueReader(ignoreLabel);
    if (ofClasses) this.#probabilities = new ProbabilityCheck(metric.output);
  }

  get output(): string {
    return this.#metric.output;
  }

  /** Whether the output contains probabilities although the metric expects logits. */
  get readsProbabilities(): boolean {
    if (metricKindRules[this.#metric.kind].comparedWith === 'binary-targets')
      return this.#values!.findings().withinUnit;
    return this.#probabilities !== undefined && (this.#probabilities.likely || this.#probabilities.withinUnit);
  }

  get classes(): ClassReader | undefined {
    return this.#classes;
  }

  add({ rows, outputs, labels: allLabels, logSums }: MeasuredBatch): void {
    const output = outputs.get(this.#metric.output)!;
    const labels = this.#metric.labels === undefined ? undefined : allLabels.get(this.#metric.labels);
    this.#outputDims = output.dims;
    this.#hasRows = output.dims[0] === rows;
    if (labels !== undefined) {
      if (!this.#sharesClasses) this.#classes?.add(output, labels, logSums);
      this.#values?.add(output, labels);
    }
    if (this.#metric.kind === 'loss') return;
    if (!readsClasses(this.#metric.kind)) {
      this.#positions += output.data.length;
      return;
    }
    const layout =
      this.#classes === undefined ? classLayout(output.dims, this.#metric.classAxis) : this.#classes.layout;
    this.#positions += layout.positions;
    this.#width = layout.classCount;
    this.#probabilities?.add(output, layout);
  }

  /** Throws `eval-label-mismatch` for outputs that are probabilities already. */
  reading({ rows, labels: columns }: PreparedSet, values: MetricValues): MetricReading {
    if (takesSoftmax.has(this.#metric.kind)) this.#probabilities?.end();
    const { name, kind, output, labels } = this.#metric;
    const { comparedWith } = metricKindRules[kind];
    const labelled = kind === 'loss' ? undefined : labels;
    const found = this.#classes?.findings() ?? this.#values?.findings() ?? { counted: this.#positions, ignored: 0 };
    const guessing = this.#guessing(values);
    return {
      name,
      kind,
      output,
      outputShape: this.#hasRows ? [rows, ...this.#outputDims.slice(1)] : this.#outputDims,
      ...(labelled !== undefined && { labels: labelled, labelsShape: columns.get(labelled)!.dims }),
      counted: found.counted,
      ignored: found.ignored,
      ...('classCount' in found && {
        classCount: found.classCount,
        ...(found.topChoices && { topChoices: found.topChoices }),
        ...(found.shifts && { shifts: found.shifts }),
      }),
      ...(guessing !== undefined && { guessing }),
      ...('labelsNotFinite' in found && found.labelsNotFinite > 0 && { labelsNotFinite: found.labelsNotFinite }),
      ...('withinUnit' in found && comparedWith === 'binary-targets' && { withinUnit: found.withinUnit }),
      // The largest of several probabilities belongs to the largest logit; a single probability loses the logit's sign.
      ...(this.#probabilities !== undefined &&
        (takesSoftmax.has(kind) || (kind === 'agreement' && this.#width === 1)) && {
          withinUnit: this.#probabilities.withinUnit,
        }),
    };
  }

  #guessing(values: MetricValues): number | undefined {
    const { kind, name } = this.#metric;
    const classCount = this.#classes?.findings().classCount ?? 0;
    if (Number.isNaN(values[name]) || (this.#classes !== undefined && classCount < 2)) return undefined;
    switch (kind) {
      case 'cross-entropy':
        return Math.log(classCount);
      case 'perplexity':
        return classCount;
      case 'accuracy':
        return 1 / classCount;
      case 'top-k-accuracy':
        return Math.min(1, (this.#metric.k ?? topKDefault) / classCount);
      case 'binary-cross-entropy':
        return Math.LN2;
      case 'binary-accuracy':
        return 0.5;
      case 'mse':
        return this.#values!.findings().variance;
      case 'pearson':
        return 0;
      case 'f1':
      case 'loss':
      case 'kl-divergence':
      case 'agreement':
      case 'deviation':
        return undefined;
    }
  }
}

/** For class indices, one for each position. */
function paddedLabels(
  { inputs, labels: columns }: PreparedSet,
  { ignoreLabel, labels: form }: EvalSetSpec,
  { labels, classCount }: MetricReading,
): Pick<MetricReading, 'padded'> {
  if (labels === undefined || classCount === undefined || form === 'probabilities') return {};
  const found = findPaddedLabels({ labels: columns.get(labels)!, ignoreLabel, inputs });
  return found === undefined ? {} : { padded: { ...found, ...(ignoreLabel !== undefined && { ignoreLabel }) } };
}

function inputReadings({ inputs, rows }: PreparedSet, spec: EvalSetSpec): InputReading[] {
  return inputs.map((column) => {
    const { input, dtype, rowShape } = column;
    const { notFinite, least, largest } = columnExtremes(column);
    const range = least && largest && { range: { least: least.value, largest: largest.value } };
    return { input, tensor: spec.inputs[input]!, dtype, shape: [rows, ...rowShape], notFinite, ...range };
  });
}
