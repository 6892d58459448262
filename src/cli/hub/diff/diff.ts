import type { Hub } from '../../../../clients/typescript/src/index.ts';
import { progressInWords } from '../../terminal/amounts.ts';
import { printTable, type Cell } from '../../terminal/print-table.ts';
import { openTerminal, type Terminal } from '../../terminal/terminal.ts';
import { openSession, type HubOptions } from '../session.ts';
import { openWeights } from './byte-source.ts';
import { compareWeights, ratioOfNorms, type Comparison, type Movement } from './compare-weights.ts';
import { listTensors } from './weights.ts';

export interface DiffCommand extends HubOptions {
  /** A row for each tensor, not for each layer. */
  readonly tensors?: boolean;
}

/** `firn diff FROM TO`: how far each tensor moved from one checkpoint to another, the furthest first. */
export async function diff(from: string, to: string, options: DiffCommand): Promise<void> {
  const terminal = openTerminal(options.json ?? false);
  let hub: Hub | undefined;
  const openHub = (): Hub => (hub ??= openSession(options).hub);
  const sources = [await openWeights(from, openHub), await openWeights(to, openHub)] as const;
  try {
    const [before, after] = await Promise.all(sources.map(listTensors));
    const total = before!.reduce((sum, { startBytes, endBytes }) => sum + endBytes - startBytes, 0);
    const begun = Date.now();
    const comparison = await compareWeights(before!, after!, (done) =>
      terminal.progress(progressInWords('comparing', done, total, Date.now() - begun)),
    );
    print(terminal, comparison, options.tensors ?? false);
  } finally {
    await Promise.all(sources.flat().map((source) => source.close()));
    hub?.close();
  }
}

function print(terminal: Terminal, { movements, notCompared }: Comparison, byTensor: boolean): void {
  const tensors = movements.toSorted(furthestFirst);
  const layers = layersOf(movements).toSorted(furthestFirst);
  if (terminal.asJson)
    return terminal.say(
      JSON.stringify({ layers, tensors: tensors.map(({ squares: _, ...movement }) => movement), notCompared }),
    );
  printTable(
    terminal,
    [byTensor ? 'tensor' : 'layer', 'elements', 'moved by', 'largest change', 'changed'],
    (byTensor ? tensors : layers).map((row: Movement | Layer): Cell[] => [
      'tensor' in row ? row.tensor : row.layer,
      row.elements,
      row.relative === null ? 'not finite' : `${(100 * row.relative).toPrecision(4)} %`,
      row.largest === null ? 'not finite' : row.largest.toPrecision(4),
      `${(100 * row.changed).toFixed(2)} %`,
    ]),
  );
  for (const { tensor, why } of notCompared) terminal.remark(`${tensor} is left out: ${why}`);
}

type Layer = Pick<Movement, 'layer' | 'elements' | 'relative' | 'largest' | 'changed'>;

/** Tensors of one layer as if they were one. */
export function layersOf(movements: readonly Movement[]): Layer[] {
  const byLayer = new Map<string, Movement[]>();
  for (const movement of movements) byLayer.set(movement.layer, [...(byLayer.get(movement.layer) ?? []), movement]);
  return [...byLayer].map(([layer, members]) => {
    const sum = (of: (movement: Movement) => number): number => members.reduce((total, each) => total + of(each), 0);
    const elements = sum((each) => each.elements);
    const largest = members.map((each) => each.largest);
    return {
      layer,
      elements,
      relative: ratioOfNorms(
        sum(({ squares }) => squares.moved),
        sum(({ squares }) => squares.before),
      ),
      largest: largest.includes(null) ? null : Math.max(...(largest as number[])),
      changed: elements === 0 ? 0 : sum((each) => each.changed * each.elements) / elements,
    };
  });
}

/** What is not finite moved the furthest. */
function furthestFirst(a: Pick<Movement, 'relative'>, b: Pick<Movement, 'relative'>): number {
  const [x, y] = [a.relative ?? Infinity, b.relative ?? Infinity];
  return x === y ? 0 : y - x;
}
