import type { Repository } from '../../catalog/contract/repository-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { HubContext } from '../hub-context.ts';
import { openEntry } from '../tree/open-blob.ts';
import { resolveRevision } from '../tree/resolve-revision.ts';
import { entryAt, type Snapshot } from '../tree/snapshot.ts';
import { cardBytesMax } from './base-model.ts';

/** Where hub clients put the model card. */
export const cardPath = 'README.md';

/**
 * The beginning of the model card that a branch or a snapshot shows, at most `cardBytesMax`. Undefined if there is
 * none, and if its bytes were deleted or are damaged: a push must not fail because of it.
 */
export async function readCard(
  ctx: Pick<HubContext, 'catalog' | 'downloads'>,
  repository: Repository,
  shown: string | Snapshot,
): Promise<string | undefined> {
  const snapshot =
    typeof shown === 'string' ? await resolveRevision(ctx.catalog, repository, `refs/heads/${shown}`) : shown;
  const entry = snapshot && (await entryAt(snapshot, cardPath));
  if (snapshot === undefined || entry?.kind !== 'file') return undefined;
  const lengthBytes = Math.min(entry.sizeBytes, cardBytesMax);
  try {
    const opened = await openEntry(ctx, repository.id, { snapshot, path: cardPath, entry });
    try {
      const pieces: Buffer[] = [];
      for await (const piece of opened.stream(0, lengthBytes)) pieces.push(Buffer.from(piece));
      return Buffer.concat(pieces).toString('utf8');
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof FirnError && unreadable.includes(error.code)) return undefined;
    throw error;
  }
}

const unreadable: readonly string[] = ['not-found', 'corrupt-object', 'corrupt-package'];
