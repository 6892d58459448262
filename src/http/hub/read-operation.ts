import { z } from 'zod';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { checkNewFilePath, pathLengthMax } from '../../checkpoint/names.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import type { BlobBatch } from '../../hub/upload/blob-batch.ts';
import { cardBytesMax } from '../../hub/checkpoints/base-model.ts';
import { cardPath } from '../../hub/checkpoints/read-card.ts';
import type { PathChange } from '../../hub/tree/folder.ts';
import { blobOid, pointerOid } from '../../hub/tree/git-object.ts';
import { folderOf } from '../../hub/checkpoints/plan-checkpoints.ts';
import { stepOfTrainerState } from '../../hub/checkpoints/trainer-state.ts';
import type { HubGateway } from './hub-gateway.ts';
import { parseAs } from './hub-request.ts';

const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/;

/** A file inside a commit. */
export const fileShape = z.object({ path: z.string(), content: z.string(), encoding: z.string().nullish() });
const lfsFileShape = z.object({
  path: z.string(),
  oid: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.number().int().min(0).nullish(),
});
/** A folder may end with a slash. */
const pathShape = z.object({ path: z.string().max(pathLengthMax + 1) });
/** What the operations of a commit leave beside their changes. */
export interface CommitNotes {
  readonly inline: BlobBatch;
  readonly steps: Map<string, number>;
  readonly onCard: (text: string) => void;
}

/** One operation of a commit. Its inline file joins the batch. Errors: `invalid-request`, `conflict`. */
export async function readOperation(
  { catalog }: HubGateway,
  repository: Repository,
  key: string,
  value: unknown,
  { inline, steps, onCard }: CommitNotes,
): Promise<PathChange> {
  switch (key) {
    case 'file': {
      const { path, content, encoding } = parseAs(fileShape, value);
      if (encoding != null && encoding !== 'base64' && encoding !== 'utf-8')
        throw new FirnError('invalid-request', `The encoding ${quoteName(encoding)} is not known.`);
      checkCommittedPath(path);
      if (encoding !== 'utf-8' && (content.length % 4 !== 0 || !base64Pattern.test(content)))
        throw new FirnError('invalid-request', `The content of ${quoteName(path)} is not base64.`);
      const bytes = Buffer.from(content, encoding === 'utf-8' ? 'utf8' : 'base64');
      const sha256 = await inline.add(bytes);
      noteStep(path, bytes, steps);
      if (path === cardPath) onCard(bytes.subarray(0, cardBytesMax).toString('utf8'));
      return { op: 'put', path, file: { sha256, sizeBytes: bytes.length, isLarge: false, oid: blobOid(bytes) } };
    }
    case 'lfsFile': {
      const { path, oid: sha256, size } = parseAs(lfsFileShape, value);
      checkCommittedPath(path);
      // A copy names no size.
      const sizeBytes = size ?? (await catalog.hub.blobs.find(repository.id, [sha256]))[0]?.sizeBytes;
      if (sizeBytes === undefined)
        throw new FirnError('conflict', `The bytes of ${JSON.stringify(path)} have not been uploaded.`);
      return { op: 'put', path, file: { sha256, sizeBytes, isLarge: true, oid: pointerOid(sha256, sizeBytes) } };
    }
    case 'deletedFile':
      return { op: 'delete', path: parseAs(pathShape, value).path };
    case 'deletedFolder':
      return { op: 'delete-folder', path: parseAs(pathShape, value).path.replace(/\/$/, '') };
    default:
      throw new FirnError('invalid-request', `The operation ${quoteName(key)} of a commit is not known.`);
  }
}

/**
 * Like `checkNewFilePath`; and no part may be `.git`, in any case, with dots or spaces after it as Windows ignores
 * them: a download into a clone would change the clone's settings and hooks. Clients leave such files out themselves.
 * No part may begin with a drive of Windows: clients refuse to download a repository with such a file.
 */
export function checkCommittedPath(path: string): void {
  for (const part of checkNewFilePath(path).split('/')) {
    const isGit = /^\.git[. ]*$/i.test(part);
    if (isGit || /^[a-z]:/i.test(part))
      throw new FirnError(
        'invalid-request',
        `The file path is not allowed: ${quoteName(part)} ${isGit ? 'belongs to git' : 'is on a drive of Windows'}.`,
      );
  }
}

/** A Trainer writes the step beside the weights. */
function noteStep(path: string, bytes: Buffer, steps: Map<string, number>): void {
  if (!/(?:^|\/)trainer_state\.json$/.test(path)) return;
  const step = stepOfTrainerState(bytes);
  if (step !== undefined) steps.set(folderOf(path), step);
}
