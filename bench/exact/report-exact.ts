import { changeBits } from './changed-words.ts';
import {
  bestOfEach,
  sum,
  type ChangedFigures,
  type CodingFigures,
  type MethodFigures,
  type SeriesFigures,
} from './exact-figures.ts';
import type { MeasuredSpeed } from './measured-speed.ts';
import { firnName } from './methods/firn-blocks.ts';
import { halfDtypes, type HalfDtype } from './weight-file.ts';

/** All results of a run of the bench. */
export interface ExactReport {
  readonly series: string;
  readonly results: readonly SeriesFigures[];
  readonly changed: readonly ChangedFigures[];
}

const codingTitles: Readonly<Record<CodingFigures['coding'], string>> = { alone: 'alone', delta: 'to the one before' };

const dtypeNames: Readonly<Record<HalfDtype, string>> = { BF16: 'bf16', F16: 'fp16' };

/** One table per dtype, and one of changed words for each dtype of 16 bits. Markdown. */
export function markdownReport({ series, results, changed }: ExactReport): string {
  const parts = results.flatMap((each) => [
    describeSeries(series, each),
    table(seriesHeader, 2, each.codings.flatMap(codingLines)),
  ]);
  for (const dtype of halfDtypes) {
    const lines = changed.filter((each) => each.dtype === dtype);
    if (lines.length > 0) parts.push(describeChanged(series, lines[0]!), changedTable(lines));
  }
  return `${parts.join('\n\n')}\n`;
}

const seriesHeader = [
  'coded',
  'method',
  'bytes',
  'ratio',
  'of the prototype (worst)',
  'encode GB/s (spread)',
  'decode GB/s (spread)',
  'of memcpy',
  'of memcpy by cpu',
  'of zstd 1 by cpu',
];

function describeSeries(name: string, { title, checkpointCount, weightCount, codings }: SeriesFigures): string {
  const copies = codings.flatMap(({ methods }) =>
    methods.flatMap(({ encode, decode }) => [encode.memcpyGigabytesPerSecond, decode.memcpyGigabytesPerSecond]),
  );
  const [slowest, fastest] = [Math.min(...copies), Math.max(...copies)];
  const memcpy = copies.length === 0 ? '' : `; memcpy ${slowest.toFixed(1)} to ${fastest.toFixed(1)} GB/s`;
  return (
    `${name}, ${title}: ${checkpointCount} checkpoints of ${weightCount} weights, ` +
    `${(sum(codings[0]!.rawBytes) / 1e6).toFixed(1)} MB raw${memcpy}.`
  );
}

function codingLines({ coding, rawBytes, methods, prototype }: CodingFigures): string[][] {
  const raw = sum(rawBytes);
  const best = bestOfEach(prototype);
  const lengths = [...prototype, ...(prototype.length > 1 ? [{ name: 'best of each checkpoint', bytes: best }] : [])];
  const line = (name: string, bytes: readonly number[]): string[] => [
    codingTitles[coding],
    name,
    Math.ceil(sum(bytes)).toString(),
    (raw / sum(bytes)).toFixed(3),
  ];
  return [
    ...methods.map((method) => [
      ...line(method.name, method.bytes),
      ofPrototype(method, best),
      speed(method.encode),
      speed(method.decode),
      `${share(method.encode.memcpyShare)} / ${share(method.decode.memcpyShare)}`,
      `${share(method.encode.memcpyShareByProcessor)} / ${share(method.decode.memcpyShareByProcessor)}`,
      besideShares(method),
    ]),
    ...lengths.map(({ name, bytes }) => [...line(`prototype: ${name} (code length)`, bytes), '', '', '', '', '', '']),
  ];
}

/**
 * The prototype's best figure divided by the method's bytes: over all checkpoints, and of the one where it is smallest.
 */
function ofPrototype({ bytes }: MethodFigures, prototype: readonly number[]): string {
  const worst = Math.min(...bytes.map((each, i) => prototype[i]! / each));
  return `${(sum(prototype) / sum(bytes)).toFixed(3)} (${worst.toFixed(3)})`;
}

function speed({ gigabytesPerSecond, spread }: MeasuredSpeed): string {
  return `${gigabytesPerSecond.toPrecision(2)} (${(100 * spread).toFixed(0)} %)`;
}

/** Ours is timed beside zstd 1 on the same files. */
function besideShares({ encode, decode }: MethodFigures): string {
  if (encode.besideShareByProcessor === undefined || decode.besideShareByProcessor === undefined) return '';
  return `${encode.besideShareByProcessor.toFixed(2)} / ${decode.besideShareByProcessor.toFixed(2)}`;
}

function share(value: number): string {
  return value.toPrecision(2);
}

function describeChanged(name: string, { dtype, weightCount }: ChangedFigures): string {
  return (
    `${name}: the last checkpoint in ${dtypeNames[dtype]}, ${weightCount} weights, against itself with a share ` +
    'of the words changed by one. Bits a weight.'
  );
}

function changedTable(changed: readonly ChangedFigures[]): string {
  const header = [
    'changed',
    ...changed[0]!.methods.map(({ name }) => name),
    'best prototype',
    'of the prototype',
    'entropy of the changes',
  ];
  const lines = changed.map(({ share: part, weightCount, methods, prototype }) => {
    const bits = (bytes: number): string => ((8 * bytes) / weightCount).toFixed(3);
    const best = Math.min(...prototype.map(({ bytes }) => bytes));
    const ours = methods.find(({ name }) => name === firnName);
    return [
      `${(100 * part).toFixed(0)} %`,
      ...methods.map(({ bytes }) => bits(bytes)),
      bits(best),
      ours === undefined ? '-' : (best / ours.bytes).toFixed(3),
      changeBits(part).toFixed(3),
    ];
  });
  return table(header, 1, lines);
}

function table(header: readonly string[], textColumns: number, lines: readonly (readonly string[])[]): string {
  return [header, header.map((_, i) => (i < textColumns ? '---' : '---:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
