import { encodeShard } from '../../src/xet/encode-shard.test-support.ts';
import { encodeXorb } from '../../src/xet/encode-xorb.test-support.ts';
import { createXetHasher, onceMade } from '../../src/xet/xet-hash.ts';
import { randomBytesOf } from '../acceptance/random-numbers.ts';
import { safetensorsFile } from '../acceptance/safetensors-file.ts';
import { sha256 } from './ask.ts';

/** Sends one request of a hub client; rejects when there is no answer, or no success. */
export type SendHub = (method: string, path: string, body?: Uint8Array | object) => Promise<Buffer>;

interface HubFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** A commit that was answered with success. */
export interface AcknowledgedCommit {
  readonly id: string;
  readonly round: number;
}

export const hubRepository = 'crash/hub';
const weightsPath = 'model.safetensors';
const chunksPath = 'chunks.bin';
const textPath = 'round.json';
const xetHasher = onceMade(createXetHasher);

export async function createHubRepository(
  send: (method: string, path: string, body: object) => Promise<unknown>,
): Promise<void> {
  const [organization, name] = hubRepository.split('/');
  await send('POST', '/api/repos/create', { organization, name });
}

/**
 * Pushes the files of a round as a client does: weights by LFS, another file as Xet chunks, and a text inside the
 * commit. Returns the commit's id. A round whose answers were lost can be pushed again.
 */
export async function pushRound(send: SendHub, round: number): Promise<string> {
  const [weights, chunks, text] = filesOf(round);
  const asked = {
    operation: 'upload',
    transfers: ['basic'],
    objects: [{ oid: weights.sha256, size: weights.bytes.length }],
  };
  const batch = JSON.parse((await send('POST', `/${hubRepository}.git/info/lfs/objects/batch`, asked)).toString());
  const href: string | undefined = batch.objects[0].actions?.upload.href;
  if (href !== undefined) {
    const { pathname, search } = new URL(href);
    await send('PUT', pathname + search, weights.bytes);
  }
  await sendChunks(send, chunks);
  const lines = [
    { key: 'header', value: { summary: `step ${round}`, description: '' } },
    ...[weights, chunks].map(({ path, bytes, sha256: oid }) => ({
      key: 'lfsFile',
      value: { path, algo: 'sha256', oid, size: bytes.length },
    })),
    { key: 'file', value: { path: text.path, content: text.bytes.toString('base64'), encoding: 'base64' } },
  ];
  const body = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
  return JSON.parse((await send('POST', `/api/models/${hubRepository}/commit/main`, body)).toString()).commitOid;
}

/** One chunk in one xorb is a file of Xet, too. */
async function sendChunks(send: SendHub, { bytes, sha256: digest }: HubFile): Promise<void> {
  const hasher = await xetHasher();
  const chunk = { hash: hasher.hashChunk(bytes), rawBytes: bytes.length };
  const xorb = hasher.hashXorb([chunk]);
  const term = {
    xorb,
    rawBytes: bytes.length,
    range: { start: 0, end: 1 },
    verification: hasher.hashRange([chunk.hash]),
  };
  const described = { hash: await hasher.hashFile([chunk]), terms: [term], sha256: digest };
  const token = JSON.parse((await send('GET', `/api/models/${hubRepository}/xet-write-token/main`)).toString());
  const cas = new URL(token.casUrl).pathname;
  await send('POST', `${cas}/v1/xorbs/default/${xorb}`, Buffer.from(encodeXorb([{ raw: bytes, scheme: 'none' }])));
  await send('POST', `${cas}/v1/shards`, Buffer.from(encodeShard({ files: [described], xorbs: [] })));
}

/**
 * What was lost or is wrong, one sentence each: every acknowledged commit is in the history once and has its bytes, and
 * every commit of the history is whole.
 */
export async function checkRounds(url: string, acknowledged: readonly AcknowledgedCommit[]): Promise<string[]> {
  const read = async (path: string): Promise<Buffer> => {
    const answer = await fetch(url + path);
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${bytes.toString()}`);
    return bytes;
  };
  const problems: string[] = [];
  const history: string[] = [];
  for (let page = 0; ; page++) {
    const found = JSON.parse((await read(`/api/models/${hubRepository}/commits/main?p=${page}`)).toString());
    if (found.length === 0) break;
    history.push(...found.map(({ id }: { id: string }) => id));
  }
  for (const { id, round } of acknowledged)
    if (history.filter((each) => each === id).length !== 1)
      problems.push(`the commit ${id} of round ${round} was acknowledged, and is not in the history once`);
  const rounds = new Map<number, string>();
  // The first commit is empty.
  for (const id of history.slice(0, -1)) {
    try {
      const at = (path: string): Promise<Buffer> => read(`/${hubRepository}/resolve/${id}/${path}`);
      const { round } = JSON.parse((await at(textPath)).toString()) as { round: number };
      for (const file of filesOf(round))
        if (sha256(await at(file.path)) !== file.sha256)
          problems.push(`${file.path} of the commit ${id} has other bytes than round ${round} pushed`);
      const expected = acknowledged.find((each) => each.id === id);
      if (expected !== undefined && expected.round !== round)
        problems.push(`the commit ${id} has the files of ${round}`);
      const twin = rounds.get(round);
      if (twin !== undefined) problems.push(`round ${round} made two commits, ${twin} and ${id}`);
      rounds.set(round, id);
    } catch (error) {
      problems.push(`the commit ${id} is not whole: ${String(error)}`);
    }
  }
  return problems;
}

/** Noise, so that any two rounds differ; a tenth of the weights changes. */
function filesOf(round: number): readonly [HubFile, HubFile, HubFile] {
  const weights = randomBytesOf(32_000, 3);
  weights.set(randomBytesOf(3_200, round + 2), 3_200 * (round % 10));
  const file = (path: string, bytes: Buffer): HubFile => ({ path, bytes, sha256: sha256(bytes) });
  return [
    file(weightsPath, safetensorsFile({ 'w.weight': { dtype: 'BF16', shape: [160, 100], bytes: weights } })),
    file(chunksPath, randomBytesOf(20_000, round + 1000)),
    file(textPath, Buffer.from(JSON.stringify({ round }))),
  ];
}
