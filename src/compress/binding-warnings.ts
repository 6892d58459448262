import { isFloatDtype } from '../graph/onnx-dtype.ts';
import { quoteName } from '../checkpoint/quote-name.ts';
import { quoteNames } from '../graph/quote-names.ts';
import type { BoundGraph } from './bind-graph.ts';
import type { SourceFile } from './model-source.ts';
import { someOf } from './some-of.ts';

/**
 * What about a binding is worth a doubt, in sentences: weights that are declared to be constants, an output layer that was taken for tied though no bytes say so, and floating-point tensors that the graph does
 * not use (`unmeasured`, of measured-tensors.ts): adapters, averages and heads of a model that is not the graph's. Pure.
 */
export function bindingWarnings(
  { graph, report }: Pick<BoundGraph, 'graph' | 'report'>,
  files: readonly Pick<SourceFile, 'role' | 'layout'>[],
  unmeasured: ReadonlySet<string>,
): string[] {
  const open = new Set(graph.initializers.filter((each) => each.external).map((each) => each.name));
  const assumed = report.tied.filter(({ initializer }) => open.has(initializer));
  const leftOut = new Set(report.leftOut);
  const tensors = files.filter(({ role }) => role === 'model').flatMap(({ layout }) => layout.tensors);
  const unused = tensors.filter(({ name, dtype }) => unmeasured.has(name) && isFloatDtype(dtype) && !leftOut.has(name)).map(({ name }) => name);
  const declared = report.declared.filter((name) => /\.(weight|bias)$/.test(name));
  return [
    ...(declared.length > 0
      ? [`The eval set declares ${quoteNames(declared)} as constants, which are called as weights are: the graph's own numbers are measured in their place.`]
      : []),
    ...assumed.map(
      ({ initializer, tensor }) =>
        `The checkpoint has no ${quoteName(initializer)}, so ${quoteName(tensor)} is measured in its place, as tied models have it; the graph holds no numbers that would prove it. ` +
        'If the model is not tied, a file of the checkpoint is missing. An export with external_data=False settles it.',
    ),
    ...(unused.length > 0
      ? [
          `The eval graph does not use these tensors of the checkpoint, so no metric sees them: ${someOf(unused)}. If the model you evaluate uses them, its figures are others; if not, name them in "unused" of the eval set's spec.`,
        ]
      : []),
  ];
}
