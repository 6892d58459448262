import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pendingDeletionKeys } from '../../../catalog/records/pending-deletion-keys.test-support.ts';
import { createApp } from '../../app.ts';
import { openTestGateway, type TestGateway } from '../../gateway.test-support.ts';
import { caller, type Call } from '../../http-client.test-support.ts';
import { ramp, safetensors } from '../../safetensors.test-support.ts';

let gateway: TestGateway;
let call: Call;
const repository = '/v1/repositories/acme/lm';
const runs = `${repository}/runs`;
const model = safetensors({ w: { shape: [4], values: ramp(4, 1) } });
const fixedConfig = { bins: 16, embeddingBins: 16, pruneFraction: 0.1, protectFraction: 0.01 };

beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
  const evalSet = `${repository}/eval-sets/held-out`;
  await call('POST', `${repository}/eval-sets`, {
    name: 'held-out',
    spec: { inputs: { x: 'x' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] },
  });
  await call('PUT', `${evalSet}/graph`, Buffer.from('onnx'));
  await call('PUT', `${evalSet}/batches`, model);
  await call('POST', `${evalSet}/commit`);
});
afterAll(() => gateway.close());

describe('deleting a run', () => {
  const objects = async (): Promise<string[]> => {
    const pending = await pendingDeletionKeys(gateway.catalog);
    const keys: string[] = [];
    for await (const { key } of gateway.store.list('')) if (!pending.has(key)) keys.push(key);
    return keys.sort();
  };
  const push = async (run: string, step: number, seed: number): Promise<void> => {
    const pushed = await call(
      'PUT',
      `${runs}/${run}/checkpoints/${step}`,
      safetensors({ w: { shape: [64, 64], values: ramp(4096, seed) } }),
    );
    expect(pushed.status).toBe(202);
  };
  const remove = async (run: string): Promise<number> => (await call('DELETE', `${runs}/${run}`)).status;

  it('takes everything of it along, open reservations too, and frees its name', async () => {
    const before = await objects();
    await call('POST', runs, { name: 'gone', evalSet: 'held-out', fidelity: 'exact' });
    for (const step of [1, 2]) await push('gone', step, 1);
    await gateway.encode();
    await call('POST', `${runs}/gone/checkpoints`, { step: 3 });
    await call('PUT', `${runs}/gone/checkpoints/3/files/notes.txt`, Buffer.from('notes'));
    expect(await remove('gone')).toBe(204);
    expect(await objects()).toEqual(before);
    for (const path of ['', '/checkpoints', '/checkpoints/1'])
      expect((await call('GET', `${runs}/gone${path}`)).status).toBe(404);
    expect(await remove('gone')).toBe(404);
    expect((await call('PUT', `${runs}/gone/checkpoints/4`, model)).status).toBe(404);
    expect((await call('GET', runs)).json.items).toEqual([]);
    // Nothing uses its eval set any more.
    expect((await call('DELETE', `${repository}/eval-sets/held-out`)).status).toBe(204);
    expect((await call('POST', runs, { name: 'gone' })).json).toMatchObject({ name: 'gone', fidelity: 'exact' });
    expect((await call('GET', `${runs}/gone/checkpoints`)).json.items).toEqual([]);
  });

  it('is refused while a checkpoint waits or is worked on, and changes nothing', async () => {
    await call('POST', runs, { name: 'busy' });
    await call('POST', `${runs}/busy/checkpoints`, { step: 1 });
    await push('busy', 2, 1);
    const refused = await call('DELETE', `${runs}/busy`);
    expect([refused.status, refused.json.code, refused.json.detail]).toEqual([
      409,
      'conflict',
      'Step 2 of the run is queued; cancel it first.',
    ]);
    expect((await call('GET', `${runs}/busy/checkpoints`)).json.items).toMatchObject([
      { state: 'open' },
      { state: 'queued' },
    ]);
    await call('POST', `${runs}/busy/checkpoints/2/cancel`);
    expect(await remove('busy')).toBe(204);
  });

  it('hides checkpoints that other runs build on, and deletes their bytes with the last of these', async () => {
    const before = await objects();
    await call('POST', runs, { name: 'trunk', search: { fixedConfig } });
    for (const step of [1, 2, 3]) await push('trunk', step, step);
    await gateway.encode();
    await call('POST', runs, { name: 'branch', forkFrom: { run: 'trunk', step: 2 } });
    await push('branch', 3, 4);
    await gateway.encode();
    await call('POST', runs, { name: 'twig', forkFrom: { run: 'branch', step: 3 } });
    const rebuilt = await call('GET', `${runs}/branch/checkpoints/3/files/model.safetensors`);
    expect(rebuilt.status).toBe(200);

    expect(await remove('trunk')).toBe(204);
    // The packages of steps 1 and 2, and the branch's package and newest upload.
    expect((await objects()).filter((key) => !before.includes(key)).map((key) => key.split('/')[0])).toEqual([
      'packages',
      'packages',
      'packages',
      'staged',
    ]);
    expect((await call('GET', `${runs}/trunk`)).status).toBe(404);
    expect((await call('GET', `${runs}/branch`)).json.forkedFrom).toEqual({ run: 'trunk', step: 2 });
    expect((await call('GET', `${runs}/branch/checkpoints/3/files/model.safetensors`)).bytes).toEqual(rebuilt.bytes);
    const { package: package_ } = (await call('GET', `${runs}/branch/checkpoints/3`)).json;
    expect((await call('GET', package_.ancestorHref)).status).toBe(200);
    await call('POST', runs, { name: 'trunk' });

    // The twig has no checkpoint yet, but starts from the branch.
    expect(await remove('branch')).toBe(204);
    expect((await objects()).filter((key) => !before.includes(key))).toHaveLength(3);
    await push('twig', 4, 5);
    await gateway.encode();
    expect((await call('GET', `${runs}/twig/checkpoints/4`)).json).toMatchObject({
      state: 'ready',
      result: { ancestorRun: 'branch', ancestorStep: 3 },
    });
    expect(await remove('twig')).toBe(204);
    expect(await objects()).toEqual(before);
    expect(await remove('trunk')).toBe(204);
  });
});
