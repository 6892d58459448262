import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';
import { expectHubError, file, header, HubClient, ok } from './hub-client.test-support.ts';

let gateway: TestGateway;
let call: Call;
let made = 0;

beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
});
afterAll(() => gateway.close());

const newRepository = (): Promise<HubClient> => new HubClient(call, `acme/deleted-refs-${++made}`).create();
const weights = (seed: number): Buffer => safetensors({ w: { shape: [64, 32], values: ramp(2048, seed) } });

async function refsOf(hub: HubClient): Promise<Record<'branches' | 'tags', string[]>> {
  const { branches, tags } = ok(await hub.api('GET', '/refs')).json;
  const names = (refs: readonly { name: string }[]): string[] => refs.map(({ name }) => name).sort();
  return { branches: names(branches), tags: names(tags) };
}

test('a branch or tag of weights that a commit brought is gone once it is deleted; its run stays', async () => {
  const hub = await newRepository();
  await hub.push({ 'config.json': Buffer.from('{}'), 'model.safetensors': weights(1) }, 'step 10');
  ok(await hub.api('POST', '/branch/exp', { startingPoint: 'main' }));
  await hub.push({ 'model.safetensors': weights(2) }, 'step 20', 'exp');
  await gateway.encode();
  expect(await refsOf(hub)).toEqual({
    branches: ['exp', 'main'],
    tags: ['default/step-10', 'exp/step-20', 'step-10'],
  });
  ok(await hub.api('DELETE', '/branch/exp'));
  ok(await hub.api('DELETE', '/tag/step-10'));
  ok(await hub.api('DELETE', '/tag/exp%2Fstep-20'));
  expect(await refsOf(hub)).toEqual({ branches: ['main'], tags: ['default/step-10'] });
  for (const revision of ['exp', 'step-10', 'exp%2Fstep-20']) {
    expectHubError(await hub.api('GET', `/revision/${revision}`), 404, 'RevisionNotFound');
    const kind = revision === 'exp' ? 'branch' : 'tag';
    expectHubError(await hub.api('DELETE', `/${kind}/${revision}`), 404, 'RevisionNotFound');
  }
  const { items } = ok(await hub.ask('GET', `/v1/repositories/${hub.id}/runs/exp/checkpoints`)).json;
  expect(items.map(({ step }: { step: number }) => step)).toEqual([20]);
  // Made again, it begins where it is told to.
  ok(await hub.api('POST', '/branch/exp', { startingPoint: 'main' }));
  expect(await hub.bytes('exp', 'model.safetensors')).toEqual(weights(1));
});

test('a branch that shows a run of the native API is not deleted as if it were gone', async () => {
  const hub = await newRepository();
  const run = `/v1/repositories/${hub.id}/runs`;
  ok(await hub.ask('POST', run, { name: 'native', fidelity: 'exact' }));
  ok(await hub.ask('PUT', `${run}/native/checkpoints/7`, weights(3)));
  await gateway.encode();
  const before = await refsOf(hub);
  for (const [kind, name] of [
    ['branch', 'native'],
    ['tag', 'native%2Fstep-7'],
  ] as const)
    expectHubError(await hub.api('DELETE', `/${kind}/${name}`), 409, 'conflict');
  expect(await refsOf(hub)).toEqual(before);
  expectHubError(await hub.api('DELETE', '/branch/never-made'), 404, 'RevisionNotFound');
  await hub.commit([header(), file('a.txt', 'a')]);
});
