import { createHash } from 'node:crypto';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { bindGraphFile } from '../../graph/bind-graph-file.ts';
import { pairByHeaders } from '../../graph/binding/pair/pair-by-headers.ts';
import { describeGraph } from '../../graph/describe-graph.ts';
import { memoryGraphSource } from '../../graph/onnx/graph-source.ts';
import type { CheckpointTensor, WeightBinding } from '../../graph/weight-binding.ts';

/** A tensor of an uploaded checkpoint, in memory. */
export type UploadedTensor = CheckpointTensor & { readonly bytes: Uint8Array };

/** Binds an eval set's graph to a checkpoint in memory as a hub does. Rejects as {@link bindGraphFile}. */
export async function bindUploaded(
  graphBytes: Uint8Array,
  tensors: readonly UploadedTensor[],
  spec: Pick<EvalSetSpec, 'tensorMap' | 'constants' | 'unused'>,
): Promise<WeightBinding> {
  const headers = pairByHeaders({ ...spec, graph: describeGraph(graphBytes), tensors });
  const { binding } = await bindGraphFile(headers, {
    source: memoryGraphSource(graphBytes),
    digestTensors: async (names) =>
      new Map(
        tensors
          .filter(({ name }) => names.has(name))
          .map(({ name, bytes }) => [name, createHash('sha256').update(bytes).digest('hex')]),
      ),
  });
  return binding;
}
