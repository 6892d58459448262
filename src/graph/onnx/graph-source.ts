/** A graph file that is read piece by piece. It does not change while it is read. */
export interface GraphSource {
  readonly sizeBytes: number;
  /**
   * Fills `target` with the bytes from `startBytes` on, which must be inside the file. Rejects with the file's errors.
   */
  fill(target: Uint8Array, startBytes: number): Promise<void>;
}

/** Bytes of a graph file. */
export interface GraphSpan {
  readonly startBytes: number;
  readonly lengthBytes: number;
}

/** A graph that is in memory. */
export function memoryGraphSource(bytes: Uint8Array): GraphSource {
  return {
    sizeBytes: bytes.byteLength,
    fill: async (target, startBytes) => target.set(bytes.subarray(startBytes, startBytes + target.byteLength)),
  };
}
