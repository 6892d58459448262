import { quoteName } from '../../../checkpoint/words/quote-name.ts';
import { quoteNames } from '../../quote-names.ts';
import type { BindingReport, FilledBy } from './binding-report.ts';
import { describePrefix } from '../pair/describe-prefix.ts';

/** Most pairs that a sentence lists; it only counts more. */
const pairsListedMax = 3;

/**
 * A report in sentences, for people; lists are cut. The first sentence is about names, the last about unused tensors.
 */
export function describeBinding(report: BindingReport): string[] {
  const { nameCount, prefix, mapped, tied, byContent, transposed, declared, unused, leftOut } = report;
  const named = nameCount + (prefix?.count ?? 0);
  const behind =
    prefix === undefined ? '' : `, ${nameCount === 0 ? 'all' : prefix.count} of them ${describePrefix(prefix)}`;
  return [
    `${weights(named)} of the graph ${isOrAre(named)} bound by name${behind}.`,
    ...sentence(mapped, 'bound by the tensor map'),
    ...sentence(tied, 'tied to a tensor of another name'),
    ...sentence(byContent, 'bound by equal bytes'),
    ...sentence(transposed, 'transposed'),
    ...(declared.length === 0
      ? []
      : [`${counted(declared.length, 'constant')} ${isOrAre(declared.length)} declared: ${quoteNames(declared)}.`]),
    ...(leftOut.length === 0
      ? []
      : [
          `${counted(leftOut.length, 'tensor')} of the checkpoint ${isOrAre(leftOut.length)} left out, as ` +
            `the eval set says: ${quoteNames(leftOut)}.`,
        ]),
    ...(unused.length === 0
      ? []
      : [
          `${counted(unused.length, 'tensor')} of the checkpoint ${isOrAre(unused.length)} not used by the ` +
            `graph: ${quoteNames(unused)}.`,
        ]),
  ];
}

function sentence(pairs: readonly FilledBy[], how: string): string[] {
  if (pairs.length === 0) return [];
  const listed = pairs
    .slice(0, pairsListedMax)
    .map(({ initializer, tensor }) => `${quoteName(initializer)} from ${quoteName(tensor)}`);
  const more = pairs.length > pairsListedMax ? ` and ${pairs.length - pairsListedMax} more` : '';
  return [`${weights(pairs.length)} ${isOrAre(pairs.length)} ${how}: ${listed.join(', ')}${more}.`];
}

function weights(count: number): string {
  return counted(count, 'weight');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}
