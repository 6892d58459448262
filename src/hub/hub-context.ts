import { createHash } from 'node:crypto';
import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Repository } from '../catalog/contract/repository-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { isRunName, nameLengthMax } from '../checkpoint/names.ts';
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

/** Room that the name of a branch's run leaves for a folder's suffix and a number, in characters. */
const suffixRoom = 32;
const digestLength = 6;

/**
 * The run of a branch's checkpoints: it has the branch's name. If a run cannot have that name, as with `feature/x`, it
 * is one like it, with a part of the name's digest, so that no other branch has the same run: `feature-x-217d2b`. Pure.
 */
export function runOfBranch(branch: string): string {
  if (branch === mainBranch) return mainRun;
  if (isRunName(branch)) return branch;
  const digest = createHash('sha256').update(branch).digest('hex').slice(0, digestLength);
  const like = branch
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, nameLengthMax - suffixRoom)
    .replace(/^-|-$/g, '');
  const name = `${like}-${digest}`;
  return isRunName(name) ? name : `branch-${digest}`;
}
