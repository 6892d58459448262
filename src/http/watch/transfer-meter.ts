import type { Transfer, UsageRecords } from '../../catalog/contract/usage-records.ts';

/**
 * Adds up what requests to each repository move, and writes it to the catalog when told to: what was added since then
 * is lost with a killed process. Memory grows with the repositories asked for in between.
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

  /** Rejects with the errors of the catalog; what was not written is kept for the next time. */
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
