/** Counts of a grouped query with a zero for each state that has no rows. */
export function countByState<State extends string>(
  states: readonly State[],
  counted: readonly { state: State; count: number }[],
): Record<State, number> {
  const counts = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
  for (const { state, count } of counted) counts[state] = count;
  return counts;
}
