import type { Catalog } from './contract/catalog.ts';
import type { Claim } from './contract/work/job-records.ts';

/**
 * The catalog for the holder of a claim. Every write outside a transaction runs in one transaction with a check that
 * the claim still holds, else `conflict`. Transactions pass unchanged: the one that completes the claim checks it by
 * that.
 */
export function fencedCatalog(catalog: Catalog, claim: Claim): Catalog {
  const held = <T>(write: (tx: Catalog) => Promise<T>): Promise<T> =>
    catalog.transaction(async (tx) => {
      await tx.jobs.confirm(claim);
      return write(tx);
    });
  return {
    ...catalog,
    checkpoints: { ...catalog.checkpoints, transition: (...move) => held((tx) => tx.checkpoints.transition(...move)) },
    runs: { ...catalog.runs, setBinding: (...binding) => held((tx) => tx.runs.setBinding(...binding)) },
    estimates: { ...catalog.estimates, move: (...move) => held((tx) => tx.estimates.move(...move)) },
    trials: { ...catalog.trials, record: (trial) => held((tx) => tx.trials.record(trial)) },
  };
}
