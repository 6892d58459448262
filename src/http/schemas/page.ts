import type { Page } from '../../catalog/contract/page.ts';
import { pageLimitDefault } from './parameters.ts';

/** The catalog's page from query parameters. */
export function pageOf({ limit, after }: { limit?: number | undefined; after?: string | undefined }): Page {
  return { limit: limit ?? pageLimitDefault, ...(after !== undefined && { after }) };
}

/** The token of the next page; absent if this page was not full. */
export function nextOfPage<Item>(
  page: Page,
  items: readonly Item[],
  tokenOf: (last: Item) => string,
): { next?: string } {
  const last = items.at(-1);
  return last !== undefined && items.length >= page.limit ? { next: tokenOf(last) } : {};
}
