import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { bodyOf } from '../body-of.ts';
import { FaultProxy, type Fault, type ProxiedRequest } from '../fault-proxy.test-support.ts';
import { patternBytes } from '../object-store.reference.ts';
import type { ObjectStore } from '../object-store.ts';
import { emptyPrefix, plainS3Client, testS3Options, testS3Server, withoutS3Server } from './s3-server.test-support.ts';
import type { S3RetryNote, S3StoreOptions } from './s3-options.ts';
import { openS3Store } from './s3-store.ts';

const server = testS3Server(process.env);
const roomy = { sizeMaxBytes: 1 << 30 };
/** Short, so that a stalled answer is given up soon. */
const idleMs = 400;

async function readAll(store: ObjectStore, key: string): Promise<Buffer> {
  const reader = await store.open(key);
  const pieces: Uint8Array[] = [];
  for await (const piece of reader.stream()) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The same numbers in [0, 1) for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const isObjectGet = ({ method, url }: ProxiedRequest): boolean =>
  method === 'GET' && !url.includes('list-type') && !url.includes('uploads');

describe('S3 store without a server', () => {
  it('says within its bounds that it is not there', async () => {
    const notes: S3RetryNote[] = [];
    const nowhere = {
      endpoint: 'http://127.0.0.1:9',
      bucket: 'b',
      credentials: { accessKeyId: 'a', secretAccessKey: 's' },
      domain: undefined,
    };
    const opening = openS3Store({ ...testS3Options(nowhere), onRetry: (note) => notes.push(note) });
    await expect(opening).rejects.toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('ECONNREFUSED') as string,
    });
    expect(notes.map(({ tries }) => tries)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe.skipIf(server === undefined)(
  `S3 store over a bad line${server === undefined ? `: ${withoutS3Server}` : ''}`,
  () => {
    let proxy: FaultProxy;
    let options: S3StoreOptions;
    let store: ObjectStore;
    const notes: S3RetryNote[] = [];

    beforeEach(async () => {
      notes.length = 0;
      proxy = await FaultProxy.start(server!.endpoint);
      options = { ...testS3Options({ ...server!, endpoint: proxy.url }), idleMs, onRetry: (note) => notes.push(note) };
      store = await openS3Store(options);
    });
    afterEach(async () => {
      await store.close();
      await proxy.refuse();
      const client = plainS3Client(server!);
      await emptyPrefix(client, options.bucket, options.prefix);
      client.destroy();
    });

    /** Breaks the first `count` requests for which `fits` holds. */
    const harm = (fault: Fault, fits: (request: ProxiedRequest) => boolean, count = 1): void => {
      let left = count;
      proxy.choose = (request) => (fits(request) && left-- > 0 ? fault : undefined);
    };

    it.each<[string, Fault]>([
      ['a lost request', { kind: 'lose-request' }],
      ['a lost answer', { kind: 'lose-answer' }],
      ['an answer of 500', { kind: 'answer', status: 500, code: 'InternalError' }],
      ['an answer of 503', { kind: 'answer', status: 503, code: 'SlowDown' }],
      ['a long wait', { kind: 'delay', ms: 2 * idleMs }],
      ['a flipped byte on the way there', { kind: 'flip-request' }],
    ])('puts objects of one part and of several once, in spite of %s', async (_, fault) => {
      const small = patternBytes(100_000, 1);
      harm(fault, ({ method, url }) => method === 'PUT' && url.includes('/one'));
      await store.put('put/one', bodyOf(small), roomy);
      const large = patternBytes(12_000_000, 2);
      for (const [i, fits] of [
        ({ method, url }: ProxiedRequest) => method === 'PUT' && url.includes('partNumber=2'),
        ({ method, url }: ProxiedRequest) => method === 'POST' && url.includes('uploads'),
        ({ method, url }: ProxiedRequest) => method === 'POST' && url.includes('uploadId='),
        ({ method }: ProxiedRequest) => method === 'HEAD',
      ].entries()) {
        harm(fault, fits);
        await store.put(`put/several-${i}`, bodyOf(large), roomy);
      }
      // A request without a body has nothing to flip.
      expect(notes.length).toBeGreaterThanOrEqual(fault.kind === 'flip-request' ? 3 : 5);
      expect(small.equals(await readAll(store, 'put/one'))).toBe(true);
      for (const i of [0, 1, 2, 3]) expect(large.equals(await readAll(store, `put/several-${i}`))).toBe(true);
    });

    it.each<[string, Fault]>([
      ['a truncated answer', { kind: 'truncate' }],
      ['an answer that stalls', { kind: 'stall' }],
      ['a flipped byte', { kind: 'flip-answer' }],
      ['a lost answer', { kind: 'lose-answer' }],
      ['an answer of 503', { kind: 'answer', status: 503, code: 'SlowDown' }],
    ])('reads the right bytes in spite of %s', async (_, fault) => {
      const contents = [30_000, 700_000, 9_000_000].map((size) => patternBytes(size, size));
      for (const content of contents) await store.put(`read/${content.length}`, bodyOf(content), roomy);
      for (const content of contents) {
        // One fault each at the open, at the first range, and at one in the middle.
        for (const which of [0, 1, 2]) {
          let number = 0;
          harm(fault, (request) => isObjectGet(request) && number++ === which);
          expect(content.equals(await readAll(store, `read/${content.length}`))).toBe(true);
        }
      }
      proxy.choose = () => undefined;
      expect(contents[1]!.equals(await readAll(store, 'read/700000'))).toBe(true);
    });

    it('calls an object damaged when every read of it is, and hands out none of its bytes', async () => {
      await store.put('damaged/object', bodyOf(patternBytes(700_000)), roomy);
      const reader = await store.open('damaged/object');
      harm({ kind: 'flip-answer' }, isObjectGet, Infinity);
      await expect(reader.read(0, 700_000)).rejects.toMatchObject({ code: 'corrupt-object' });
      await expect(readAll(store, 'damaged/object')).rejects.toMatchObject({ code: 'corrupt-object' });
      proxy.choose = () => undefined;
      expect(patternBytes(700_000).equals(await reader.read(0, 700_000))).toBe(true);
    });

    it('is unavailable while the server is away or slows it down, and goes on when it is back', async () => {
      const content = patternBytes(6_000_000);
      await store.put('away/object', bodyOf(content), roomy);
      const reader = await store.open('away/object');
      const everyCall = (): Promise<unknown>[] => [
        store.put('away/other', bodyOf(content), roomy),
        store.put('away/small', bodyOf(Buffer.from('x')), roomy),
        reader.read(0, 1),
        store.open('away/object'),
        store.stat('away/object'),
        store.delete('away/nothing'),
        store.deleteMany(['away/nothing', 'away/none']),
        store.list('')[Symbol.asyncIterator]().next() as Promise<unknown>,
        store.sweepUnfinished(new Date(0)),
        store.probe(),
      ];
      const outages: [start: () => Promise<void>, end: () => Promise<void>][] = [
        [() => proxy.refuse(), () => proxy.accept()],
        [
          async () => harm({ kind: 'answer', status: 503, code: 'SlowDown' }, () => true, Infinity),
          async () => {
            proxy.choose = () => undefined;
          },
        ],
      ];
      for (const [start, end] of outages) {
        await start();
        for (const outcome of await Promise.allSettled(everyCall()))
          expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
        await end();
        expect(content.equals(await readAll(store, 'away/object'))).toBe(true);
        expect(content.subarray(0, 10).equals(await reader.read(0, 10))).toBe(true);
        await store.probe();
      }
    });

    it('ends at once when cancelled in a wait for the server', async () => {
      const controller = new AbortController();
      await store.put('cancel/object', bodyOf(patternBytes(700_000)), roomy);
      const reader = await store.open('cancel/object');
      harm({ kind: 'delay', ms: 300 }, () => true, Infinity);
      const calls = [
        reader.read(0, 10, controller.signal),
        store.put('cancel/other', bodyOf(Buffer.from('x')), { ...roomy, signal: controller.signal }),
      ];
      const settled = Promise.allSettled(calls);
      setTimeout(() => controller.abort(), 50);
      const started = performance.now();
      for (const outcome of await settled)
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'cancelled' } });
      expect(performance.now() - started).toBeLessThan(5_000);
    });

    it('does without conditions and without many deletions in a request where the server knows neither', async () => {
      proxy.choose = ({ headers, method, url }) =>
        headers['if-none-match'] !== undefined || (method === 'POST' && /[?&]delete/.test(url))
          ? { kind: 'answer', status: 501, code: 'NotImplemented' }
          : undefined;
      const plain = await openS3Store(options);
      await plain.put('plain/one', bodyOf(Buffer.from('1')), roomy);
      await expect(plain.put('plain/one', bodyOf(Buffer.from('2')), roomy)).rejects.toMatchObject({ code: 'conflict' });
      await plain.put('plain/two', bodyOf(Buffer.from('2')), roomy);
      await plain.deleteMany(['plain/one', 'plain/two', 'plain/three']);
      for await (const { key } of plain.list('plain/')) expect(key).toBeUndefined();
      await plain.close();
    });

    const faults: readonly Fault[] = [
      { kind: 'lose-request' },
      { kind: 'lose-answer' },
      { kind: 'delay', ms: 100 },
      { kind: 'answer', status: 500, code: 'InternalError' },
      { kind: 'answer', status: 503, code: 'SlowDown' },
      { kind: 'truncate' },
      { kind: 'stall' },
      { kind: 'flip-answer' },
      { kind: 'flip-request' },
    ];

    it.each([1, 2])('gives right bytes or a clear error, whatever happens (seed %i)', async (seed) => {
      const random = randomNumbers(seed);
      proxy.choose = (request) => {
        const fault = random() < 0.15 ? faults[Math.floor(random() * faults.length)]! : undefined;
        // Only bytes with a checksum can be checked. Listings have none; TLS protects them.
        return fault?.kind === 'flip-answer' && !isObjectGet(request) ? undefined : fault;
      };
      const sizes = [0, 10, 70_000, 900_000, 6_000_000];
      /** Contents of acknowledged puts. The others may exist or not. */
      const kept = new Map<string, Buffer>();
      const unsure = new Map<string, Buffer>();
      const counts = { succeeded: 0, failed: 0 };
      const tell = async <T>(work: Promise<T>): Promise<T | undefined> => {
        try {
          const result = await work;
          counts.succeeded++;
          return result;
        } catch (err) {
          expect(err).toBeInstanceOf(FirnError);
          const { code, detail } = err as FirnError;
          expect(['unavailable', 'corrupt-object'], detail ?? String(err)).toContain(code);
          counts.failed++;
          return undefined;
        }
      };
      for (let i = 0; i < 30; i++) {
        const size = sizes[Math.floor(random() * sizes.length)]!;
        const content = patternBytes(size, i);
        const key = `any/object-${i}`;
        const put = await tell(store.put(key, bodyOf(content), roomy));
        (put === undefined ? unsure : kept).set(key, content);
        const [other, expected] = [...kept][Math.floor(random() * kept.size)] ?? [];
        if (other === undefined) continue;
        const whole = await tell(readAll(store, other));
        if (whole !== undefined) expect(expected!.equals(whole)).toBe(true);
        const start = Math.floor(random() * expected!.length);
        const part = await tell(
          store.open(other).then((reader) => reader.read(start, Math.min(300_000, expected!.length - start))),
        );
        if (part !== undefined) expect(expected!.subarray(start, start + part.length).equals(part)).toBe(true);
        if (i % 7 === 6) {
          const deleted = await tell(store.delete(other).then(() => true));
          kept.delete(other);
          if (deleted !== true) unsure.set(other, expected!);
          else expect([undefined]).toContain(await tell(store.stat(other)));
        }
      }
      // With six tries each, few requests fail in the end.
      expect(counts.failed).toBeLessThan(counts.succeeded / 10);
      proxy.choose = () => undefined;
      const listed: string[] = [];
      for await (const { key } of store.list('any/')) listed.push(key);
      for (const [key, content] of kept) expect(content.equals(await readAll(store, key))).toBe(true);
      for (const key of listed)
        expect((kept.get(key) ?? unsure.get(key))!.equals(await readAll(store, key))).toBe(true);
      expect(listed).toEqual(expect.arrayContaining([...kept.keys()]));
    });
  },
);
