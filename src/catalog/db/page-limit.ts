import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Page } from '../contract/page.ts';

/** Most rows of one page. Queries on the embedded database run on the JavaScript thread. */
export const pageLimitMax = 1000;

/** The page's limit. Throws `invalid-request` when it is not an integer from 1 to `pageLimitMax`. */
export function pageLimit({ limit }: Page): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > pageLimitMax)
    throw new FirnError('invalid-request', `A page has 1 to ${pageLimitMax} items.`);
  return limit;
}
