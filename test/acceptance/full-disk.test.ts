import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { createRepository, createRun, pushOne } from './hub-fixtures.ts';
import { HubApi, readJson } from './hub-api.ts';
import { randomBytesOf } from './random-numbers.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { safetensorsFile } from './safetensors-file.ts';
import { startHub, type Hub } from './start-hub.ts';
import { expectObjects, storedObjects } from './stored-objects.ts';

const mib = 1024 * 1024;
/** A new catalog takes about 40 MiB of it. */
const diskMib = 128;
const modelBytes = 8 * mib;

const disk = mountSmallDisk(diskMib);
if (disk === undefined)
  console.warn('full-disk.test.ts: skipped, since mounting a small file system takes root on Linux.');

describe.skipIf(disk === undefined)(
  `a full disk${disk === undefined ? ' (skipped: mounting a small file system takes root)' : ''}`,
  () => {
    let hub: Hub;
    let api: HubApi;
    let run: string;
    const { fill, empty, unmount, directory } = disk ?? ({} as SmallDisk);

    const model = (step: number): Buffer =>
      safetensorsFile({
        w: { dtype: 'U8', shape: [modelBytes], bytes: randomBytesOf(modelBytes, 1).fill(step, 0, 9) },
      });
    const sound = model(0);

    beforeAll(async () => {
      hub = await startHub({ dataDirectory: join(directory, 'data') });
      api = new HubApi(hub.url);
      run = await createRun(api, await createRepository(api, 'disk'), { name: 'exact' });
      await api.ready(await pushOne(api, run, 0, sound));
    });

    afterAll(async () => {
      await hub?.stop();
      unmount();
    });

    /** Earlier content still exists. */
    async function expectSound(): Promise<void> {
      expect((await api.get(`${run}/checkpoints/0/files/model.safetensors`)).bytes.equals(sound)).toBe(true);
    }

    test('refuses an upload that does not fit with 507, and goes on once there is room', async () => {
      const objects = await storedObjects(hub);
      fill(modelBytes / 2);
      expectProblem(await api.put(`${run}/checkpoints/1`, model(1)), 507, 'storage-full');
      expectProblem(await api.get(`${run}/checkpoints/1`), 404, 'not-found');
      await expectObjects(hub, objects);
      await expectSound();

      readJson(await api.post(`${run}/checkpoints`, { step: 1, files: [{ path: 'model.safetensors' }] }), 201);
      expectProblem(await api.put(`${run}/checkpoints/1/files/model.safetensors`, model(1)), 507, 'storage-full');
      expect((await api.read(`${run}/checkpoints/1`)).files[0]).toMatchObject({ received: false });
      await expectObjects(hub, objects);
      empty();
      readJson(await api.put(`${run}/checkpoints/1/files/model.safetensors`, model(1)), 201);
      readJson(await api.post(`${run}/checkpoints/1/commit`), 202);
      await api.ready(`${run}/checkpoints/1`);
    });

    test('to the last byte: what is there can be read, what is new is refused, and it passes', async () => {
      fill(0);
      expectProblem(await api.put(`${run}/checkpoints/2`, model(2)), 507, 'storage-full');
      // The catalog has some free pages left; once they are used up it refuses writes, too.
      for (let at = 0; ; at++) {
        const answer = await api.post('/v1/repositories', { namespace: 'filler', name: `r${at}` });
        if (answer.status === 201) continue;
        expectProblem(answer, 507, 'storage-full');
        break;
      }
      await expectSound();
      expect((await api.read(`${run}/checkpoints`)).items).toHaveLength(2);
      await expect.poll(async () => (await api.get('/readyz')).status, { timeout: 20_000 }).toBe(503);
      expect((await api.get('/healthz')).status).toBe(200);
      empty();
      await expect.poll(async () => (await api.get('/readyz')).status, { timeout: 20_000 }).toBe(200);
      await api.ready(await pushOne(api, run, 2, model(2)));
      expect((await api.get(`${run}/checkpoints/2/files/model.safetensors`)).bytes.equals(model(2))).toBe(true);
    });

    test('in the middle of compression: the acknowledged upload waits for room and then becomes ready', async () => {
      readJson(await api.post(`${run}/checkpoints`, { step: 3 }), 201);
      // Waits behind step 3, so that the disk is full before its compression begins.
      const waiting = await pushOne(api, run, 4, model(4));
      fill(0);
      const failuresBefore = hub.output().length;
      expect((await api.ask('DELETE', `${run}/checkpoints/3`)).status).toBe(204);
      await expect.poll(() => hub.output().slice(failuresBefore), { timeout: 20_000 }).toContain('storage-full');
      expect(['queued', 'working']).toContain((await api.read(waiting)).state);
      expect((await api.get(`${waiting}/files/model.safetensors?as=uploaded`)).bytes.equals(model(4))).toBe(true);
      empty();
      await api.ready(waiting);
      expect((await api.get(`${waiting}/files/model.safetensors`)).bytes.equals(model(4))).toBe(true);
      await expectSound();
    });

    test('a start on it says where there is no room, and leaves nothing that refuses the next one', async () => {
      await hub.stop('SIGKILL');
      fill(0);
      const refused = await startHub({ dataDirectory: hub.dataDirectory }).then(
        (started) => started.stop().then(() => 'started'),
        (error: unknown) => String(error),
      );
      expect(refused).toContain(`no space left. (${join(directory, 'data', 'catalog')})`);
      expect(refused).not.toContain('in use');
      empty();
      hub = await startHub({ dataDirectory: hub.dataDirectory });
      api = new HubApi(hub.url);
      await expectSound();
    });
  },
);
