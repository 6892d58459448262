import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Repository } from '../catalog/contract/repository-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import type { IngestContext } from '../ingest/ingest-context.ts';
import type { Downloads } from '../restore/downloads.ts';
import type { XetHasher } from '../xet/xet-hash.ts';

/** Dependencies of this room's verbs. */
export interface HubContext extends IngestContext {
  readonly downloads: Pick<Downloads, 'openFile' | 'openObject' | 'openRaw'>;
  /** Creates the run of a branch, with the fidelity that the repository asks for, inside the given transaction. */
  readonly createRun: (tx: Catalog, repository: Repository, name: string) => Promise<Run>;
  /** The hash functions of Xet, made once. */
  readonly xetHasher: () => Promise<XetHasher>;
  /** Called after a commit that queued checkpoints. */
  readonly wakeWorkers: () => void;
}

/** The branch that clients mean when they name none. */
export const mainBranch = 'main';
/** The run whose checkpoints the main branch shows. */
export const mainRun = 'default';

/** The run of a branch's checkpoints; not every name of a branch is a valid one. */
export function runOfBranch(branch: string): string {
  return branch === mainBranch ? mainRun : branch;
}
