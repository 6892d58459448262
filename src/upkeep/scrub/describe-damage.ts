import type { FoundDamage } from './examine-object.ts';

/** Names of all that a damaged object affects: `namespace/repository/run@step`, eval sets, and files of commits. */
export function affectedNames({
  checkpoints,
  evalSets,
  repositories,
}: Pick<FoundDamage, 'checkpoints' | 'evalSets' | 'repositories'>): string[] {
  return [
    ...checkpoints.map(({ namespace, repository, run, step }) => `${namespace}/${repository}/${run}@${step}`),
    ...evalSets.map((name) => `eval set ${name}`),
    ...repositories.map((name) => `a file of commits of ${name}`),
  ];
}

/** One line for an operator. */
export function describeDamage(found: FoundDamage): string {
  const names = affectedNames(found);
  return (
    `${found.what} ${found.key} (${found.detail}): ` +
    `${names.length === 0 ? 'no live checkpoint needs it' : names.join(' ')}`
  );
}
