import type { Context } from 'hono';
import { pointerText } from '../../hub/tree/git-object.ts';
import { MissingEntry } from '../../hub/tree/missing.ts';
import { entryAt } from '../../hub/tree/snapshot.ts';
import type { OpenedFile } from '../../restore/downloads.ts';
import { attachmentNamed } from '../answer/attachment-named.ts';
import { sendFile } from '../answer/send-file.ts';
import { formatDigest } from '../answer/digest-fields.ts';
import type { AppEnv } from '../app-env.ts';
import type { HubGateway } from './hub-gateway.ts';
import { renderHubError } from './hub-error.ts';
import { locateRepository, locateRevision } from './hub-request.ts';
import type { HubRepositoryName } from './parse-hub-path.ts';

/**
 * A file at a revision: GET, single ranges, and HEAD, which reads the catalog only. Clients name their cache entries
 * after the ETag: git's id of a small file, the sha256 of a large one.
 */
export async function resolveFile(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
  rest: readonly string[],
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'read');
  const { snapshot, path } = await locateRevision(gateway, repository, rest);
  const { id: commitId } = snapshot.commit;
  const entry = path === '' ? undefined : await entryAt(snapshot, path);
  if (entry?.kind !== 'file') throw new MissingEntry(path, commitId);
  const { sizeBytes, sha256, isLarge, oid } = entry;
  const etag = `"${isLarge ? sha256 : oid}"`;
  const headers = {
    'Content-Type': path.endsWith('.json') ? 'application/json' : 'application/octet-stream',
    'Content-Disposition': attachmentNamed(path),
    'X-Repo-Commit': commitId,
    'Repr-Digest': formatDigest(sha256),
    'Accept-Ranges': 'bytes',
    // @huggingface/hub asks for `bytes=0-0` and reads the size from Content-Range, of an answer that is not an error.
    ...(sizeBytes === 0 && { 'Content-Range': 'bytes */0' }),
    ...(isLarge && { 'X-Linked-Size': String(sizeBytes), 'X-Linked-Etag': etag }),
    // Browsers of other sites may read public files, as on any hub; tokens are never sent by themselves.
    'Access-Control-Expose-Headers': 'ETag, X-Repo-Commit, X-Linked-Size, X-Linked-Etag, Content-Range, X-Error-Code',
  };
  const open = () => gateway.hub.openEntry(repository.id, { snapshot, path, entry });
  const check = () => gateway.hub.checkEntry(repository.id, { snapshot, entry });
  const ignoresRange = sizeBytes === 0;
  return sendFile(c, { etag, sizeBytes, headers, open, check, ignoresRange, renderError: renderHubError }, gateway.log);
}

/** A file as git has it: of a large file its pointer. JavaScript clients ask here whether a file exists. */
export async function rawFile(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
  rest: readonly string[],
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'read');
  const { snapshot, path } = await locateRevision(gateway, repository, rest);
  const entry = path === '' ? undefined : await entryAt(snapshot, path);
  if (entry?.kind !== 'file' || !entry.isLarge) return resolveFile(c, gateway, name, rest);
  const pointer = Buffer.from(pointerText(entry.sha256, entry.sizeBytes));
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Repo-Commit': snapshot.commit.id };
  const open = () => Promise.resolve(inMemory(pointer));
  const file = { etag: `"${entry.oid}"`, sizeBytes: pointer.length, headers, open, renderError: renderHubError };
  return sendFile(c, file, gateway.log);
}

function inMemory(bytes: Uint8Array): OpenedFile {
  return {
    sizeBytes: bytes.length,
    async *stream(startBytes, endBytes) {
      yield bytes.subarray(startBytes, endBytes);
    },
    close: () => Promise.resolve(),
  };
}
