import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import { buildSafetensorsHeader } from '../../checkpoint/safetensors/safetensors-header.ts';
import { ByteCache } from '../../restore/byte-cache.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { parseNpy, type NumberArray } from './arrays/parse-npy.ts';
import { parseNpz } from './arrays/parse-npz.ts';
import { chooseSpec } from './choose-spec.ts';

/** Cache of described graphs, in bytes; there is only one. */
const graphCacheBytes = 64 * 2 ** 20;
/** Largest file of arrays, in bytes: it is read whole. */
const fileBytesMax = 2 ** 31 - 1;

export interface MakeCommand {
  readonly json?: boolean;
  /** Where the batches are written. */
  readonly out: string;
  readonly kind?: MetricKind;
}

/**
 * `firn eval-set make GRAPH ARRAYS...`: writes the batches of an eval set from numpy's files, and says which spec
 * follows from graph and names. A .npy file is the tensor of its own name, a .npz file has several; what comes again in
 * a later file are further rows.
 */
export async function make(
  graph: string,
  paths: readonly string[],
  options: MakeCommand,
  terminal: Terminal,
): Promise<void> {
  const columns = joinRows(paths.flatMap(readArrays));
  const { headerBytes } = buildSafetensorsHeader(columns.map(([name, { dtype, shape }]) => ({ name, dtype, shape })));
  writeFileSync(options.out, Buffer.concat([headerBytes, ...columns.map(([, { bytes }]) => bytes)]));
  const { kind } = options;
  const { spec } = await chooseSpec(
    { graph, batches: options.out },
    kind === undefined ? {} : { kind },
    new ByteCache(graphCacheBytes),
  );
  if (terminal.asJson)
    return terminal.say(
      JSON.stringify({
        out: options.out,
        spec,
        columns: columns.map(([name, { dtype, shape }]) => ({ name, dtype, shape })),
      }),
    );
  for (const [name, { dtype, shape }] of columns) terminal.say(`${name}: ${dtype} [${shape.join(', ')}]`);
  terminal.say(`spec (guessed; firn eval-set upload takes another with --spec): ${JSON.stringify(spec)}`);
  terminal.say(
    `Written to ${options.out}. Now compare with your own evaluation: ` +
      `firn eval-set check ${graph} ${options.out} CHECKPOINT`,
  );
}

function readArrays(path: string): [string, NumberArray][] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw new Error(`there is no file ${path}`);
  if (found.size > fileBytesMax) throw new Error(`${path} is larger than ${fileBytesMax} bytes: save it in parts.`);
  const bytes = readFileSync(path);
  if (path.endsWith('.npz')) return [...parseNpz(bytes, path)];
  if (path.endsWith('.npy')) return [[basename(path, '.npy'), parseNpy(bytes, path)]];
  throw new Error(`${path} is no .npy and no .npz file: write one with numpy.save or numpy.savez.`);
}

/** Arrays of one name, one below the other. Throws an Error if their types or rows differ. */
export function joinRows(arrays: readonly (readonly [string, NumberArray])[]): [string, NumberArray][] {
  const byName = new Map<string, NumberArray[]>();
  for (const [name, array] of arrays) byName.set(name, [...(byName.get(name) ?? []), array]);
  return [...byName].map(([name, parts]) => {
    const [{ dtype, shape }] = parts as [NumberArray, ...NumberArray[]];
    const [, ...row] = shape;
    const isAlike = (part: NumberArray): boolean =>
      part.dtype === dtype && part.shape.length > 0 && part.shape.slice(1).join() === row.join();
    if (parts.length > 1 && !parts.every(isAlike))
      throw new Error(`${name} comes with other types or shapes: only the number of rows may differ.`);
    if (parts.length === 1) return [name, parts[0]!];
    const rows = parts.reduce((sum, part) => sum + part.shape[0]!, 0);
    return [name, { dtype, shape: [rows, ...row], bytes: Buffer.concat(parts.map(({ bytes }) => bytes)) }];
  });
}
