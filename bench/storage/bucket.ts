/**
 * Puts and gets one object through the S3 store and through the bare SDK, alternating, and checks the received bytes.
 * Prints MB/s and the memory of this process. Needs a server (scripts/ceph-rgw.sh). Usage: npx tsx
 * bench/storage/bucket.ts [--mib 1024] [--rounds 3] [--only store|sdk]
 */
import { createHash, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';
import { emptyPrefix, plainS3Client, testS3Options, testS3Server } from '../../src/store/s3/s3-server.test-support.ts';
import { openS3Store } from '../../src/store/s3/s3-store.ts';

const { values } = parseArgs({
  options: {
    mib: { type: 'string', default: '1024' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const mib = 1024 * 1024;
const sizeBytes = Number(values.mib) * mib;
const partBytes = 8 * mib;
const parallel = 4;
const server = testS3Server(process.env);
if (server === undefined) throw new Error('FIRN_TEST_S3_ENDPOINT is not set: scripts/ceph-rgw.sh start DIR prints it');
const options = { ...testS3Options(server), partBytes, parallelParts: parallel };
const store = await openS3Store(options);
const client = plainS3Client(server);

/** The same incompressible bytes each time. */
const block = Buffer.concat(
  Array.from({ length: mib / 32 }, (_, i) => createHash('sha256').update(String(i)).digest()),
);
async function* content(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < sizeBytes; at += mib) yield block;
}

let peakBytes = 0;
const idleBytes = process.memoryUsage.rss();
const watch = setInterval(() => (peakBytes = Math.max(peakBytes, process.memoryUsage.rss())), 20);

async function timed(name: string, work: () => Promise<void>): Promise<void> {
  const started = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${name.padEnd(12)} ${(sizeBytes / 1e3 / (performance.now() - started)).toFixed(0).padStart(6)} MB/s   ` +
      `${((user + system) / 1e6).toFixed(1)} s of processor`,
  );
}

async function check(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let at = 0;
  for await (const piece of pieces) {
    // Compares pieces of any size with the block that they repeat.
    for (let cut = 0; cut < piece.length;) {
      const from = (at + cut) % mib;
      const part = piece.subarray(cut, cut + mib - from);
      if (block.compare(part, 0, part.length, from, from + part.length) !== 0)
        throw new Error(`other bytes at ${at + cut}`);
      cut += part.length;
    }
    at += piece.length;
  }
  if (at !== sizeBytes) throw new Error(`${at} bytes`);
}

async function putBare(sdk: S3Client, name: string): Promise<void> {
  const { UploadId } = await sdk.send(new CreateMultipartUploadCommand({ Bucket: options.bucket, Key: name }));
  const parts: CompletedPart[] = [];
  const underWay = new Set<Promise<void>>();
  const part = Buffer.concat(Array.from({ length: partBytes / mib }, () => block));
  for (let number = 1; number <= sizeBytes / partBytes; number++) {
    if (underWay.size >= parallel) await Promise.race(underWay);
    const sending: Promise<void> = sdk
      .send(new UploadPartCommand({ Bucket: options.bucket, Key: name, UploadId, PartNumber: number, Body: part }))
      .then(({ ETag }) => {
        parts[number - 1] = { ETag, PartNumber: number };
        underWay.delete(sending);
      });
    underWay.add(sending);
  }
  await Promise.all(underWay);
  await sdk.send(
    new CompleteMultipartUploadCommand({
      Bucket: options.bucket,
      Key: name,
      UploadId,
      MultipartUpload: { Parts: parts },
    }),
  );
}

console.log(`${values.mib} MiB, parts of ${partBytes / mib} MiB, ${parallel} at once, ${server.endpoint}`);
for (let round = 0; round < Number(values.rounds); round++) {
  const key = `bench/${randomUUID()}`;
  const bare = `${options.prefix}bare/${randomUUID()}`;
  const ways: Record<string, () => Promise<void>> = {
    store: async () => {
      await timed('put, store', () => store.put(key, content(), { sizeMaxBytes: sizeBytes }).then(() => undefined));
      const reader = await store.open(key);
      await timed('get, store', () => check(reader.stream()));
    },
    sdk: async () => {
      await timed('put, SDK', () => putBare(client, bare));
      await timed('get, SDK', async () =>
        check(
          (await client.send(new GetObjectCommand({ Bucket: options.bucket, Key: bare })))
            .Body as AsyncIterable<Uint8Array>,
        ),
      );
    },
  };
  const order = Object.keys(ways).filter((way) => values.only === undefined || way === values.only);
  for (const way of round % 2 === 0 ? order : order.reverse()) await ways[way]!();
  await emptyPrefix(client, options.bucket, options.prefix);
}
clearInterval(watch);
console.log(`resident memory: ${(idleBytes / mib).toFixed(0)} MiB before, ${(peakBytes / mib).toFixed(0)} MiB at most`);
await store.close();
client.destroy();
