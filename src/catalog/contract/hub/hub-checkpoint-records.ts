/** A checkpoint that a commit of a hub client made. */
export interface HubCheckpoint {
  readonly checkpointId: string;
  readonly repositoryId: string;
  readonly commitId: string;
  readonly branch: string;
  /** Where its files are in the commit; '' for the root. */
  readonly folder: string;
  /** The commit that shows the compressed form, or `commitId` if both are the same; absent until that is known. */
  readonly publishedId?: string;
}

export interface HubCheckpointRecords {
  add(record: Omit<HubCheckpoint, 'publishedId'>): Promise<void>;
  find(checkpointId: string): Promise<HubCheckpoint | undefined>;
  /** Which of these checkpoints commits made. */
  among(checkpointIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Ids of ready checkpoints whose result was not published yet, at most `limit`; not of deleted repositories. */
  unpublished(limit: number): Promise<string[]>;
  /**
   * Ids of ready checkpoints that were pushed without a commit, each the newest of its run, where the branch with the
   * name of the run has an older commit, or the main branch that may show the run; at most `limit`. The main branch
   * shows the run `mainRun`, and another one only where there is none of that name.
   */
  uncommitted(query: {
    readonly mainBranch: string;
    readonly mainRun: string;
    readonly limit: number;
  }): Promise<string[]>;
  setPublished(checkpointId: string, commitId: string): Promise<void>;
}
