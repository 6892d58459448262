import type { Checkpoint } from '../../../../catalog/contract/checkpoint-records.ts';
import { bytesInWords } from '../../../../checkpoint/words/bytes-in-words.ts';
import { FirnError } from '../../../../checkpoint/firn-error.ts';
import { indexBytesMax } from '../../../../package/format-limits.ts';
import { layerParts, type LayerBytes, type LayerPart } from '../../../../package/layer-bytes.ts';
import { publicSentence } from '../../../answer/render-problem.ts';
import type { Gateway } from '../../../gateway.ts';
import { Rows } from '../../charts/rows.tsx';
import { pagePaths, type StepAddress } from '../../page-paths.ts';
import { countOf, ratioInWords } from '../../parts/amounts.ts';
import { Table } from '../../parts/table.tsx';

/** Field of the page's address that asks for the layers of a package that takes long to read. */
export const layersField = 'layers';
/** What is read of a package while the page waits for it, and what when somebody asked for it. */
const bounds = {
  unasked: { indexBytesMax: 1024 * 1024, waitMs: 150 },
  asked: { indexBytesMax, waitMs: 10_000 },
} as const;
/** Most layers that the chart draws, and that the table lists: the largest. */
const drawnMax = 24;
const listedMax = 200;

const partWords: Readonly<Record<LayerPart, string>> = {
  weights: 'weights, coded by the method',
  state: 'optimizer state',
  exact: 'kept bit for bit',
};
/** Classes of their colours. */
const partKinds: Readonly<Record<LayerPart, string>> = { weights: 'base', state: 'delta', exact: 'exact' };

/** The layers of a package; or why they are not known: it takes long, or the package cannot be read. */
export type Layers = { readonly layers: readonly LayerBytes[] } | { readonly isLong: true } | { readonly why: string };

/** Reads the layers of a ready checkpoint within bounds; undefined for one that is kept as uploaded. */
export async function readLayers(
  { downloads }: Pick<Gateway, 'downloads'>,
  checkpoint: Checkpoint,
  isAsked: boolean,
): Promise<Layers | undefined> {
  if (checkpoint.packageId === undefined || checkpoint.state !== 'ready') return undefined;
  const { waitMs, indexBytesMax: bytesMax } = bounds[isAsked ? 'asked' : 'unasked'];
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), waitMs);
  const isLong = new Promise<{ isLong: true }>((resolve) =>
    late.signal.addEventListener('abort', () => resolve({ isLong: true })),
  );
  const read = downloads
    .layers(checkpoint, { indexBytesMax: bytesMax, signal: late.signal })
    .then((layers): Layers => (layers === undefined ? { isLong: true } : { layers }))
    .catch((error: unknown): Layers => {
      // The rest of the page does not need the package.
      if (error instanceof FirnError) return { why: publicSentence(error) };
      throw error;
    });
  try {
    return await Promise.race([read, isLong]);
  } finally {
    clearTimeout(timer);
    // What comes too late has nobody to fail.
    read.catch(() => undefined);
  }
}

/** What each layer takes in the package of the checkpoint. */
export function CheckpointLayers({
  found,
  address,
  storedBytes,
  isAsked,
}: {
  readonly found: Layers;
  readonly address: StepAddress;
  /** Of the package, with its index. */
  readonly storedBytes: number | undefined;
  readonly isAsked: boolean;
}) {
  return (
    <>
      <h2 id="layers">Bytes of each layer</h2>
      {'why' in found && <p class="note">{found.why}</p>}
      {'isLong' in found && (
        <p>
          {isAsked ? (
            'The list of what is in this package is too long to be read for a page.'
          ) : (
            <a href={`${pagePaths.checkpoint(address)}?${layersField}=all#layers`}>Read them: it may take a moment</a>
          )}
        </p>
      )}
      {'layers' in found && <ChartAndTable layers={found.layers} storedBytes={storedBytes} />}
    </>
  );
}

function ChartAndTable({
  layers,
  storedBytes,
}: {
  readonly layers: readonly LayerBytes[];
  readonly storedBytes: number | undefined;
}) {
  const drawn = largest(layers, drawnMax);
  const parts = layerParts.filter((part) => layers.some(({ stored }) => stored[part] > 0));
  const most = layers.toSorted((a, b) => sumOf(b) - sumOf(a))[0];
  const mostInWords = most === undefined ? '' : `; most takes ${most.layer}, ${inWords(sumOf(most))}`;
  const rest = storedBytes === undefined ? 0 : storedBytes - layers.reduce((sum, layer) => sum + sumOf(layer), 0);
  return (
    <>
      <Rows
        id="layers-chart"
        title="Stored bytes"
        description={`${countOf(layers.length, 'layer')}${mostInWords}.`}
        legend={parts.map((part) => ({ kind: partKinds[part], words: partWords[part] }))}
        rows={drawn.map((layer) => ({
          name: layer.layer,
          parts: parts.map((part) => ({ value: layer.stored[part], kind: partKinds[part] })),
          words: inWords(sumOf(layer)),
        }))}
      />
      <details>
        <summary>The figures of this chart</summary>
        <Table
          caption="Bytes of each layer"
          columns={[
            { title: 'Layer' },
            { title: 'Tensors', isNumber: true },
            { title: 'Download', isNumber: true },
            ...parts.map((part) => ({ title: `Stored: ${partWords[part]}`, isNumber: true })),
            { title: 'Stored', isNumber: true },
            { title: 'Ratio', isNumber: true },
          ]}
          rows={[
            ...largest(layers, listedMax).map((layer) => [
              layer.layer,
              layer.tensorCount === 0 ? 'a file' : layer.tensorCount.toLocaleString('en-US'),
              inWords(layer.logicalBytes),
              ...parts.map((part) => inWords(layer.stored[part])),
              inWords(sumOf(layer)),
              ratioInWords(layer.logicalBytes, sumOf(layer)),
            ]),
            ...(rest >= 1 ? [['index and tables', '', '', ...parts.map(() => ''), inWords(rest), '']] : []),
          ]}
        />
      </details>
    </>
  );
}

/** The layers in their order; if there are more than `countMax`, the largest, and the others as one at the end. */
function largest(layers: readonly LayerBytes[], countMax: number): readonly LayerBytes[] {
  if (layers.length <= countMax) return layers;
  const kept = new Set(layers.toSorted((a, b) => sumOf(b) - sumOf(a)).slice(0, countMax - 1));
  const others = layers.filter((layer) => !kept.has(layer));
  const total = (valueOf: (layer: LayerBytes) => number) => others.reduce((sum, layer) => sum + valueOf(layer), 0);
  const together: LayerBytes = {
    layer: `${others.length.toLocaleString('en-US')} others`,
    tensorCount: total(({ tensorCount }) => tensorCount),
    logicalBytes: total(({ logicalBytes }) => logicalBytes),
    stored: {
      weights: total(({ stored }) => stored.weights),
      state: total(({ stored }) => stored.state),
      exact: total(({ stored }) => stored.exact),
    },
  };
  return [...layers.filter((layer) => kept.has(layer)), together];
}

function sumOf({ stored }: LayerBytes): number {
  return layerParts.reduce((sum, part) => sum + stored[part], 0);
}

function inWords(bytes: number): string {
  return bytesInWords(Math.round(bytes));
}
