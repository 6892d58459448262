import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeShard } from '../../xet/encode-shard.test-support.ts';
import { chunkHeader, encodeXorb, joinBytes, type PlainChunk } from '../../xet/encode-xorb.test-support.ts';
import type { ShardFile, ShardTerm } from '../../xet/read-shard.ts';
import { createXetHasher, type XetHasher } from '../../xet/xet-hash.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Answer, type Call } from '../http-client.test-support.ts';
import { startServer, type RunningServer } from '../start-server.ts';
import {
  expectHubError,
  file,
  header,
  HubClient,
  lfsFile,
  ndjson,
  ok,
  pathOf,
  sha256,
} from './hub-client.test-support.ts';

let gateway: TestGateway;
let app: ReturnType<typeof createApp>;
let server: RunningServer;
let call: Call;
let hasher: XetHasher;
let hub: HubClient;
let made = 0;

beforeAll(async () => {
  gateway = await openTestGateway();
  app = createApp(gateway);
  server = await startServer({ app, host: '127.0.0.1', port: 0 });
  call = caller(app);
  hasher = await createXetHasher();
});
afterAll(async () => {
  await server.close(0);
  await gateway.close();
});
beforeEach(async () => {
  hub = await new HubClient(call, `acme/xet-${++made}`).create();
});

/** A file of three chunks in two xorbs, as an honest client sends it. */
async function honest() {
  const raws = [1, 2, 3].map((seed) => Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * seed) % 251)));
  const plain = raws.map((raw): PlainChunk => ({ raw, scheme: 'lz4' }));
  const chunks = raws.map((raw) => ({ hash: hasher.hashChunk(raw), rawBytes: raw.length }));
  const xorbs = [chunks.slice(0, 2), chunks.slice(2)].map((of, i) => ({
    hash: hasher.hashXorb(of),
    chunks: of,
    bytes: Buffer.from(encodeXorb(i === 0 ? plain.slice(0, 2) : plain.slice(2))),
  }));
  const terms = xorbs.map(({ hash, chunks: of }): ShardTerm => ({
    xorb: hash,
    rawBytes: of.reduce((sum, { rawBytes }) => sum + rawBytes, 0),
    range: { start: 0, end: of.length },
    verification: hasher.hashRange(of.map((chunk) => chunk.hash)),
  }));
  const bytes = Buffer.concat(raws);
  const described: ShardFile = { hash: await hasher.hashFile(chunks), terms, sha256: wireSha(bytes) };
  return { bytes, xorbs, described };
}

/** The sha256 of a file as a shard's reader gives it. */
function wireSha(bytes: Uint8Array): string {
  return sha256(bytes);
}

async function casOf(of: HubClient): Promise<string> {
  return pathOf(ok(await of.api('GET', '/xet-write-token/main')).json.casUrl);
}

async function sendXorb(hash: string, bytes: Buffer, of = hub): Promise<Answer> {
  return call('POST', `${await casOf(of)}/v1/xorbs/default/${hash}`, bytes);
}

/** Sends a shard by both versions of the route. Returns the refusal of the first, which the second must repeat. */
async function sendShard(described: ShardFile, of = hub): Promise<Answer> {
  const shard = Buffer.from(encodeShard({ files: [described], xorbs: [] }));
  const cas = await casOf(of);
  const first = await call('POST', `${cas}/v1/shards`, shard);
  const lines = (await call('POST', `${cas}/v2/shards`, shard)).bytes.toString().trim().split('\n');
  expect(JSON.parse(lines.at(-1)!).type).toBe(first.status === 200 ? 'result' : 'error');
  return first;
}

/** Whether the repository has the bytes: then a client need not send them. */
async function has(bytes: Buffer): Promise<boolean> {
  return (await hub.batch([bytes]))[0] === undefined;
}

async function storedKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of gateway.store.list('')) keys.push(key);
  return keys.sort();
}

describe('files sent as chunks', () => {
  it('come back byte for byte, and sending all of it again changes nothing', async () => {
    const { bytes, xorbs, described } = await honest();
    for (const inserted of [true, false]) {
      for (const xorb of xorbs)
        expect(ok(await sendXorb(xorb.hash, xorb.bytes)).json).toEqual({ was_inserted: inserted });
      expect(ok(await sendShard(described)).json).toEqual({ result: 1 });
    }
    await hub.commit([header(), lfsFile('f.bin', bytes)]);
    expect(await hub.bytes('main', 'f.bin')).toEqual(bytes);
  });

  it('are told by nothing to be known, whoever has them', async () => {
    const { xorbs } = await honest();
    ok(await sendXorb(xorbs[0]!.hash, xorbs[0]!.bytes));
    for (const { hash } of xorbs[0]!.chunks)
      expectHubError(await call('GET', `${await casOf(hub)}/v1/chunks/default/${hash}`), 404);
    const other = await new HubClient(call, `acme/xet-${++made}`).create();
    expect(ok(await sendXorb(xorbs[0]!.hash, xorbs[0]!.bytes, other)).json).toEqual({ was_inserted: true });
  });

  it('cannot be built from the chunks of another repository', async () => {
    const { bytes, xorbs, described } = await honest();
    const other = await new HubClient(call, `acme/xet-${++made}`).create();
    for (const xorb of xorbs) ok(await sendXorb(xorb.hash, xorb.bytes, other));
    const refused = await sendShard(described);
    expectHubError(refused, refused.status);
    expect([400, 404, 409, 422]).toContain(refused.status);
    expect(await has(bytes)).toBe(false);
  });

  it('are refused where a xorb lies, and nothing of it is kept', async () => {
    const { xorbs } = await honest();
    const [{ hash, bytes }, second] = xorbs as [(typeof xorbs)[0], (typeof xorbs)[0]];
    const before = await storedKeys();
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 3]! ^= 1;
    const lies: [string, Buffer, string?][] = [
      ['the hash of another xorb', second.bytes],
      ['a hash that is none', bytes, 'x'.repeat(64)],
      ['no hash', bytes, ''],
      ['nothing', Buffer.alloc(0)],
      ['half a header', bytes.subarray(0, 5)],
      ['a cut chunk', bytes.subarray(0, bytes.length - 1)],
      ['a changed byte', flipped],
      ['chunks in another order', Buffer.from(encodeXorb([{ raw: Buffer.from('b'), scheme: 'none' }]))],
      ['bytes behind the end', Buffer.concat([bytes, Buffer.from('tail')])],
      [
        'an unknown way of packing',
        Buffer.from(joinBytes(chunkHeader({ scheme: 9, packedBytes: 1, rawBytes: 1 }), Buffer.from('x'))),
      ],
      [
        'a raw size beyond any chunk',
        Buffer.from(joinBytes(chunkHeader({ scheme: 'lz4', packedBytes: 20, rawBytes: 0xffffff }), Buffer.alloc(20))),
      ],
      [
        'a packed size beyond its end',
        Buffer.from(joinBytes(chunkHeader({ scheme: 'none', packedBytes: 0xffffff, rawBytes: 9 }), Buffer.alloc(9))),
      ],
    ];
    for (const [what, lie, at = hash] of lies) {
      const answer = await sendXorb(at, lie);
      expect([400, 404, 409, 413, 422], `${what}: ${answer.bytes.toString()}`).toContain(answer.status);
      expectHubError(answer, answer.status);
    }
    expect(await storedKeys()).toEqual(before);
    expect(gateway.errors.filter((error) => 'code' in error && error.code === 'internal')).toEqual([]);
  });

  it('are refused where a shard lies, and nothing of it is kept', async () => {
    const { bytes, xorbs, described } = await honest();
    for (const xorb of xorbs) ok(await sendXorb(xorb.hash, xorb.bytes));
    const before = await storedKeys();
    const [first, second] = described.terms as [ShardTerm, ShardTerm];
    const withTerms = (...terms: ShardTerm[]): ShardFile => ({ ...described, terms });
    const lies: [string, ShardFile][] = [
      ['another sha256', { ...described, sha256: sha256(Buffer.from('x')) }],
      ['another file hash', { ...described, hash: first.xorb }],
      ['terms in another order', withTerms(second, first)],
      ['a term too few', withTerms(first)],
      ['a term too many', withTerms(first, second, second)],
      ['a larger size', withTerms({ ...first, rawBytes: first.rawBytes + 1 }, second)],
      ['a size of gigabytes', withTerms({ ...first, rawBytes: 0xffffffff }, second)],
      ['a range behind the end', withTerms({ ...first, range: { start: 0, end: 3 } }, second)],
      ['an empty range', withTerms({ ...first, range: { start: 1, end: 1 } }, second)],
      ['a range backwards', withTerms({ ...first, range: { start: 2, end: 1 } }, second)],
      ['a xorb that is not there', withTerms({ ...first, xorb: 'a'.repeat(64) }, second)],
      ['another verification', withTerms({ ...first, verification: second.verification }, second)],
    ];
    for (const [what, lie] of lies) {
      const answer = await sendShard(lie);
      expect([400, 404, 409, 413, 422], `${what}: ${answer.bytes.toString()}`).toContain(answer.status);
      expectHubError(answer, answer.status);
      expect(await has(bytes), what).toBe(false);
    }
    for (const garbage of [Buffer.alloc(0), Buffer.from('no shard'), Buffer.alloc(10_000, 255)])
      expectHubError(await call('POST', `${await casOf(hub)}/v1/shards`, garbage), 400);
    expect(await storedKeys()).toEqual(before);
    // The truth is still taken.
    ok(await sendShard(described));
    expect(await has(bytes)).toBe(true);
  });

  it('never get the name of other bytes that the repository has', async () => {
    const { bytes, xorbs, described } = await honest();
    const victim = Buffer.from('the real content');
    await hub.push({ 'real.bin': victim });
    for (const xorb of xorbs) ok(await sendXorb(xorb.hash, xorb.bytes));
    expectHubError(await sendShard({ ...described, sha256: sha256(victim) }), 400, 'digest-mismatch');
    expect(await hub.bytes('main', 'real.bin')).toEqual(victim);
    expect(await has(bytes)).toBe(false);
  });
});

describe('a commit that never ends', () => {
  const deletion = (path: string) => ({ key: 'deletedFile', value: { path } });

  /** Sends pieces until an answer comes; returns it with the bytes sent by then. */
  async function sendUntilAnswered(first: string, piece: Buffer, declaredBytes?: number) {
    const { hostname, port } = new URL(server.url);
    const headers = declaredBytes === undefined ? {} : { 'content-length': declaredBytes };
    const asked = request({ method: 'POST', path: `/api/models/${hub.id}/commit/main`, hostname, port, headers });
    asked.on('error', () => undefined);
    const answered = once(asked, 'response');
    let isOver = false;
    let sentBytes = 0;
    void answered.then(() => (isOver = true));
    asked.write(first);
    while (!isOver && sentBytes < 2 ** 30) {
      sentBytes += piece.length;
      if (!asked.write(piece)) await Promise.race([once(asked, 'drain'), answered]);
      await new Promise(setImmediate);
    }
    const [answer] = await answered;
    asked.destroy();
    return { status: answer.statusCode as number, sentBytes };
  }

  it.each<[string, string, Buffer, number | undefined, number]>([
    ['of a gigabyte, as it says, is refused before it is read', '', Buffer.alloc(65536, 0x78), 2 ** 30, 8],
    [
      'of one line without end is refused at the limit of a line',
      '{"key":"file","value":{"path":"x","content":"',
      Buffer.alloc(65536, 0x78),
      undefined,
      48,
    ],
    [
      'of operations without end is refused at their limit',
      `${JSON.stringify(header())}\n`,
      Buffer.from('{"key":"deletedFile","value":{"path":"x"}}\n'.repeat(1000)),
      undefined,
      16,
    ],
  ])('%s', async (_, first, piece, declared, mibMax) => {
    const before = process.memoryUsage().rss;
    const { status, sentBytes } = await sendUntilAnswered(first, piece, declared);
    expect(status).toBe(413);
    expect(sentBytes).toBeLessThan(mibMax * 2 ** 20);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
    expect(await hub.paths()).toEqual([]);
  });

  const oneHeader = `${JSON.stringify(header())}\n`;
  const mib = 1024 * 1024;
  it.each<[string, () => Buffer, number]>([
    [
      'many empty objects in one line',
      () => Buffer.from(`${oneHeader}{"key":"file","value":[${'{},'.repeat(8 * mib)}{}]}\n`),
      413,
    ],
    [
      'as many empty objects as a line may have bytes',
      () => Buffer.from(`${oneHeader}{"key":"file","value":[${'{},'.repeat(1.8 * mib)}{}]}\n`),
      400,
    ],
    ['deep lists', () => Buffer.from(`${oneHeader}${'['.repeat(24 * mib)}`), 413],
    ['lists as deep as a line may have bytes', () => Buffer.from(`${oneHeader}${'['.repeat(5.5 * mib)}\n`), 400],
    ['384 MiB of newlines', () => Buffer.alloc(384 * mib, '\n'), 413],
    ['lines of white space', () => Buffer.from(oneHeader + '  \r\n'.repeat(mib)), 413],
    ['three million headers', () => Buffer.from(oneHeader.repeat(3_000_000)), 400],
    ['an operation before the header', () => ndjson([file('a', '1'), header()]), 400],
    ['a second header', () => ndjson([header(), file('a', '1'), header()]), 400],
    ['a path to delete of megabytes', () => ndjson([header(), deletion('x'.repeat(5 * mib))]), 400],
    ['an operation with a name of megabytes', () => ndjson([header(), { key: 'x'.repeat(5 * mib), value: {} }]), 400],
  ])('or that holds %s is refused at once', async (_, bodyOf, status) => {
    const body = bodyOf();
    const chunks = (function* () {
      for (let at = 0; at < body.length; at += 65536) yield new Uint8Array(body.subarray(at, at + 65536));
    })();
    const heldBytes = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    const [before, cpu, loop] = [heldBytes(), process.cpuUsage(), performance.eventLoopUtilization()];
    const answer = await app.request(`/api/models/${hub.id}/commit/main`, {
      method: 'POST',
      body: ReadableStream.from(chunks),
      duplex: 'half',
    } as RequestInit);
    const { user, system } = process.cpuUsage(cpu);
    const { active } = performance.eventLoopUtilization(loop);
    const { error } = (await answer.json()) as { error: string };
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([status, expect.any(String)]);
    expect(error.length).toBeLessThan(1000);
    // How long nothing else was answered, in ms: at most the time in the loop, and at most what all threads took.
    expect(Math.min(active, (user + system) / 1000)).toBeLessThan(700);
    expect(heldBytes() - before).toBeLessThan(100 * mib);
    expect(await hub.paths()).toEqual([]);
  });

  it('leaves nothing but uploads that expire when its client goes', async () => {
    const { hostname, port } = new URL(server.url);
    const asked = request({ method: 'POST', path: `/api/models/${hub.id}/commit/main`, hostname, port });
    asked.on('error', () => undefined);
    // More files than wait to be stored together.
    const files = Array.from({ length: 300 }, (_, i) => JSON.stringify(file(`${i}`, 'text')));
    asked.write(`${JSON.stringify(header())}\n${files.join('\n')}\n{"key":"file"`);
    const repository = (await gateway.catalog.repositories.find('acme', hub.id.split('/')[1]!))!;
    const digest = sha256(Buffer.from('text'));
    const blobs = () => gateway.catalog.hub.blobs.find(repository.id, [digest]);
    while ((await blobs()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    asked.destroy();
    expect(await hub.paths()).toEqual([]);
    expect(await blobs()).toMatchObject([{ isCommitted: false }]);
  });
});
