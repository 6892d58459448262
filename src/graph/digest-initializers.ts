import { createHash, type Hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { dtypeBytes } from '../checkpoint/dtype.ts';
import { leftToContent } from './binding/pair/pair-by-content.ts';
import type { HeaderPairs } from './binding/pair/pair-by-headers.ts';
import { plainContentOf, PlainWatch, type PlainContent } from './binding/refuse/plain-content.ts';
import type { GraphInitializer } from './describe-graph.ts';
import { elementWords, type ElementWords } from './elements/element-words.ts';
import type { GraphSource } from './onnx/graph-source.ts';
import { hasMatchableContent, layoutKey, matchableLayouts, type ContentDigests } from './match-by-content.ts';
import type { FloatDtype } from './onnx/onnx-dtype.ts';
import { readElements } from './elements/read-elements.ts';

/** Most bytes of a transposed matrix gathered in one pass over the stored one. */
const bandBytesMax = 32 * 1024 * 1024;

/** Bytes hashed before the event loop gets its turn. */
const hashedAtOnceBytes = 1024 * 1024;

/**
 * Digests of the initializers that `bindWeights` may match by content, given the digests of the tensors. These are
 * initializers with the layout of a tensor or of a paired initializer. The transpose is digested only if nothing
 * matches the plain bytes. Reads the file piece by piece with one band of a matrix in memory; a transpose reads the
 * matrix once per band. `source` is the file that `headers.graph` describes. Errors: `graph-invalid`, the source's.
 */
export async function digestInitializers(
  source: GraphSource,
  headers: HeaderPairs,
  digests: ReadonlyMap<string, string>,
  signal?: AbortSignal,
): Promise<Map<string, ContentDigests>> {
  const { graph, tensors, pairs } = headers;
  const left = leftToContent(headers);
  const byLayout = new Map<string, Set<string>>();
  const add = (layout: string, digest: string) =>
    void byLayout.set(layout, (byLayout.get(layout) ?? new Set()).add(digest));
  for (const tensor of tensors) {
    const digest = digests.get(tensor.name);
    if (digest !== undefined) add(layoutKey(tensor), digest);
  }
  const contents = new Map<string, ContentDigests>();
  const wanted = new Set(left.flatMap(matchableLayouts));
  for (const initializer of graph.initializers) {
    if (!pairs.has(initializer.name) || !hasMatchableContent(initializer) || !wanted.has(layoutKey(initializer)))
      continue;
    const content = await digestPlain(source, initializer, signal);
    contents.set(initializer.name, content);
    add(layoutKey(initializer), content.plain);
  }
  for (const initializer of left) {
    const [own, turned] = matchableLayouts(initializer).map((layout) => byLayout.get(layout));
    const content = own && (await digestPlain(source, initializer, signal));
    if (content !== undefined && own!.has(content.plain)) contents.set(initializer.name, content);
    else if (turned !== undefined) {
      const transposed = await digestTransposed(source, initializer, signal);
      const uniform = turned.has(transposed) && isUniform(await plainContentOf(source, initializer, signal));
      contents.set(initializer.name, { transposed, ...(uniform && { uniform }) });
    }
  }
  return contents;
}

async function digestPlain(
  source: GraphSource,
  { stored, dtype }: GraphInitializer,
  signal?: AbortSignal,
): Promise<ContentDigests & { plain: string }> {
  const hash = createHash('sha256');
  const watch = new PlainWatch(dtype as FloatDtype);
  for await (const piece of readElements(source, stored!, signal)) {
    hash.update(piece);
    watch.take(piece);
  }
  return { plain: hash.digest('hex'), ...(isUniform(watch.content) && { uniform: true }) };
}

function isUniform(content: PlainContent | undefined): boolean {
  return content === 'zeros' || content === 'uniform';
}

/** The digest of the transposed matrix. `bandBytes` is for tests. */
export async function digestTransposed(
  source: GraphSource,
  initializer: GraphInitializer,
  signal?: AbortSignal,
  bandBytes = bandBytesMax,
): Promise<string> {
  const [rows, columns] = initializer.shape as [number, number];
  const hash = createHash('sha256');
  const columnBytes = rows * dtypeBytes[initializer.dtype!];
  const width = Math.floor(bandBytes / Math.max(1, columnBytes));
  // A column that is a whole band is hashed as it passes.
  for (let first = 0; first < columns; first += Math.max(1, width)) {
    if (width < 1) await hashColumn(hash, first, { source, initializer, signal });
    else
      await updateInPieces(
        hash,
        await gatherColumns({ first, end: Math.min(first + width, columns) }, { source, initializer, signal }),
      );
  }
  return hash.digest('hex');
}

/** Hashing a band in one call would block the event loop for a tenth of a second. */
async function updateInPieces(hash: Hash, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; at += hashedAtOnceBytes) {
    hash.update(bytes.subarray(at, at + hashedAtOnceBytes));
    await setImmediate();
  }
}

interface StoredMatrix {
  readonly source: GraphSource;
  readonly initializer: GraphInitializer;
  readonly signal: AbortSignal | undefined;
}

/** The elements of some columns, one column after another. */
async function gatherColumns(
  { first, end }: { readonly first: number; readonly end: number },
  matrix: StoredMatrix,
): Promise<Uint8Array> {
  const [rows, columns] = matrix.initializer.shape as [number, number];
  const elementBytes = dtypeBytes[matrix.initializer.dtype!];
  const band = new Uint8Array((end - first) * rows * elementBytes);
  const target = elementWords(band, elementBytes);
  for await (const { words, firstElement } of wordsOf(matrix)) {
    const lastRow = Math.floor((firstElement + words.length - 1) / columns);
    for (let row = Math.floor(firstElement / columns); row <= lastRow; row += 1) {
      const rowStart = row * columns - firstElement;
      const from = Math.max(first, -rowStart);
      const to = Math.min(end, words.length - rowStart);
      for (let column = from; column < to; column += 1)
        target[(column - first) * rows + row] = words[rowStart + column]!;
    }
  }
  return band;
}

async function hashColumn(hash: Hash, column: number, matrix: StoredMatrix): Promise<void> {
  const columns = matrix.initializer.shape[1]!;
  for await (const { words, firstElement } of wordsOf(matrix)) {
    const skipped = (column - (firstElement % columns) + columns) % columns;
    const picked = words.slice(0, Math.ceil(Math.max(0, words.length - skipped) / columns));
    for (let at = skipped, i = 0; at < words.length; at += columns, i += 1) picked[i] = words[at]!;
    hash.update(new Uint8Array(picked.buffer, picked.byteOffset, picked.byteLength));
  }
}

/** The stored elements as words, with the number of each piece's first element. */
async function* wordsOf({
  source,
  initializer,
  signal,
}: StoredMatrix): AsyncGenerator<{ readonly words: ElementWords; readonly firstElement: number }> {
  let firstElement = 0;
  for await (const piece of readElements(source, initializer.stored!, signal)) {
    const words = elementWords(piece, dtypeBytes[initializer.dtype!]);
    yield { words, firstElement };
    firstElement += words.length;
  }
}
