/** Bytes already in memory as the body of a put. */
export async function* bodyOf(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
