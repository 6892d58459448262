import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HubApi, sha256 } from './hub-api.ts';
import { createRepository, createRun, pushFiles } from './hub-fixtures.ts';
import { randomBytesOf } from './random-numbers.ts';
import { safetensorsFile } from './safetensors-file.ts';
import { startHub, type Hub } from './start-hub.ts';

const {
  FIRN_TEST_S3_ENDPOINT: endpoint,
  FIRN_TEST_S3_BUCKET,
  FIRN_TEST_S3_ACCESS_KEY_ID,
  FIRN_TEST_S3_SECRET_ACCESS_KEY,
} = process.env;
const without =
  endpoint === undefined ? ': skipped, FIRN_TEST_S3_ENDPOINT is not set (scripts/ceph-rgw.sh start DIR prints it)' : '';

/**
 * Deadline of one test in ms. Each starts a hub, which takes 3 s on an idle machine and fifteen times as long on one
 * with twelve jobs per processor.
 */
const testDeadlineMs = 240_000;

describe.skipIf(endpoint === undefined)(`a hub with its objects in a bucket${without}`, () => {
  const environment = {
    FIRN_S3_ENDPOINT: endpoint ?? '',
    FIRN_S3_BUCKET: FIRN_TEST_S3_BUCKET ?? '',
    FIRN_S3_ACCESS_KEY_ID: FIRN_TEST_S3_ACCESS_KEY_ID ?? '',
    FIRN_S3_SECRET_ACCESS_KEY: FIRN_TEST_S3_SECRET_ACCESS_KEY ?? '',
    FIRN_S3_PREFIX: `acceptance-${randomUUID()}/`,
    FIRN_S3_FORCE_PATH_STYLE: 'true',
    FIRN_S3_PART_MIB: '5',
    FIRN_FILE_MAX_MIB: '1024',
  };
  let dataDirectory: string;
  let hub: Hub;
  let api: HubApi;

  beforeAll(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), 'firn-bucket-'));
    hub = await startHub({ dataDirectory, environment });
    api = new HubApi(hub.url);
  });
  afterAll(async () => {
    await hub?.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  });

  test(
    'gives every byte back, whole and by range, also after a kill, and keeps no object in its directory',
    async () => {
      const run = await createRun(api, await createRepository(api, 'bucket'), { name: 'train' });
      const weights = randomBytesOf(3_000_000 * 4, 1);
      const moved = Buffer.from(weights);
      for (let at = 0; at < moved.length; at += 401) moved[at]! ^= 1;
      const fileOf = (bytes: Buffer) => safetensorsFile({ 'a.weight': { dtype: 'F32', shape: [3000, 1000], bytes } });
      const uploads = [fileOf(weights), fileOf(moved)];
      const checkpoints: string[] = [];
      for (const [step, bytes] of uploads.entries())
        checkpoints.push(
          await pushFiles(api, run, step, { 'model.safetensors': bytes, 'noise.bin': randomBytesOf(7_000_000, step) }),
        );
      for (const checkpoint of checkpoints) await api.ready(checkpoint);
      const check = async (): Promise<void> => {
        for (const [step, bytes] of uploads.entries()) {
          expect(sha256((await api.get(`${checkpoints[step]}/files/model.safetensors`)).bytes)).toBe(sha256(bytes));
          expect(
            (await api.get(`${checkpoints[step]}/files/noise.bin`)).bytes.equals(randomBytesOf(7_000_000, step)),
          ).toBe(true);
          const range = await api.get(`${checkpoints[step]}/files/model.safetensors`, {
            range: 'bytes=5000001-5300000',
          });
          expect(range.bytes.equals(bytes.subarray(5_000_001, 5_300_001))).toBe(true);
        }
      };
      await check();
      await hub.stop('SIGKILL');
      hub = await startHub({ dataDirectory, environment });
      api = new HubApi(hub.url);
      await check();
      expect(await readdir(dataDirectory)).not.toContain('objects');
      expect((await api.ask('DELETE', run)).status).toBe(204);
    },
    testDeadlineMs,
  );

  test(
    'does not start without its bucket, and says why in a sentence',
    async () => {
      await expect(startHub({ environment: { ...environment, FIRN_S3_BUCKET: 'firn-absent' } })).rejects.toThrow(
        'The bucket of the storage does not exist.',
      );
    },
    testDeadlineMs,
  );
});
