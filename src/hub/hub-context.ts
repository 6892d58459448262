import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Repository } from '../catalog/contract/repository-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import type { IngestContext } from '../ingest/ingest-context.ts';
import type { CreateRunInput } from '../ingest/run/create-run.ts';
import type { Downloads } from '../restore/downloads.ts';
import type { XetHasher } from '../xet/xet-hash.ts';

/** Dependencies of this room's verbs. */
export interface HubContext extends IngestContext {
  readonly downloads: Pick<Downloads, 'openFile' | 'openObject' | 'openRaw'>;
  /** ingest/run/create-run.ts, inside the given transaction. */
  readonly createRun: (tx: Catalog, repository: Repository, input: CreateRunInput) => Promise<Run>;
  /** The hash functions of Xet, made once. */
  readonly xetHasher: () => Promise<XetHasher>;
  /** Called after a commit that queued checkpoints. */
  readonly wakeWorkers: () => void;
}

/** The branch that clients mean when they name none. */
export const mainBranch = 'main';
/** The run whose checkpoints the main branch shows. */
export const mainRun = 'default';

/** The author of commits that the server makes itself. */
export const serverAuthor = 'firn';

/** The run of a branch's checkpoints; not every name of a branch is a valid one. */
export function runOfBranch(branch: string): string {
  return branch === mainBranch ? mainRun : branch;
}
