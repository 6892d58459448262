/**
 * The files that the recorded client uploaded, made anew from fixed seeds. `xet/fixtures` holds what the client sent
 * for them; scripts/record-xet-fixtures.ts records it again.
 */
export interface RecordedUpload {
  /** The first word of its fixtures' names. Uploads run in this order and share the client's cache. */
  name: string;
  files: { path: string; bytes: Uint8Array }[];
}

export function recordedUploads(): RecordedUpload[] {
  const text = prose(1, 200_000);
  return [
    { name: 'one-byte', files: [{ path: 'one.bin', bytes: Uint8Array.of(42) }] },
    { name: 'text', files: [{ path: 'words.txt', bytes: text }] },
    { name: 'floats', files: [{ path: 'weights.bin', bytes: floats(2, 40_001) }] },
    {
      name: 'shared',
      files: [
        { path: 'first.txt', bytes: joined(text, prose(3, 50_000)) },
        { path: 'second.txt', bytes: joined(text, prose(4, 60_000), prose(3, 50_000)) },
      ],
    },
    {
      name: 'fresh-pair',
      files: [
        { path: 'left.txt', bytes: joined(prose(5, 140_000), prose(6, 20_000)) },
        { path: 'right.txt', bytes: joined(prose(5, 140_000), prose(7, 20_000)) },
      ],
    },
    { name: 'random', files: [{ path: 'noise.bin', bytes: noise(8, 5_000_000) }] },
  ];
}

/** `sizeBytes` of English-like text, which LZ4 shortens. */
function prose(seed: number, sizeBytes: number): Uint8Array {
  const next = numbers(seed);
  const words = ['snow', 'layer', 'of', 'the', 'season', 'glacier', 'settles', 'on', 'old', 'ice', 'denser', 'firn'];
  let text = '';
  while (text.length < sizeBytes) text += `${words[next() % words.length]} ${next() % 1000}${next() % 9 ? ' ' : '.\n'}`;
  return new TextEncoder().encode(text.slice(0, sizeBytes));
}

/** `count` little-endian float32 values of similar size and one byte more: the client groups their bytes. */
function floats(seed: number, count: number): Uint8Array {
  const next = numbers(seed);
  const view = new DataView(new ArrayBuffer(count * 4 + 1));
  for (let index = 0; index < count; index++) view.setFloat32(index * 4, ((next() % 4096) - 2048) / 65536, true);
  return new Uint8Array(view.buffer);
}

function noise(seed: number, sizeBytes: number): Uint8Array {
  const next = numbers(seed);
  return Uint8Array.from({ length: sizeBytes }, () => next() >>> 24);
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** Xorshift32 (Marsaglia 2003): unsigned 32-bit numbers, the same on every machine. */
function numbers(seed: number): () => number {
  let state = (seed * 0x9e3779b9) >>> 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}
