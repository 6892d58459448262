import type { Checkpoint } from './checkpoint-records.ts';
import type { CheckpointFile } from './file-records.ts';
import type { HubCommit } from './hub/revision-records.ts';
import type { Repository } from './repository-records.ts';
import type { Run } from './run-records.ts';

/** A step, or the newest ready checkpoint of the run: the one with the largest sequence. */
export type StepOrLatest = number | 'latest';

/** The records that names lead to. A record is absent if it, or one that contains it, does not exist or was deleted. */
export interface Location {
  readonly repository?: Repository;
  readonly run?: Run;
  readonly checkpoint?: Checkpoint;
  readonly file?: CheckpointFile;
}

/** What a branch of a repository may show; each is absent if there is none. */
export interface BranchHead {
  /** What the branch itself leads to. */
  readonly commit?: HubCommit;
  /** The run of the branch. */
  readonly run?: Run;
  /** The newest ready checkpoint of that run. */
  readonly newest?: Checkpoint;
  /** Whether that checkpoint came with a commit. */
  readonly isOfCommit: boolean;
}

export interface LocationRecords {
  /**
   * Finds the records for the names in a URL, like one `find` after the other; names that are not given have no record.
   * One statement, so that `latest` means one checkpoint, and the file is a file of it.
   */
  find(names: {
    readonly namespace: string;
    readonly name: string;
    readonly run: string;
    readonly step?: StepOrLatest | undefined;
    readonly path?: string | undefined;
  }): Promise<Location>;
  /**
   * What a branch may show, in one statement. Its run is the one named `run`; with `orOldest` the oldest of the
   * repository, if there is none of that name.
   */
  branch(names: {
    readonly repositoryId: string;
    readonly branch: string;
    readonly run: string;
    readonly orOldest: boolean;
  }): Promise<BranchHead>;
}
