import type { Transfer, UsageRecords } from '../../catalog/contract/storage/usage-records.ts';

/**
 * Adds up the bytes that requests to each repository transfer, and `flush` writes them to the catalog. A killed process
 * loses the bytes added since. Memory grows with the repositories used in between.
 */
export class TransferMeter {
  readonly #records: Pick<UsageRecords, 'addTransfers'>;
  #moved = new Map<string, Transfer>();

  constructor(records: Pick<UsageRecords, 'addTransfers'>) {
    this.#records = records;
  }

  add({ repositoryId, received, sent }: Transfer): void {
    const before = this.#moved.get(repositoryId);
    this.#moved.set(repositoryId, {
      repositoryId,
      received: received + (before?.received ?? 0),
      sent: sent + (before?.sent ?? 0),
    });
  }

  /** Rejects with the errors of the catalog; unwritten bytes stay for the next call. */
  async flush(): Promise<void> {
    const moved = [...this.#moved.values()];
    this.#moved = new Map();
    try {
      await this.#records.addTransfers(moved);
    } catch (error) {
      for (const transfer of moved) this.add(transfer);
      throw error;
    }
  }
}
