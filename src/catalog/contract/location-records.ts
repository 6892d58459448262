import type { Checkpoint } from './checkpoint-records.ts';
import type { CheckpointFile } from './file-records.ts';
import type { Repository } from './repository-records.ts';
import type { Run } from './run-records.ts';

/**
 * What names lead to, as far as they do: each is absent where it, or what it would lie in, does not exist or was
 * deleted.
 */
export interface Location {
  readonly repository?: Repository;
  readonly run?: Run;
  readonly checkpoint?: Checkpoint;
  readonly file?: CheckpointFile;
}

export interface LocationRecords {
  /**
   * From the names in a URL to records, as `find` of each would say one after the other; what is not named is absent.
   */
  find(names: {
    readonly namespace: string;
    readonly name: string;
    readonly run: string;
    readonly step?: number | undefined;
    readonly path?: string | undefined;
  }): Promise<Location>;
}
