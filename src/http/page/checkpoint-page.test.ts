import type { OpenAPIHono } from '@hono/zod-openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppEnv } from '../app-env.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';

let gateway: TestGateway;
let app: OpenAPIHono<AppEnv>;
let call: Call;
const runs = '/v1/repositories/acme/lm/runs';

beforeAll(async () => {
  gateway = await openTestGateway();
  app = createApp(gateway);
  call = caller(app);
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
  await call('POST', runs, { name: 'train' });
  await call('PUT', `${runs}/train/checkpoints/1`, safetensors({ w: { shape: [4], values: ramp(4, 1) } }));
  await gateway.encode();
  await call('PUT', `${runs}/train/checkpoints/2`, safetensors({ w: { shape: [4], values: ramp(4, 2) } }));
});
afterAll(() => gateway.close());

async function pageAt(path: string): Promise<string> {
  const answer = await app.request(path, { headers: { accept: 'text/html' } });
  expect(answer.status, path).toBe(200);
  return answer.text();
}

describe('the page of a checkpoint', () => {
  it('says why it is exact, as firn show does', async () => {
    const why = 'exact: the run has no quality threshold, so every byte is kept.';
    expect(await pageAt('/acme/lm/runs/train/1')).toContain(why);
    expect(await pageAt('/acme/lm/runs/train/2')).not.toContain(why);
  });

  it('offers a pull only of one that is ready', async () => {
    const [ready, waiting] = [await pageAt('/acme/lm/runs/train/1'), await pageAt('/acme/lm/runs/train/2')];
    for (const command of ['firn pull', 'curl -O', 'hf download']) {
      expect(ready).toContain(command);
      expect(waiting).not.toContain(command);
    }
    expect(waiting).toContain('Only a checkpoint that is ready can be pulled.');
    expect(waiting).toContain('firn push');
  });
});

describe('the pages of a repository and of a run', () => {
  it('offer a pull only where a checkpoint is ready', async () => {
    await call('POST', '/v1/repositories', { namespace: 'acme', name: 'bare' });
    await call('POST', '/v1/repositories/acme/bare/runs', { name: 'none' });
    for (const path of ['/acme/bare', '/acme/bare/runs/none']) {
      const page = await pageAt(path);
      expect(page).toContain('Only a checkpoint that is ready can be pulled.');
      expect(page).not.toContain('firn pull');
    }
    for (const path of ['/acme/lm', '/acme/lm/runs/train']) expect(await pageAt(path)).toContain('firn pull');
  });
});

describe('the page that compares two runs', () => {
  it('shows the thresholds of both', async () => {
    await makeEvalSet();
    for (const [name, loss] of [
      ['strict', 0.01],
      ['loose', 0.05],
    ] as const)
      expect(
        (await call('POST', runs, { name, fidelity: 'lossy', evalSet: 'held-out', thresholds: { loss } })).status,
      ).toBe(201);
    const page = await pageAt('/acme/lm/compare?one=strict&two=loose');
    expect(page).toContain('loss may grow by at most 1 %');
    expect(page).toContain('loss may grow by at most 5 %');
    expect(await pageAt('/acme/lm/compare?one=strict&two=train')).toContain('none');
  });
});

/** One that is taken as it is: the catalog is told that it is ready. */
async function makeEvalSet(): Promise<void> {
  const spec = { inputs: { x: 'x' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] };
  expect((await call('POST', '/v1/repositories/acme/lm/eval-sets', { name: 'held-out', spec })).status).toBe(201);
  const repository = (await gateway.catalog.repositories.find('acme', 'lm'))!;
  const evalSet = (await gateway.catalog.evalSets.find(repository.id, 'held-out'))!;
  await gateway.catalog.evalSets.setState(evalSet.id, 'ready');
}
