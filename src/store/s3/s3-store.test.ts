import type { LookupFunction } from 'node:net';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { bodyOf } from '../body-of.ts';
import { storedSize } from '../frame/object-frame.ts';
import { patternBytes } from '../object-store.reference.ts';
import { describeObjectStore, type ObjectStoreHarness } from '../object-store.suite.ts';
import type { ObjectStore } from '../object-store.ts';
import type { S3StoreOptions } from './s3-options.ts';
import {
  emptyPrefix,
  plainS3Client,
  testS3Options,
  testS3Server,
  withoutS3Server,
  type TestS3Server,
} from './s3-server.test-support.ts';
import { openS3Store } from './s3-store.ts';

const server = testS3Server(process.env);
const roomy = { sizeMaxBytes: 1 << 30 };

async function readAll(store: ObjectStore, key: string): Promise<Buffer> {
  const reader = await store.open(key);
  const pieces: Uint8Array[] = [];
  for await (const piece of reader.stream()) pieces.push(piece);
  await reader.close();
  return Buffer.concat(pieces);
}

/** A store below a prefix of its own. */
async function openHarness(from: TestS3Server, changes: Partial<S3StoreOptions> = {}): Promise<ObjectStoreHarness> {
  const options = { ...testS3Options(from), ...changes };
  const { bucket, prefix } = options;
  const store = await openS3Store(options);
  const client = plainS3Client(from);
  const nameOf = (key: string): string => prefix + key;
  const uploads = async () =>
    (await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }))).Uploads ?? [];
  return {
    store,
    readStored: async (key) =>
      (await client.send(new GetObjectCommand({ Bucket: bucket, Key: nameOf(key) }))).Body!.transformToByteArray(),
    writeStored: async (key, bytes) =>
      void (await client.send(new PutObjectCommand({ Bucket: bucket, Key: nameOf(key), Body: bytes }))),
    leftovers: async () => (await uploads()).map(({ Key }) => Key!),
    abandonPut: async () => {
      const { UploadId } = await client.send(
        new CreateMultipartUploadCommand({ Bucket: bucket, Key: nameOf('abandoned/object') }),
      );
      await client.send(
        new UploadPartCommand({
          Bucket: bucket,
          Key: nameOf('abandoned/object'),
          UploadId,
          PartNumber: 1,
          Body: Buffer.from('half'),
        }),
      );
    },
    close: async () => {
      await store.close();
      for (const { Key, UploadId } of await uploads())
        await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
      await emptyPrefix(client, bucket, prefix);
      client.destroy();
    },
  };
}

if (server === undefined) {
  describe('object store: S3', () => {
    it('behaves as every object store does', (ctx) => ctx.skip(withoutS3Server));
  });
} else {
  describeObjectStore('S3', () => openHarness(server));
  describeObjectStore('S3 that replaces objects whatever it is asked', () =>
    openHarness(server, { conditionalPuts: false }),
  );
}

describe.skipIf(server === undefined)(`S3 store${server === undefined ? `: ${withoutS3Server}` : ''}`, () => {
  const using = async (
    changes: Partial<S3StoreOptions>,
    work: (harness: ObjectStoreHarness) => Promise<void>,
  ): Promise<void> => {
    const harness = await openHarness(server!, changes);
    try {
      await work(harness);
    } finally {
      await harness.close();
    }
  };

  it('sends many parts at once, whatever the number of puts, and every object comes back', async () => {
    await using({ parallelParts: 3 }, async ({ store }) => {
      const contents = [1, 2, 3, 4].map((seed) => patternBytes(16_000_000 + seed, seed));
      await Promise.all(contents.map((content, i) => store.put(`many/parts-${i}`, bodyOf(content), roomy)));
      for (const [i, content] of contents.entries())
        expect(content.equals(await readAll(store, `many/parts-${i}`))).toBe(true);
    });
  });

  it('has parts that end where the content or its checksums end', async () => {
    const { partBytes } = testS3Options(server!);
    await using({}, async ({ store, readStored }) => {
      const tail = storedSize(partBytes) - partBytes;
      for (const size of [
        partBytes - tail - 1,
        partBytes - tail,
        partBytes - tail + 1,
        partBytes - 1,
        partBytes,
        partBytes + 1,
        2 * partBytes,
      ]) {
        const content = patternBytes(size, size);
        await store.put(`edges/${size}`, bodyOf(content), roomy);
        expect((await readStored(`edges/${size}`)).length).toBe(storedSize(size));
        expect(content.equals(await readAll(store, `edges/${size}`))).toBe(true);
      }
    });
  });

  it('keeps hubs of different prefixes apart, and takes a bucket without one', async () => {
    await using({}, async (one) => {
      await using({}, async (other) => {
        await one.store.put('shared/key', bodyOf(Buffer.from('one')), roomy);
        await other.store.put('shared/key', bodyOf(Buffer.from('other')), roomy);
        expect((await readAll(one.store, 'shared/key')).toString()).toBe('one');
        await other.store.delete('shared/key');
        expect((await readAll(one.store, 'shared/key')).toString()).toBe('one');
      });
    });
    const bare = await openS3Store({ ...testS3Options(server!), prefix: '' });
    await bare.put('bare/object', bodyOf(Buffer.from('bare')), roomy);
    expect((await readAll(bare, 'bare/object')).toString()).toBe('bare');
    await bare.delete('bare/object');
    await bare.close();
  });

  it('lists and sweeps more than a page of the server holds', async () => {
    await using({ pageMax: 10 }, async ({ store, writeStored, abandonPut, leftovers }) => {
      const keys = Array.from({ length: 35 }, (_, i) => `pages/object-${i}`);
      for (const key of keys) await writeStored(key, Buffer.alloc(32));
      const found: string[] = [];
      for await (const { key } of store.list('pages/')) found.push(key);
      expect(found.sort()).toEqual(keys.sort());
      for (let i = 0; i < 23; i++) await abandonPut();
      expect(await store.sweepUnfinished(new Date(Date.now() + 3_600_000))).toBe(23);
      expect(await leftovers()).toEqual([]);
    });
  });

  it('deletes more objects than one request takes', async () => {
    await using({}, async ({ store, writeStored }) => {
      const keys = Array.from({ length: 2100 }, (_, i) => `deleted/object-${i}`);
      const there = keys.filter((_, i) => i % 100 === 0);
      for (const key of there) await writeStored(key, Buffer.alloc(32));
      await store.deleteMany(keys);
      for await (const { key } of store.list('deleted/')) expect(key).toBeUndefined();
    });
  });

  it('says so when an object is replaced under an open reader, and never mixes two', async () => {
    await using({}, async ({ store }) => {
      await store.put('replaced/object', bodyOf(patternBytes(600_000, 1)), roomy);
      const reader = await store.open('replaced/object');
      await store.put('replaced/object', bodyOf(patternBytes(600_000, 2)), { ...roomy, replace: true });
      await expect(reader.read(0, 1000)).rejects.toMatchObject({ code: 'not-found' });
      await reader.close();
    });
  });

  it('leaves an upload of its own that is under way to itself', async () => {
    await using({}, async ({ store, leftovers }) => {
      const content = patternBytes(12_000_000);
      let swept: number | undefined;
      await store.put(
        'slow/object',
        (async function* () {
          yield content;
          expect(await leftovers()).toHaveLength(1);
          swept = await store.sweepUnfinished(new Date(Date.now() + 3_600_000));
        })(),
        roomy,
      );
      expect(swept).toBe(0);
      expect(content.equals(await readAll(store, 'slow/object'))).toBe(true);
    });
  });

  it('names the bucket in the host where it is told to', async (ctx) => {
    if (server!.domain === undefined)
      ctx.skip('FIRN_TEST_S3_DOMAIN is not set: the server has no name below which buckets are subdomains');
    const asked: string[] = [];
    const lookup: LookupFunction = (hostname, { all }, done) => {
      asked.push(hostname);
      if (all === true) done(null, [{ address: '127.0.0.1', family: 4 }]);
      else done(null, '127.0.0.1', 4);
    };
    const endpoint = new URL(server!.endpoint);
    endpoint.hostname = server!.domain!;
    await using({ endpoint: endpoint.origin, forcePathStyle: false, lookup }, async ({ store, readStored }) => {
      const content = patternBytes(7_000_000);
      await store.put('virtual/host', bodyOf(content), roomy);
      expect(content.equals(await readAll(store, 'virtual/host'))).toBe(true);
      // With the bucket in the path it is the same object.
      expect((await readStored('virtual/host')).length).toBe(storedSize(content.length));
    });
    expect(new Set(asked)).toEqual(new Set([`${server!.bucket}.${server!.domain}`]));
  });

  it.each([
    ['a bucket that is not there', { bucket: 'firn-absent' }, /bucket/],
    [
      'a wrong secret',
      { credentials: { accessKeyId: server?.credentials.accessKeyId ?? '', secretAccessKey: 'wrong' } },
      /refuses the access/,
    ],
  ])('does not open with %s, and says why', async (_, changes, sentence) => {
    await expect(openS3Store({ ...testS3Options(server!), ...changes })).rejects.toMatchObject({
      code: 'internal',
      message: sentence,
    });
  });
});
