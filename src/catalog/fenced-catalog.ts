import type { Catalog } from './contract/catalog.ts';
import type { Claim } from './contract/job-records.ts';

/**
 * The catalog as the holder of a claim may write it: what a worker notes while it works is in one transaction with the
 * proof that it still has the job, else `conflict`. Transactions are as they were: the one that completes the claim
 * proves it by that.
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
    trials: { ...catalog.trials, record: (trial) => held((tx) => tx.trials.record(trial)) },
  };
}
