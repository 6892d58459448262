import { readFileSync, rmSync } from 'node:fs';
import type { InferenceSession } from 'onnxruntime-node';
import { outputComputations } from '../../graph/output-computations.ts';
import { createSession } from './prepared-set.ts';

/**
 * A session for a graph on the processor, and the graph into which the runtime has optimized it. `path`: a file for
 * that graph in the meantime. Errors: `graph-invalid`, `eval-memory`.
 */
export async function optimizedGraph(
  bytes: Uint8Array,
  path: string,
): Promise<{ readonly session: InferenceSession; readonly bytes: Uint8Array }> {
  try {
    const session = await createSession(bytes, 'cpu', { optimizedModelFilePath: path });
    return { session, bytes: new Uint8Array(readFileSync(path)) };
  } finally {
    rmSync(path, { force: true });
  }
}

/**
 * Whether two optimized graphs compute these outputs by the same operators. Then they give the same bits: the runtime
 * has one thread, and an operator's result depends on its inputs alone. Otherwise the runtime may have merged operators
 * in one of them, which rounds differently.
 */
export function computesAlike(one: Uint8Array, other: Uint8Array, outputs: readonly string[]): boolean {
  const [ours, theirs] = [outputComputations(one), outputComputations(other)];
  return outputs.every((name) => ours?.get(name) !== undefined && ours.get(name) === theirs?.get(name));
}
