import { isFloatDtype } from '../../graph/onnx/onnx-dtype.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import { quoteNames } from '../../graph/quote-names.ts';
import type { BindingReport } from '../../graph/bind-weights.ts';
import { plainExport } from '../../graph/binding/describe/export-advice.ts';
import { describePrefix } from '../../graph/binding/pair/describe-prefix.ts';
import type { BoundGraph } from './bind-graph.ts';
import type { SourceFile } from '../upload/model-source.ts';
import { someOf } from '../some-of.ts';

/**
 * Sentences about doubtful points of a binding: prefixes that exchange one part of a model for another; weights that
 * are declared constants; an output layer that is assumed to be tied, without equal bytes; floating-point tensors that
 * the graph does not use (`unmeasured`, of measured-tensors.ts), such as adapters, averages and heads of another model.
 * Pure.
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
  const unused = tensors
    .filter(({ name, dtype }) => unmeasured.has(name) && isFloatDtype(dtype) && !leftOut.has(name))
    .map(({ name }) => name);
  const declared = report.declared.filter((name) => /\.(weight|bias)$/.test(name));
  return [
    ...prefixDoubts(report.prefix),
    ...(declared.length > 0
      ? [
          `The eval set declares ${quoteNames(declared)} as constants, which are called as weights are: the ` +
            `graph's own numbers are measured in their place.`,
        ]
      : []),
    ...assumed.map(
      ({ initializer, tensor }) =>
        `The checkpoint has no ${quoteName(initializer)}, so ${quoteName(tensor)} is measured in its place, ` +
        'as tied models have it; the graph holds no numbers that would prove it. ' +
        'If the model is not tied, a file of the checkpoint is missing. An export with external_data=False settles it.',
    ),
    ...(report.doubtful !== undefined
      ? [
          `The graph uses ${quoteNames(report.doubtful)} in several places each, and holds equal numbers ` +
            'alone there, as a model does before training. Where the model has a weight for each place, the ' +
            'exporter merged them and the figure is wrong: ' +
            `export the graph with ${plainExport}. Where it shares one, all is well.`,
        ]
      : []),
    ...(unused.length > 0
      ? [
          'The eval graph does not use these tensors of the checkpoint, so no metric sees them: ' +
            `${someOf(unused)}. If the model you evaluate uses them, its figures are others; if not, name them ` +
            `in "unused" of the eval set's spec.`,
        ]
      : []),
  ];
}

/** Name parts that wrappers prepend; they are independent of the wrapped module. */
const wrappers: ReadonlySet<string> = new Set([
  'module',
  '_orig_mod',
  '_fsdp_wrapped_module',
  '_checkpoint_wrapped_module',
  'model',
  'm',
  'net',
  'transformer',
  'base_model',
]);

function isWrapper(prefix: string): boolean {
  return prefix.split(/[./]/).every((part) => part === '' || wrappers.has(part));
}

function prefixDoubts(prefix: BindingReport['prefix']): string[] {
  if (prefix === undefined) return [];
  const { graph, checkpoint, rival } = prefix;
  const exchanged = !isWrapper(graph) && !isWrapper(checkpoint);
  return [
    ...(rival !== undefined
      ? [
          `Two sets of tensors would fill the graph. What is measured is the one ${describePrefix(prefix)}; ` +
            `to measure the one ${describePrefix(rival)}, add ${rival.leaveOut} to the eval set's spec.`,
        ]
      : []),
    ...(exchanged
      ? [
          `The graph's ${quoteName(graph)} is filled from the checkpoint's ${quoteName(checkpoint)}, which ` +
            'is another part of a model by its name. If it is not what the graph was exported from, say in ' +
            '"tensorMap" which tensors it is.',
        ]
      : []),
  ];
}
