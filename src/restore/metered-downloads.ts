import type { Downloads, OpenedFile } from './downloads.ts';

/** One streamed range, complete or not. */
export interface RestoredBytes {
  /** `raw`: the object itself; `cached`: rebuilt before; else rebuilt from a base alone, or a base and deltas. */
  readonly kind: 'raw' | 'base' | 'delta' | 'cached';
  /** Number of packages read; 1 without a chain. */
  readonly chainLength: number;
  /** Seconds from the opening of the file to the first byte. */
  readonly firstByteSeconds: number;
  /** Seconds spent making the bytes. */
  readonly seconds: number;
  readonly bytes: number;
}

type OnRestored = (restored: RestoredBytes) => void;

/** The downloads, reporting every range streamed from them; bytes of layers are read from no stream. */
export function meteredDownloads(
  downloads: Downloads,
  onRestored: OnRestored,
): Pick<Downloads, 'openFile' | 'openTensor' | 'openObject' | 'openRaw' | 'layers'> {
  return {
    openFile: (...which) => meteredFile(() => downloads.openFile(...which), onRestored),
    openObject: (...which) => meteredFile(() => downloads.openObject(...which), onRestored),
    openRaw: (...which) => meteredFile(() => downloads.openRaw(...which), onRestored),
    layers: (...which) => downloads.layers(...which),
    openTensor: (...which) => meteredFile(() => downloads.openTensor(...which), onRestored),
  };
}

/**
 * The file that `open` opens, reporting every range streamed from it. The time that its reader takes between two pieces
 * is not counted.
 */
export async function meteredFile<File extends OpenedFile>(
  open: () => Promise<File>,
  onRestored: OnRestored,
): Promise<File> {
  const startedMs = performance.now();
  const file = await open();
  const { sizeBytes, chainLength = 0, isCached = false } = file;
  const what = { kind: isCached ? ('cached' as const) : kindOf(chainLength), chainLength: Math.max(1, chainLength) };
  const openMs = performance.now() - startedMs;
  const stream = async function* (
    startBytes: number,
    endBytes: number,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const pieces = file.stream(startBytes, endBytes, signal)[Symbol.asyncIterator]();
    let firstMs: number | undefined;
    let madeMs = 0;
    let bytes = 0;
    try {
      for (;;) {
        const askedMs = performance.now();
        const piece = await pieces.next();
        madeMs += performance.now() - askedMs;
        if (piece.done === true) return;
        firstMs ??= madeMs;
        bytes += piece.value.length;
        yield piece.value;
      }
    } finally {
      await pieces.return?.();
      if (firstMs !== undefined)
        onRestored({ ...what, firstByteSeconds: (openMs + firstMs) / 1000, seconds: madeMs / 1000, bytes });
    }
  };
  return { ...file, sizeBytes, stream, close: () => file.close() };
}

function kindOf(chainLength: number): RestoredBytes['kind'] {
  if (chainLength === 0) return 'raw';
  return chainLength === 1 ? 'base' : 'delta';
}
