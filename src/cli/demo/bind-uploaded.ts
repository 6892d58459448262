import { createHash } from 'node:crypto';
import type { EvalSetSpec } from '../../checkpoint/eval-set-spec.ts';
import { bindGraphFile, type BindFileRequest } from '../../graph/bind-graph-file.ts';
import { describeGraph } from '../../graph/describe-graph.ts';
import { memoryGraphSource } from '../../graph/graph-source.ts';
import type { WeightBinding } from '../../graph/weight-binding.ts';

/** A tensor of an uploaded checkpoint, in memory. */
export type UploadedTensor = BindFileRequest['tensors'][number] & { readonly bytes: Uint8Array };

/** Binds an eval set's graph to a checkpoint in memory as a hub would. Rejects as {@link bindGraphFile}. */
export async function bindUploaded(
  graphBytes: Uint8Array,
  tensors: readonly UploadedTensor[],
  { tensorMap, constants }: Pick<EvalSetSpec, 'tensorMap' | 'constants'>,
): Promise<WeightBinding> {
  const { binding } = await bindGraphFile({
    source: memoryGraphSource(graphBytes),
    graph: describeGraph(graphBytes),
    tensors,
    ...(tensorMap && { tensorMap }),
    ...(constants && { constants }),
    digestTensors: async (names) =>
      new Map(tensors.filter(({ name }) => names.has(name)).map(({ name, bytes }) => [name, createHash('sha256').update(bytes).digest('hex')])),
  });
  return binding;
}
