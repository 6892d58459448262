import { setTimeout as pause } from 'node:timers/promises';
import { encodeShard } from '../../../src/xet/encode-shard.test-support.ts';
import { encodeXorb, type Scheme } from '../../../src/xet/encode-xorb.test-support.ts';
import { createXetHasher, onceMade, type XetHash } from '../../../src/xet/xet-hash.ts';
import { Refused, type HubCaller } from './hub-caller.ts';
import { chunkBytes, type HubFile } from './hub-file.ts';

/** How the bytes of a large file get to the hub. `xet-v1` is the older form of shards. */
export type UploadWay = 'lfs' | 'parts' | 'xet' | 'xet-v1';

/** In the same request as another file, this one makes the hub offer parts. It is never sent. */
const fileOfManyParts = { oid: 'f'.repeat(64), size: 65 * 1024 * 1024 };
/** Most times that a shard is sent again because the hub says so, and the pause before, in ms. */
const shardTriesMax = 200;
const shardAgainMs = 100;
const xetHasher = onceMade(createXetHasher);

/** Sends a file to a repository. What was acknowledged before is not sent again: the hub has to have it. */
export async function uploadFile(
  caller: HubCaller,
  repository: string,
  { file, way }: { readonly file: HubFile; readonly way: UploadWay },
): Promise<void> {
  if (way === 'lfs' || way === 'parts') await uploadLarge(caller, repository, file, way);
  else await uploadChunks(caller, repository, file, way);
}

async function uploadLarge(
  { send, kept }: HubCaller,
  repository: string,
  file: HubFile,
  way: 'lfs' | 'parts',
): Promise<void> {
  const { sha256: oid, sizeBytes: size } = file;
  const inParts = way === 'parts';
  const answer = await send('POST', `/${repository}.git/info/lfs/objects/batch`, {
    operation: 'upload',
    transfers: inParts ? ['basic', 'multipart'] : ['basic'],
    objects: [{ oid, size }, ...(inParts ? [fileOfManyParts] : [])],
  });
  const upload: { href: string; header?: Record<string, string> } | undefined = JSON.parse(answer.toString()).objects[0]
    .actions?.upload;
  if (upload === undefined) return;
  if (kept.has(`blob ${oid}`)) throw new Refused(`the bytes of ${oid} were acknowledged, and are asked for again`);
  const { chunk_size: partBytes, ...parts } = upload.header ?? {};
  const bytes = file.make();
  if (partBytes === undefined) await send('PUT', pathOf(upload.href), bytes);
  else {
    for (const [number, href] of Object.entries(parts)) {
      const name = `part ${number} of ${oid}`;
      if (kept.has(name)) continue;
      const start = (Number(number) - 1) * Number(partBytes);
      await send('PUT', pathOf(href), bytes.subarray(start, start + Number(partBytes)));
      kept.add(name);
    }
    const etags = Object.keys(parts).map((number) => ({ partNumber: Number(number), etag: `"${oid}-${number}"` }));
    await send('POST', pathOf(upload.href), { oid, parts: etags });
  }
  kept.add(`blob ${oid}`);
}

/** A file in four chunks. The first and the last are those of a xorb that other files use, too. */
async function uploadChunks(
  caller: HubCaller,
  repository: string,
  file: HubFile,
  way: 'xet' | 'xet-v1',
): Promise<void> {
  if (caller.kept.has(`blob ${file.sha256}`)) return;
  const token = JSON.parse((await caller.send('GET', `/api/models/${repository}/xet-write-token/main`)).toString());
  const address = new URL(token.casUrl).pathname;
  const bytes = file.make();
  const [shared, ...own] = [0, 1, 2].map((at) => bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes));
  const first = await sendXorb(caller, address, [shared!], 'lz4');
  const middle = await sendXorb(caller, address, own, 'none');
  const hasher = await xetHasher();
  const described = {
    hash: await hasher.hashFile([...first.chunks, ...middle.chunks, ...first.chunks]),
    terms: [first, middle, first].map(({ xorb, chunks }) => ({
      xorb,
      rawBytes: chunks.length * chunkBytes,
      range: { start: 0, end: chunks.length },
      verification: hasher.hashRange(chunks.map(({ hash }) => hash)),
    })),
    sha256: file.sha256,
  };
  await sendShard(caller, address, Buffer.from(encodeShard({ files: [described], xorbs: [] })), way);
  caller.kept.add(`blob ${file.sha256}`);
}

async function sendXorb(
  { send, kept }: HubCaller,
  address: string,
  pieces: readonly Buffer[],
  scheme: Scheme,
): Promise<{ readonly xorb: XetHash; readonly chunks: { readonly hash: XetHash; readonly rawBytes: number }[] }> {
  const hasher = await xetHasher();
  const chunks = pieces.map((raw) => ({ hash: hasher.hashChunk(raw), rawBytes: raw.length }));
  const xorb = hasher.hashXorb(chunks);
  const name = `xorb ${address}/${xorb}`;
  if (!kept.has(name)) {
    const packed = Buffer.from(encodeXorb(pieces.map((raw) => ({ raw, scheme }))));
    await send('POST', `${address}/v1/xorbs/default/${xorb}`, packed);
    kept.add(name);
  }
  return { xorb, chunks };
}

/** The answer to the newer form are lines of JSON. The last one says whether the files are there. */
async function sendShard({ send }: HubCaller, address: string, shard: Buffer, way: 'xet' | 'xet-v1'): Promise<void> {
  if (way === 'xet-v1') return void (await send('POST', `${address}/v1/shards`, shard));
  for (let tries = 0; tries < shardTriesMax; tries++) {
    const lines = (await send('POST', `${address}/v2/shards`, shard)).toString().trim().split('\n');
    const last = JSON.parse(lines.at(-1)!) as { readonly type: string; readonly retryable?: boolean };
    if (last.type === 'result') return;
    if (last.type === 'error' && last.retryable !== true) throw new Refused(`a shard was refused: ${lines.at(-1)}`);
    await pause(shardAgainMs);
  }
  throw new Refused(`a shard was to be sent again ${shardTriesMax} times`);
}

function pathOf(href: string): string {
  const { pathname, search } = new URL(href);
  return pathname + search;
}
