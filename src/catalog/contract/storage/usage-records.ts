import type { Page } from '../page.ts';

/**
 * Stored bytes by purpose. package: packages of visible checkpoints. staged: uploads that wait for compression. raw:
 * retained uploads of visible checkpoints. hub: files of commits that no checkpoint holds. evalSet: graphs and batches.
 * hidden: objects of deleted checkpoints that others build on. pendingDeletion: objects that nothing names and that
 * wait for deletion.
 */
export const storedParts = ['package', 'staged', 'raw', 'hub', 'evalSet', 'hidden', 'pendingDeletion'] as const;
export type StoredPart = (typeof storedParts)[number];

/** All in bytes. */
export interface Usage {
  /** Files of visible checkpoints as uploaded, without sensitivities, which only the search reads. */
  readonly logical: number;
  readonly stored: Readonly<Record<StoredPart, number>>;
  /**
   * Visible checkpoints that are ready: as uploaded, and what is stored for them. It is part of what `stored` counts.
   */
  readonly compressed: { readonly count: number; readonly rawBytes: number; readonly storedBytes: number };
  /** Room reserved for arriving bodies; not stored yet. */
  readonly reserved: number;
  /** On connections, both ways, headers included. */
  readonly received: number;
  readonly sent: number;
}

export interface NamespaceUsage extends Usage {
  readonly namespace: string;
  readonly quota?: Quota;
}

/** Limit of a namespace. */
export interface Quota {
  /** Counts everything stored or arriving for the namespace, except objects pending deletion. */
  readonly storedBytesMax: number;
}

/** Bytes transferred by requests to one repository. */
export interface Transfer {
  readonly repositoryId: string;
  readonly received: number;
  readonly sent: number;
}

/** Usage of namespaces. It is summed up from the rows on every call, so it is never out of date. */
export interface UsageRecords {
  /** By name, those that have a repository or a quota. `names` restricts them; `after` is a name. */
  namespaces(page: Page, names?: readonly string[]): Promise<NamespaceUsage[]>;
  repository(id: string): Promise<Usage>;
  /** The whole hub, including objects pending deletion and those of unknown repositories. */
  hub(): Promise<Usage>;
  /** The quota of a namespace, if it has one. */
  quota(namespace: string): Promise<Quota | undefined>;
  /** The same, locked until the transaction ends, also while there is none. */
  lockQuota(namespace: string): Promise<Quota | undefined>;
  /** Undefined: no quota. Stored bytes stay even if they exceed a new quota. */
  setQuota(namespace: string, quota: Quota | undefined): Promise<void>;
  /** Adds to the day's row of each repository; unknown repositories are skipped. */
  addTransfers(transfers: readonly Transfer[]): Promise<void>;
}
