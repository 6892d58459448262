import { stateRoles, type StateOptions, type StateRole } from '../../checkpoint/options/state-options.ts';
import { quoteNames } from '../../graph/quote-names.ts';
import type { SourceFile } from '../upload/model-source.ts';
import { planState, type KeptExact } from './plan-state.ts';

const roleNames: Readonly<Record<StateRole, string>> = {
  firstMoment: 'first moments',
  secondMoment: 'second moments',
  momentum: 'momentum',
};
const firstMoments = 'First moments cannot be bounded and are kept exact, because';
const reasons: Readonly<Record<KeptExact, string>> = {
  ambiguous:
    'Optimizer state is kept exact where its name says two things at once; state.names of the run can say which',
  dtype: 'Optimizer state that is not F32 is kept exact',
  secondMissing: `${firstMoments} no second moments of theirs are found`,
  secondElsewhere: `${firstMoments} their second moments are in another file`,
  secondDtype: `${firstMoments} their second moments are not F32`,
  secondShape: `${firstMoments} their second moments have another shape`,
  secondUnclear: `${firstMoments} several tensors may be their second moments`,
};

/**
 * Warnings about requested lossy optimizer state: tensors that stay exact nevertheless, and roles without any tensor.
 */
export function stateWarnings(
  files: readonly Pick<SourceFile, 'role' | 'type' | 'layout'>[],
  options: StateOptions,
): string[] {
  if (stateRoles.every((role) => options[role] === 'exact') && options.master !== 'weights') return [];
  const { kept, absent } = planState(files, options);
  const sentences = [...new Set(kept.map(({ why }) => why))].map((why) => {
    const names = kept.filter((tensor) => tensor.why === why).map(({ name }) => name);
    return `${reasons[why]} (tensors: ${names.length}): ${quoteNames(names)}.`;
  });
  const missing = absent.map((role) => roleNames[role]).join(' or ');
  return missing === ''
    ? sentences
    : [
        ...sentences,
        `The run does not want ${missing} kept exact, but no tensor of an optimizer file is called as such; ` +
          'state.names of the run can say which are.',
      ];
}

/** A warning about optimizer tensors with an element that their coding cannot represent. */
export function unplacedStateWarning(names: readonly string[]): string {
  return (
    'Blocks of optimizer state are kept exact where an element has no place: NaN, an infinity, a negative ' +
    `second moment, a first moment too large for its second one (tensors: ${names.length}): ` +
    `${quoteNames(names)}.`
  );
}
