import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { parseSafetensorsHeader } from '../../checkpoint/safetensors/parse-safetensors.ts';
import { prefixBytes, checkSafetensorsPrefix } from '../../checkpoint/safetensors/safetensors-prefix.ts';
import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { pairGraphFile } from '../../graph/bind-graph-file.ts';
import { pairByHeaders } from '../../graph/binding/pair/pair-by-headers.ts';
import { describeGraphFile, type GraphDescription } from '../../graph/describe-graph.ts';
import { openGraphFile } from '../../graph/onnx/graph-file.ts';
import type { GraphSource } from '../../graph/onnx/graph-source.ts';
import { effectiveRank } from '../../graph/layers/layer-type-of.ts';
import type { Series } from './read-series.ts';

type TensorMap = NonNullable<EvalSetSpec['tensorMap']>;

/**
 * The tensor map of a series whose graph names its weights differently from the checkpoints (`onnx::MatMul_123`,
 * transposed). A graph holds the bytes of the one checkpoint that it was exported from, usually the last, but a hub
 * gets the first one first. The demo has all of them, so it can find the matching tensors. Undefined if the names
 * match, or if no checkpoint holds a matrix of the graph. Rejects with an Error of one sentence.
 */
export async function seriesTensorMap(series: Series): Promise<TensorMap | undefined> {
  const source = await openGraphFile(series.graphPath);
  try {
    return await bestMap(series, { source, graph: await describeGraphFile(source) });
  } finally {
    await source.close();
  }
}

interface OpenGraph {
  readonly source: GraphSource;
  readonly graph: GraphDescription;
}

interface SeriesGraph extends OpenGraph {
  readonly unused: Series['unused'];
}

async function bestMap(series: Series, open: OpenGraph): Promise<TensorMap | undefined> {
  const { graph } = open;
  const matrices = new Set(
    graph.initializers.filter((each) => effectiveRank(each.shape) >= 2).map((each) => each.name),
  );
  let best: { readonly map: TensorMap; readonly matrixCount: number } | undefined;
  for (const { modelFiles } of series.checkpoints.toReversed()) {
    const map = await mapByContent(
      { ...open, unused: series.unused },
      modelFiles.map((file) => file.from),
    );
    if (map === 'names decide') return undefined;
    // Only matrices count: untrained vectors are all 0 or all 1, and so are constants of the graph.
    const matrixCount = Object.keys(map).filter((name) => matrices.has(name)).length;
    if (matrixCount > (best?.matrixCount ?? 0)) best = { map, matrixCount };
  }
  return best?.map;
}

/** Initializers with the bytes of this checkpoint's tensors, or of one another, under other names. */
async function mapByContent(
  { source, graph, unused }: SeriesGraph,
  modelPaths: readonly string[],
): Promise<TensorMap | 'names decide'> {
  const tensors = modelPaths.flatMap((path) =>
    withFile(path, (file) => readHeader(file).tensors.map((entry) => ({ ...entry, path }))),
  );
  let isContentAsked = false;
  const digestTensors = async (names: ReadonlySet<string>) => {
    isContentAsked = names.size > 0;
    return new Map(tensors.filter((entry) => names.has(entry.name)).map((entry) => [entry.name, digestOf(entry)]));
  };
  try {
    const pairs = await pairGraphFile(pairByHeaders({ graph, tensors, ...(unused && { unused }) }), {
      source,
      digestTensors,
    });
    if (!isContentAsked) return 'names decide';
    const found = [...pairs].filter(([, { by }]) => by === 'content' || by === 'tied');
    return Object.fromEntries(
      found.map(([initializer, { tensor, transpose }]) => [initializer, { tensor, transpose }]),
    );
  } catch (error) {
    throw new Error(`${modelPaths.map((path) => basename(path)).join(', ')}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Opens a file for one read; errors name the file. */
function withFile<T>(path: string, read: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return read(file);
  } catch (error) {
    throw new Error(`${basename(path)}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    closeSync(file);
  }
}

function readHeader(file: number) {
  const sizeBytes = fstatSync(file).size;
  const headerBytes = checkSafetensorsPrefix(readRange(file, 0, Math.min(prefixBytes, sizeBytes)), sizeBytes);
  return parseSafetensorsHeader(readRange(file, 0, headerBytes), sizeBytes);
}

function digestOf({ path, startBytes, endBytes }: TensorEntry & { readonly path: string }): string {
  const bytes = withFile(path, (file) => readRange(file, startBytes, endBytes));
  return createHash('sha256').update(bytes).digest('hex');
}

function readRange(file: number, startBytes: number, endBytes: number): Buffer {
  const bytes = Buffer.alloc(endBytes - startBytes);
  let read = 0;
  while (read < bytes.length) {
    const count = readSync(file, bytes, read, bytes.length - read, startBytes + read);
    if (count === 0) throw new Error('a checkpoint ends before its header says');
    read += count;
  }
  return bytes;
}
