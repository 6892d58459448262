/** A page of a list for which one more item was asked than is shown: what is shown, and whether more follows. */
export function nextOf<Item>(
  listed: readonly Item[],
  limit: number,
  keyOf: (last: Item) => string,
): { readonly items: readonly Item[]; readonly next: string | undefined } {
  const items = listed.slice(0, limit);
  return { items, next: listed.length > limit ? keyOf(items.at(-1)!) : undefined };
}
