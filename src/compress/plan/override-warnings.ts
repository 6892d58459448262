import { isQuantizedLayerType, type LayerType } from '../../checkpoint/layer-type.ts';
import { quoteNames } from '../../graph/quote-names.ts';
import type { SourceFile } from '../upload/model-source.ts';
import { isExactTensor, type CodingPlan } from './plan-codings.ts';

/** Layer types given at upload, by tensor name. */
type Overrides = Readonly<Record<string, LayerType>>;

/**
 * Warnings about the given layer types: names that are no tensor of the model, and tensors that stay exact although
 * tensors of the given type are quantized. Without a plan (an exact run, in which a type changes nothing), only the
 * names are checked.
 */
export function overrideWarnings(overrides: Overrides, files: readonly SourceFile[], plan?: CodingPlan): string[] {
  const tensors = new Set(
    files.filter((file) => file.role === 'model').flatMap((file) => file.layout.tensors.map((entry) => entry.name)),
  );
  const strangers = Object.keys(overrides).filter((name) => !tensors.has(name));
  const exact =
    plan === undefined
      ? []
      : exactTensors(files, plan).filter(
          (name) => Object.hasOwn(overrides, name) && isQuantizedLayerType(overrides[name]!),
        );
  return [
    ...(strangers.length > 0
      ? [`Layer types are given for tensors that the model does not have: ${quoteNames(strangers)}.`]
      : []),
    ...(exact.length > 0
      ? [
          'Tensors are kept exact in spite of the layer type given for them (not fp32, fp16 or bf16, not a ' +
            `matrix, too small, not finite, or not used by the eval graph): ${quoteNames(exact)}.`,
        ]
      : []),
  ];
}

/** Model tensors that the plan does not quantize, in the order of the files. */
function exactTensors(files: readonly SourceFile[], plan: CodingPlan): string[] {
  return files.flatMap((file, i) =>
    file.role === 'model'
      ? file.layout.tensors.filter((_, tensor) => isExactTensor(plan, i, tensor)).map((entry) => entry.name)
      : [],
  );
}
