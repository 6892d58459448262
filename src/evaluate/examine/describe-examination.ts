import {
  metricKindRules,
  needsReference,
  readsClasses,
  type MetricKind,
} from '../../checkpoint/quality/metric-kind.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import { quoteNames } from '../../graph/quote-names.ts';
import { beatsChance } from '../metrics/top-choices.ts';
import type { Examination, InputReading, MetricReading } from './examination.ts';

/** Findings on an eval set, and its probable mistakes, in sentences for its author. */
export interface ExaminationWords {
  readonly understood: readonly string[];
  readonly warnings: readonly string[];
  /**
   * The warnings that doubt a figure: it is worse than guessing although nothing shows that the labels belong to the
   * outputs, or its labels look shifted.
   */
  readonly doubts: readonly string[];
}

/** A fresh model guesses, a little better or worse, so differences below this share of the figure are ignored. */
const guessingMargin = 0.01;
/**
 * Labels shifted by one position count as the right ones only if they reduce the loss by at least this share, and by
 * this many nats.
 */
const shiftGainMin = { share: 0.1, nats: 0.1 };

/** Puts an examination into words. Pure. */
export function describeExamination(examination: Examination): ExaminationWords {
  const { readings, inputs, whole } = examination;
  const worse = (chosen: readonly MetricReading[]): string[] =>
    chosen.flatMap((reading) => worseThanGuessing(reading, whole[reading.name]!));
  const shifted = readings.flatMap(shiftedLabels);
  const doubts = [...new Set([...worse(readings.filter((reading) => !labelsBelong(reading))), ...shifted])];
  return {
    doubts,
    understood: [
      `${count(examination.rows, 'row')} in ${count(examination.batchCount, 'batch', 'batches')}; fed: ` +
        `${inputs.map(describeInput).join(', ')}.`,
      ...readings.map((reading) => describeReading(reading, whole[reading.name]!)),
      ...describeProbabilities(examination),
      ...describeSpread(examination),
    ],
    warnings: [
      ...unusedColumns(examination),
      ...inputs.filter(({ notFinite }) => notFinite > 0).map(notFiniteInput),
      ...inputs.flatMap(exchangedInput),
      ...[...new Set(readings.flatMap(notFiniteLabels))],
      ...new Set([...worse(readings), ...shifted]),
      ...[...new Set(readings.flatMap(paddedLabels))],
      ...readings.filter(({ withinUnit }) => withinUnit === true).map(looksLikeProbabilities),
      ...readings.flatMap(summedLoss),
      ...readings.filter(({ counted, ignored }) => counted === 0 && ignored > 0).map(nothingCounts),
      ...roundedModel(examination),
      ...(examination.rows === 1
        ? ['The eval set has one row alone: what a threshold bounds on it says little of others.']
        : []),
    ],
  };
}

function describeInput({ input, tensor, dtype, shape }: InputReading): string {
  return `${quoteName(input)} from ${quoteName(tensor)} (${dtype} ${shown(shape)})`;
}

function describeReading(
  { name, kind, output, outputShape, labels, labelsShape, counted, ignored, guessing }: MetricReading,
  value: number,
): string {
  const compared = labels === undefined ? '' : ` with ${labels} ${shown(labelsShape!)}`;
  const noun = positionNoun(kind);
  const left = ignored > 0 ? `, ${number(ignored)} left out` : '';
  const counts = kind === 'loss' ? '' : `, ${number(counted)} ${counted === 1 ? noun.slice(0, -1) : noun}${left}`;
  const chance = guessing === undefined ? '' : ` (${figure(guessing)} for guessing)`;
  return (
    `${quoteName(name)}: ${kind} of ${output} ${shown(outputShape)}${compared}${counts}; ` +
    `${figure(value)}${chance}.`
  );
}

/** Names outputs that are probabilities, unless a metric expects logits from them, which is a warning. */
function describeProbabilities({ probabilityOutputs, readings }: Examination): string[] {
  return probabilityOutputs
    .filter((name) => !readings.some(({ output, withinUnit }) => output === name && withinUnit === true))
    .map(
      (name) =>
        `Output ${quoteName(name)} holds probabilities, so what wants logits (cross-entropy, divergence) is ` +
        'not measured besides.',
    );
}

function positionNoun(kind: MetricKind): string {
  return readsClasses(kind) ? 'positions' : 'values';
}

/**
 * The difference between the two halves of the batches: the effect that the choice of examples alone has on the figure.
 */
function describeSpread({ readings, halves, whole }: Examination): string[] {
  if (halves === undefined)
    return ['There is one batch alone, so nothing says how much the figures hang on the choice of examples.'];
  const spreads = readings
    .filter(({ kind }) => !needsReference(kind))
    .map(({ name }) => {
      const [a, b] = [halves[0][name]!, halves[1][name]!];
      const apart = Math.abs(a - b) / Math.max(Math.abs(whole[name]!), Number.MIN_VALUE);
      return `${quoteName(name)} ${figure(a)} and ${figure(b)} (${percent(apart)} apart)`;
    });
  return spreads.length === 0 ? [] : [`On the even and the odd batches: ${spreads.join('; ')}.`];
}

/**
 * A mask that is in the batches but not fed is the usual mistake. Labels of metrics that the set does not use are no
 * mistake.
 */
function unusedColumns({ unusedColumns: names }: Examination): string[] {
  const inputs = names.filter((name) => !/label|target/i.test(name));
  if (inputs.length === 0) return [];
  return [
    `The batches hold ${quoteNames(inputs)}, which no input of the graph takes. If your own evaluation feeds ` +
      'it, as an attention mask, export the graph with it.',
  ];
}

function notFiniteInput({ input, tensor, notFinite }: InputReading): string {
  return (
    `Input ${quoteName(input)} is fed ${number(notFinite)} ` +
    `${notFinite === 1 ? 'value that is' : 'values that are'} NaN or infinite, from ${quoteName(tensor)}.`
  );
}

/** Common names of token inputs and of masks; token types also consist of zeros and ones. */
const tokenNames = /(^|\.)((en|de)coder_)?(input_?ids|token_?ids|tokens|idx|ids)$/i;
const maskNames = /(^|\.)(\w+_)?mask$/i;

/** Tokens and masks of one shape are easily exchanged, and the graph still runs. */
function exchangedInput({ input, tensor, range }: InputReading): string[] {
  if (range === undefined) return [];
  const { least, largest } = range;
  const asMask = least >= 0 && largest <= 1;
  if (tokenNames.test(input) && asMask)
    return [
      `Input ${quoteName(input)} is fed zeros and ones alone, from ${quoteName(tensor)}: that looks like a ` +
        `mask. Check "inputs" in the spec, which should say ${quoteName(input)}: the tensor of the tokens.`,
    ];
  if (maskNames.test(input) && !asMask)
    return [
      `Input ${quoteName(input)} is fed whole numbers from ${number(least)} to ${number(largest)}, from ` +
        `${quoteName(tensor)}, where a mask holds zeros and ones. Check "inputs" in the spec.`,
    ];
  return [];
}

function notFiniteLabels({ labels, labelsNotFinite }: MetricReading): string[] {
  if (labelsNotFinite === undefined) return [];
  return [
    `Labels ${quoteName(labels!)} hold ${number(labelsNotFinite)} ` +
      `${labelsNotFinite === 1 ? 'value that is' : 'values that are'} NaN or infinite.`,
  ];
}

function worseThanGuessing(reading: MetricReading, value: number): string[] {
  const { name, kind, guessing, classCount } = reading;
  if (guessing === undefined || Number.isNaN(value)) return [];
  const margin = guessingMargin * Math.abs(guessing);
  if (metricKindRules[kind].higherIsBetter ? value >= guessing - margin : value <= guessing + margin) return [];
  const guess =
    classCount === undefined
      ? 'for a guess that looks at no input'
      : `for guessing among ${number(classCount)} classes`;
  const found = `${quoteName(name)} is ${figure(value)}, worse than guessing (${figure(guessing)} ${guess}).`;
  if (labelsBelong(reading)) {
    const { right, byChance } = reading.topChoices!;
    return [
      `${found} Its first choices are right in ${figure(100 * right)} % of positions, ` +
        `${figure(100 * byChance)} % by chance, so labels and outputs belong together: a model in its first ` +
        'steps is like that.',
    ];
  }
  return [
    `${found} ` +
      'If the model is trained, then labels, the order of rows, inputs, tokenizer or weights are not what ' +
      'they should be.',
  ];
}

/** Whether first choices are right far more often than by chance. Labels of other rows or classes are not. */
function labelsBelong({ topChoices, counted }: MetricReading): boolean {
  return topChoices !== undefined && beatsChance(topChoices, counted);
}

function shiftedLabels({ labels, shifts, classCount }: MetricReading): string[] {
  if (shifts === undefined) return [];
  const { asGiven, later, earlier } = shifts;
  const [best, side] = later <= earlier || Number.isNaN(earlier) ? [later, 'later'] : [earlier, 'earlier'];
  // A gain that is still no better than guessing is chance.
  const gain = asGiven - best;
  if (!(gain > shiftGainMin.share * asGiven && gain > shiftGainMin.nats && best < Math.log(classCount!))) return [];
  const fix =
    side === 'later'
      ? 'A model that predicts the next token wants logits at t beside the token at t + 1: inputs ids[:, :-1], ' +
        'labels ids[:, 1:].'
      : 'They may have been shifted twice: once in the data, and once more when the batches were made.';
  return [
    `Labels ${quoteName(labels!)} look shifted by one: their cross-entropy is ${figure(asGiven)} as they ` +
      `are, and ${figure(best)} against the label one position ${side}. ${fix}`,
  ];
}

function paddedLabels({ labels, padded }: MetricReading): string[] {
  if (padded === undefined) return [];
  const { label, side, rows, share, input, ignoreLabel } = padded;
  const seenBy = input === undefined ? 'which is rare elsewhere' : `where input ${quoteName(input)} looks padded`;
  const set = ignoreLabel === undefined ? `set "ignoreLabel": ${label} in the spec` : `label it ${ignoreLabel}`;
  const ofItsOwn =
    ignoreLabel === undefined
      ? ' If positions that count have that label, too, label the padding -100 and set "ignoreLabel": -100.'
      : '';
  return [
    `Labels ${quoteName(labels!)} look padded: ${count(rows, 'row')} ${side} in a run of label ${label}, ` +
      `${seenBy}, ${percent(share)} of all positions, and they count. ` +
      `If it is padding, ${set}.${ofItsOwn}`,
  ];
}

function looksLikeProbabilities({ name, output, kind }: MetricReading): string {
  const last = metricKindRules[kind].comparedWith === 'classes' ? 'activation' : 'sigmoid';
  return (
    `Every value of output ${quoteName(output)} lies in 0 to 1, so they may be probabilities where ` +
    `${quoteName(name)} wants logits: its figure would be wrong. Export the graph without its last ${last}.`
  );
}

function summedLoss({ name, summed }: MetricReading): string[] {
  if (summed === undefined) return [];
  const { whole, halves, rows } = summed;
  return [
    `${quoteName(name)} adds up over rows: the first batch of ${number(rows)} rows gives ${figure(whole)}, ` +
      `its two halves ${figure(halves[0])} and ${figure(halves[1])}. ` +
      'So it is a sum, and its figure follows how many rows are fed at once. Export the loss as a mean: ' +
      'reduction="mean" in PyTorch, or divide it by the number of positions.',
  ];
}

function nothingCounts({ name }: MetricReading): string {
  return `No position counts in ${quoteName(name)}: ignoreLabel leaves all of them out.`;
}

function roundedModel({ roundedWeights: rounded }: Examination): string[] {
  if (rounded === undefined) return [];
  const { count: weights, tensor, from, to } = rounded;
  return [
    `The graph takes ${count(weights, 'weight')} as ${to} that the checkpoint holds as ${from} ` +
      `(${quoteName(tensor)} among them), so a rounded model is measured. ` +
      `Export the graph in ${from}, or expect figures a little off.`,
  ];
}

function shown(shape: readonly number[]): string {
  return `[${shape.join(', ')}]`;
}

function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** With commas between thousands. */
function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

/** Four decimals, more for small figures. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return 'not finite';
  return Math.abs(value) >= 0.01 || value === 0 ? String(Number(value.toFixed(4))) : value.toPrecision(3);
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(2))} %`;
}
