import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { HubCommit } from '../../catalog/contract/hub/revision-records.ts';
import { serverAuthor } from '../hub-context.ts';

export interface CommitRequest {
  readonly author: string;
  readonly parentCommit?: string;
  readonly requestSha256: string;
}

/** Newest commits of a branch among which a repeated request is looked for. */
const recentMax = 100;
/** A client repeats a request whose answer was lost within this time. */
const repeatedWithinMs = 60_000;

/**
 * The commit that this very request made before, if the client only repeats it. A request that names its parent is
 * known by it. One without is a repetition if it made the newest commit that a client pushed. If others committed
 * since, it is one if it made its author's newest commit, less than a minute ago: sending the same again on purpose,
 * after others changed it, takes a person longer.
 */
export async function madeBefore(
  tx: Catalog,
  { repositoryId, id }: HubCommit,
  { author, parentCommit, requestSha256 }: CommitRequest,
): Promise<HubCommit | undefined> {
  const recent = await tx.hub.revisions.history(repositoryId, id, recentMax);
  const pushed = recent.find((commit) => commit.author !== serverAuthor);
  if (pushed?.requestSha256 === requestSha256) return pushed;
  if (parentCommit !== undefined)
    return recent.find((commit) => commit.parentId === parentCommit && commit.requestSha256 === requestSha256);
  const own = recent.find((commit) => commit.author === author);
  if (own?.requestSha256 !== requestSha256) return undefined;
  return (await tx.now()).getTime() - own.createdAt.getTime() < repeatedWithinMs ? own : undefined;
}
