import { quoteName } from '../../checkpoint/quote-name.ts';
import { quoteNames } from '../quote-names.ts';
import type { BindingReport, FilledBy } from './binding-report.ts';
import { describePrefix } from './pair-by-prefix.ts';

/** Pairs that a sentence lists before it only counts. */
const pairsListedMax = 3;

/** A report in sentences, for people; lists are cut. Names are the first sentence, what is not used the last. */
export function describeBinding(report: BindingReport): string[] {
  const { nameCount, prefix, mapped, tied, byContent, transposed, declared, unused } = report;
  return [
    `${weights(nameCount + (prefix?.count ?? 0))} of the graph ${nameCount + (prefix?.count ?? 0) === 1 ? 'is' : 'are'} bound by name${prefix === undefined ? '' : `, ${prefix.count} of them ${describePrefix(prefix)}`}.`,
    ...sentence(mapped, 'bound by the tensor map'),
    ...sentence(tied, 'tied to a tensor of another name'),
    ...sentence(byContent, 'bound by equal bytes'),
    ...sentence(transposed, 'transposed'),
    ...(declared.length === 0 ? [] : [`${declared.length === 1 ? '1 constant is' : `${declared.length} constants are`} declared: ${quoteNames(declared)}.`]),
    ...(unused.length === 0
      ? []
      : [
          `${unused.length === 1 ? '1 tensor' : `${unused.length} tensors`} of the checkpoint ${unused.length === 1 ? 'is' : 'are'} not used by the graph: ${quoteNames(unused)}.`,
        ]),
  ];
}

function sentence(pairs: readonly FilledBy[], how: string): string[] {
  if (pairs.length === 0) return [];
  const listed = pairs.slice(0, pairsListedMax).map(({ initializer, tensor }) => `${quoteName(initializer)} from ${quoteName(tensor)}`);
  const more = pairs.length > pairsListedMax ? ` and ${pairs.length - pairsListedMax} more` : '';
  return [`${weights(pairs.length)} ${pairs.length === 1 ? 'is' : 'are'} ${how}: ${listed.join(', ')}${more}.`];
}

function weights(count: number): string {
  return count === 1 ? '1 weight' : `${count} weights`;
}
