import type { ExactDecoder, ExactMethod } from './exact-method.ts';
import type { WeightFile } from './weight-file.ts';

/** A file coded and decoded once. */
export interface RoundTrip {
  /** All payloads. */
  readonly bytes: number;
  readonly encodeSeconds: number;
  readonly decodeSeconds: number;
  /** Repeat the same work. */
  encodeAgain(): unknown;
  decodeAgain(): unknown;
}

/** Codes and decodes a file and compares the result. Rejects with an Error if a byte differs. */
export async function roundTrip(
  method: ExactMethod,
  current: WeightFile,
  previous: WeightFile | undefined,
): Promise<RoundTrip> {
  const encode = method.encoder(current, previous);
  const started = performance.now();
  const payloads = await encode();
  const encodeSeconds = secondsSince(started);
  const decoder: ExactDecoder = method.decoder(payloads, { layout: current.layout, dtype: current.dtype }, previous);
  const decodeStarted = performance.now();
  const parts = await decoder.decode();
  const decodeSeconds = secondsSince(decodeStarted);
  if (Buffer.compare(decoder.rebuild(parts), current.bytes) !== 0)
    throw new Error(`${method.name} does not give ${current.path} back`);
  const bytes = payloads.reduce((sum, payload) => sum + payload.length, 0);
  return { bytes, encodeSeconds, decodeSeconds, encodeAgain: encode, decodeAgain: () => decoder.decode() };
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}
