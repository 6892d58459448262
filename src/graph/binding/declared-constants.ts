import { matchWildcards } from '../../checkpoint/match-wildcards.ts';

/** Whether a name is one of an eval set's `constants`, which may hold `*`. Cost: the patterns that hold one, for each name asked for. */
export function declaredConstants(constants: readonly string[] = []): (name: string) => boolean {
  const exact = new Set(constants.filter((pattern) => !pattern.includes('*')));
  const patterns = constants.filter((pattern) => pattern.includes('*'));
  return (name) => exact.has(name) || patterns.some((pattern) => matchWildcards(pattern, name) !== undefined);
}
