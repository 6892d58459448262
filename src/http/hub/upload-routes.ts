import type { Context } from 'hono';
import ignore from 'ignore';
import { z } from 'zod';
import { operator } from '../../access/principal.ts';
import { signUpload, type UploadGrant, verifyUpload } from '../../access/upload-address.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { hasBytes } from '../../hub/upload/has-bytes.ts';
import { partBytesOf } from '../../hub/upload/receive-parts.ts';
import { resolveRevision } from '../../hub/tree/resolve-revision.ts';
import { entryAt } from '../../hub/tree/snapshot.ts';
import type { AppEnv } from '../app-env.ts';
import type { HubGateway } from './hub-gateway.ts';
import { jsonLine } from '../answer/json-lines.ts';
import { readUpload } from '../request/body/read-upload.ts';
import { locateRepository, originOf, readBytes, readJson } from './hub-request.ts';
import type { HubPath, HubRepositoryName } from './parse-hub-path.ts';

/** Larger text files, and all other files, go as objects of their own instead of inside the commit, in bytes. */
export const regularBytesMax = 4 * 1024 * 1024;
/** Files in one preupload or LFS batch request. */
const batchMax = 1000;
/** Largest body of the call that puts parts together, in bytes: a list of their ETags. */
const completeBytesMax = 1024 * 1024;
/** How long a signed address may be used, in seconds: a client asks for many at once and sends one after the other. */
const addressTtlSeconds = 12 * 3600;
/** Paths that are always objects of their own, because their bytes are not text: their endings, without the dot. */
const largeEndings =
  'safetensors bin pt pth ckpt onnx gguf h5 msgpack npz npy parquet arrow zip gz tar zst model tflite pickle pkl';
const largePath = new RegExp(`\\.(?:${largeEndings.replaceAll(' ', '|')})$`, 'i');

const preuploadShape = z.object({
  files: z
    .array(z.object({ path: z.string(), size: z.number().int().min(0), sample: z.string().nullish() }))
    .max(batchMax),
  gitIgnore: z.string().nullish(),
});

/** Says for each file how to send it, whether `.gitignore` leaves it out, and what the branch has at its path. */
export async function preupload(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
  rest: readonly string[],
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'write');
  const { files, gitIgnore } = await readJson(c, gateway, preuploadShape);
  const snapshot = await resolveRevision(gateway.catalog, repository, rest.join('/'));
  const ignored = ignore().add(gitIgnore ?? '');
  const answers = [];
  for (const { path, size, sample } of files) {
    const entry = snapshot && (await entryAt(snapshot, path));
    answers.push({
      path,
      uploadMode: isRegular(path, size, sample) ? 'regular' : 'lfs',
      shouldIgnore: ignore.isPathValid(path) && ignored.ignores(path),
      ...(entry?.kind === 'file' && { oid: entry.isLarge ? entry.sha256 : entry.oid }),
    });
  }
  return c.json({ files: answers });
}

/** Empty files are always part of the commit. */
function isRegular(path: string, sizeBytes: number, sample: string | null | undefined): boolean {
  if (sizeBytes === 0) return true;
  return sizeBytes <= regularBytesMax && !largePath.test(path) && !Buffer.from(sample ?? '', 'base64').includes(0);
}

const batchShape = z.object({
  transfers: z.array(z.string()).nullish(),
  operation: z.enum(['upload', 'download']),
  objects: z.array(z.object({ oid: z.string().regex(/^[0-9a-f]{64}$/), size: z.number().int().min(0) })).max(batchMax),
});

/**
 * Git LFS batch API. An object that this very repository has needs no upload; whether another has it is never revealed.
 * All others get a signed address for exactly these bytes.
 */
export async function lfsBatch(c: Context<AppEnv>, gateway: HubGateway, name: HubRepositoryName): Promise<Response> {
  const { operation, objects, transfers } = await readJson(c, gateway, batchShape);
  const repository = await locateRepository(gateway, c, name, operation === 'upload' ? 'write' : 'read');
  if (operation === 'download')
    throw new FirnError('invalid-request', 'Large files are downloaded by their paths, at /resolve.');
  const { blobs, revisions } = gateway.catalog.hub;
  const digests = objects.map(({ oid }) => oid);
  const found = await blobs.find(repository.id, digests);
  const stored = new Set(found.filter(hasBytes).map(({ sha256 }) => sha256));
  // The client will commit these without sending them.
  await blobs.touch(repository.id, digests);
  const secret = await revisions.secret();
  const expiresAtSeconds = Math.floor((await gateway.catalog.now()).getTime() / 1000) + addressTtlSeconds;
  const origin = originOf(c, gateway.admittance.trustProxy);
  const isLarge = objects.some(({ size }) => size > partBytesOf(size));
  const inParts = isLarge && transfers?.includes(multipart) === true;
  const answers = objects.map(({ oid: sha256, size: sizeBytes }) => {
    if (stored.has(sha256)) return { oid: sha256, size: sizeBytes };
    const grant = { repositoryId: repository.id, sha256, sizeBytes, tokenId: c.var.principal.id, expiresAtSeconds };
    const address = (part?: string): string => {
      const signature = signUpload({ ...grant, ...(part !== undefined && { part }) }, secret);
      return `${origin}/hub/lfs/${repository.id}/${sha256}?${signature}`;
    };
    const upload = inParts ? partsOf(sizeBytes, address) : { href: address() };
    return {
      oid: sha256,
      size: sizeBytes,
      authenticated: true,
      actions: { upload: { ...upload, expires_at: new Date(expiresAtSeconds * 1000).toISOString() } },
    };
  });
  const answer = { transfer: inParts ? multipart : 'basic', objects: answers, hash_algo: 'sha256' };
  return c.body(jsonLine(answer), 200, { 'Content-Type': 'application/vnd.git-lfs+json' });
}

const multipart = 'multipart';
/** In a signed address: what puts the parts together. */
const completePart = 'complete';

/** An address for each part of a file, and the one that puts them together, in the form that hub clients read. */
function partsOf(sizeBytes: number, address: (part: string) => string): object {
  const partBytes = partBytesOf(sizeBytes);
  const count = Math.max(1, Math.ceil(sizeBytes / partBytes));
  const parts = Array.from({ length: count }, (_, index) => [
    String(index + 1).padStart(5, '0'),
    address(String(index + 1)),
  ]);
  return { href: address(completePart), header: { chunk_size: String(partBytes), ...Object.fromEntries(parts) } };
}

/** The body of a large file or of a part of one, at a signed address; or the call that puts the parts together. */
export async function putLfsObject(
  c: Context<AppEnv>,
  gateway: HubGateway,
  place: Extract<HubPath, { at: 'lfs-object' }>,
): Promise<Response> {
  const { catalog } = gateway;
  const grant = verifyUpload(place, new URL(c.req.url).searchParams, {
    secret: await catalog.hub.revisions.secret(),
    nowSeconds: (await catalog.now()).getTime() / 1000,
  });
  const repository = grant && (await catalog.repositories.get(place.repositoryId));
  if (grant === undefined || repository === undefined || !(await holds(c, gateway, grant)))
    throw new FirnError('forbidden', 'This upload address is not valid, or has expired; ask for a new one.');
  c.set('repositoryId', repository.id);
  const { sha256, sizeBytes } = grant;
  if (c.req.method === 'POST') {
    if (grant.part !== completePart) throw new FirnError('method-not-allowed', 'This address takes a PUT.');
    await readBytes(c, gateway, completeBytesMax);
    await gateway.hub.completeParts(repository, { sha256, sizeBytes }, c.req.raw.signal);
    return c.json({ success: true });
  }
  if (grant.part === completePart) throw new FirnError('method-not-allowed', 'This address takes a POST.');
  const upload = readUpload(c, gateway.bodyPace);
  if (grant.part === undefined) await gateway.hub.receiveBlob(repository, { sha256, sizeBytes }, upload);
  else await gateway.hub.receivePart(repository, { sha256, sizeBytes, number: Number(grant.part) }, upload);
  // Clients send the ETags of parts back; the parts themselves are checked by the digest of the whole.
  return c.body(null, 200, { ETag: `"${sha256}${grant.part === undefined ? '' : `-${grant.part}`}"` });
}

/** Whether the token that asked for an address is still valid; a server without access control has none. */
async function holds(c: Context<AppEnv>, { catalog }: HubGateway, { tokenId }: UploadGrant): Promise<boolean> {
  return c.var.principal.id === operator.id || (await catalog.tokens.valid(tokenId)) !== undefined;
}
