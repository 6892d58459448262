import type { Page } from './page.ts';

/**
 * Bytes in the store, by what they are for. package: packages of visible checkpoints. staged: uploads that wait to be
 * compressed. raw: uploads that are kept, of visible checkpoints. evalSet: graphs and batches. hidden: what deleted
 * checkpoints leave because others build on it. pendingDeletion: what nothing names any more and waits to be deleted.
 */
export const storedParts = ['package', 'staged', 'raw', 'evalSet', 'hidden', 'pendingDeletion'] as const;
export type StoredPart = (typeof storedParts)[number];

/** All in bytes. */
export interface Usage {
  /** Files of visible checkpoints as they were uploaded, without sensitivities, which only the search reads. */
  readonly logical: number;
  readonly stored: Readonly<Record<StoredPart, number>>;
  /** Room that bodies on their way were given; not stored yet. */
  readonly reserved: number;
  /** On connections, both ways, headers included. */
  readonly received: number;
  readonly sent: number;
}

export interface NamespaceUsage extends Usage {
  readonly namespace: string;
  readonly quota?: Quota;
}

/** What a namespace may take. */
export interface Quota {
  /** Of all that is stored because of it, but for what is pending deletion, and of what is on its way. */
  readonly storedBytesMax: number;
}

/** Bytes that requests to one repository moved. */
export interface Transfer {
  readonly repositoryId: string;
  readonly received: number;
  readonly sent: number;
}

/** What namespaces take, summed up from the rows themselves when it is asked for: right after every change. */
export interface UsageRecords {
  /** By name, those that have a repository or a quota: of these names, or all; `after` is a name. */
  namespaces(page: Page, names?: readonly string[]): Promise<NamespaceUsage[]>;
  repository(id: string): Promise<Usage>;
  /** Everything, also what is pending deletion and of no known repository. */
  hub(): Promise<Usage>;
  /** Undefined: no limit but the disk's. What is stored already stays, whatever the limit. */
  setQuota(namespace: string, quota: Quota | undefined): Promise<void>;
  /** Adds to the day's row of each repository; those that are unknown are left out. */
  addTransfers(transfers: readonly Transfer[]): Promise<void>;
}
