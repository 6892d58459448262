import { AsyncLocalStorage } from 'node:async_hooks';
import { FirnError } from '../../checkpoint/firn-error.ts';

/** Knows whether the running code was started by a transaction that is still open. */
export interface TransactionScope {
  /**
   * Throws `internal` inside an open transaction. A query on the outer database would wait for itself, or would not
   * belong to the transaction as it seems to.
   */
  refuseInside(): void;
  /**
   * Runs `work` as the inside of a transaction, until it ends. Work that it leaves running counts as outside from then
   * on.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function transactionScope(): TransactionScope {
  const within = new AsyncLocalStorage<{ open: boolean }>();
  return {
    refuseInside() {
      if (within.getStore()?.open === true)
        throw new FirnError('internal', 'The catalog was used wrongly.', {
          detail: 'a query on the outer catalog inside a transaction',
        });
    },
    async run(work) {
      const scope = { open: true };
      return within.run(scope, async () => {
        try {
          return await work();
        } finally {
          scope.open = false;
        }
      });
    },
  };
}
