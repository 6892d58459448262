/**
 * `limit` from 1 to `pageLimitMax` (page-limit.ts), else `invalid-request`; `after` is the last item's token,
 * exclusive.
 */
export interface Page {
  readonly limit: number;
  readonly after?: string;
}
