/** Checksums, files, and the state of the pool. `core.ts` says what holds for all calls. */
export interface ProcessCalls {
  crc32cSync(bytes: Uint8Array, seed?: number): number;
  /**
   * Read-only private mapping of a whole file; unmapped when collected. For evaluation children: writing to it, or
   * reading it after somebody truncated the file, ends the process. An empty file gives an empty buffer. Throws
   * `internal`.
   */
  mapFileSync(path: string): ArrayBuffer;
  /**
   * Informs the system that an open file will not be read soon, so that the memory that caches it is free for others,
   * except for bytes not yet on disk. It is a hint, which does not fail for any kind of file. Keep the descriptor open
   * meanwhile.
   */
  forgetFile(descriptor: number): Promise<void>;
  /**
   * The pool's present state, and totals since the start: ended calls, and the sum of the milliseconds that their
   * callers waited.
   */
  stats(): {
    readonly threads: number;
    readonly queued: number;
    readonly running: number;
    readonly simd: 'scalar' | 'avx2' | 'avx512';
    readonly endedCalls: number;
    readonly endedMs: number;
  };
}
