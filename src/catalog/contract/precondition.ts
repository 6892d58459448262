import type { Catalog } from './catalog.ts';

/**
 * What a client asks to be true of a record when it is changed. Called in the transaction that changes it, so that
 * nothing comes between: it locks the record's row, and throws `precondition-failed` if it is not as asked.
 */
export type Precondition = (tx: Catalog) => Promise<void>;
