import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { HubCommit } from '../../catalog/contract/hub/revision-records.ts';
import { commitOid } from '../tree/git-object.ts';

/** A commit without what follows from the rest: its id and its time. Its trees are recorded already. */
export type NewCommit = Omit<HubCommit, 'id' | 'createdAt'>;

/** Records a commit with the time of the database and the id that git would give it, inside the transaction. */
export async function recordCommit(tx: Catalog, text: NewCommit): Promise<HubCommit> {
  // Git keeps whole seconds.
  const createdAt = new Date(Math.floor((await tx.now()).getTime() / 1000) * 1000);
  const commit = { ...text, createdAt, id: commitOid({ ...text, createdAt }) };
  await tx.hub.revisions.putCommit(commit);
  return commit;
}
