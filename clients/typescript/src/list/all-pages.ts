/** Most entries of one page, as the hub allows. */
export const pageLimit = 1000;
/** Most pages that are asked for. */
const pagesMax = 1000;

/** Every entry of a list: `ask` gets the `after` of each page. Throws an Error beyond a million entries. */
export async function allPages<T>(
  ask: (after: string | undefined) => Promise<{ readonly items: readonly T[]; readonly next?: string }>,
): Promise<T[]> {
  const all: T[] = [];
  let after: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const { items, next } = await ask(after);
    all.push(...items);
    if (next === undefined) return all;
    after = next;
  }
  throw new Error(`The list has more than ${pagesMax * pageLimit} entries.`);
}
