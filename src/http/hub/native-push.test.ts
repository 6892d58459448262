import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitNative, commitWaiting } from '../../hub/commit/commit-native.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';
import { file, header, HubClient, lfsFile, ok } from './hub-client.test-support.ts';

let gateway: TestGateway;
let call: Call;
let made = 0;

beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
});
afterAll(() => gateway.close());

const weights = (seed: number): Buffer => safetensors({ w: { shape: [64, 32], values: ramp(2048, seed) } });
/** Commits have whole seconds, and within one the commit of a hub client counts as newer. */
const nextSecond = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1100));

async function newRepository(): Promise<HubClient> {
  const hub = await new HubClient(call, `acme/native-${++made}`).create();
  ok(await hub.ask('POST', `/v1/repositories/${hub.id}/runs`, { name: 'default', fidelity: 'exact' }));
  return hub;
}

/** Pushes a checkpoint that is ready, by a process that died before it committed it. */
async function pushUncommitted(hub: HubClient, step: number, bytes: Buffer): Promise<void> {
  ok(await hub.ask('PUT', `/v1/repositories/${hub.id}/runs/default/checkpoints/${step}`, bytes));
  await gateway.encode();
}

/** What the job worker does with a checkpoint whose encode ended. */
async function pushNatively(hub: HubClient, step: number, bytes: Buffer): Promise<void> {
  await pushUncommitted(hub, step, bytes);
  const repository = await gateway.catalog.repositories.find(...(hub.id.split('/') as [string, string]));
  const run = await gateway.catalog.runs.find(repository!.id, 'default');
  const { id } = (await gateway.catalog.checkpoints.find(run!.id, step))!;
  await commitNative(gateway.catalog, id);
  await commitNative(gateway.catalog, id);
}

test('a native push takes the place of the weights of its branch; all else that was committed stays', async () => {
  const hub = await newRepository();
  await nextSecond();
  await pushNatively(hub, 1, weights(1));
  expect(await hub.paths()).toEqual(['model.safetensors']);
  const shards = ['model-1.safetensors', 'model-2.safetensors', 'model.safetensors.index.json'];
  await hub.upload(weights(7));
  const first = await hub.commit([
    header('config'),
    file('config.json', '{}'),
    file('docs/notes.md', 'notes'),
    file(shards[2]!, '{"weight_map": {}}'),
    ...shards.slice(0, 2).map((path) => lfsFile(path, weights(7))),
    { key: 'deletedFile', value: { path: 'model.safetensors' } },
  ]);
  await gateway.encode();
  await nextSecond();
  await pushNatively(hub, 30, weights(3));
  expect((await hub.paths()).sort()).toEqual(['config.json', 'docs/notes.md', 'model.safetensors']);
  expect(await hub.bytes('main', 'model.safetensors')).toEqual(weights(3));
  const [head, parent] = await hub.history();
  expect(parent).toBe(first);
  expect(await hub.tags()).toMatchObject({ 'step-30': head, 'default/step-30': head });
  await hub.commit([header(), file('late.txt', 'late')]);
  expect((await hub.history()).slice(1, 3)).toEqual([head, first]);
  expect((await hub.bytes('main', 'config.json')).toString()).toBe('{}');
  ok(await hub.api('POST', '/super-squash/main', { message: 'all' }));
  expect((await hub.bytes('main', 'docs/notes.md')).toString()).toBe('notes');
  expect(await hub.bytes('step-30', 'model.safetensors')).toEqual(weights(3));
});

test('the upkeep commits a native push whose process died before it did, and no other', async () => {
  const hub = await newRepository();
  await pushUncommitted(hub, 1, weights(1));
  await nextSecond();
  await hub.commit([header(), file('config.json', '{}')]);
  const without = await newRepository();
  await pushUncommitted(without, 1, weights(1));
  expect(await commitWaiting(gateway.catalog)).toBe(0);
  await nextSecond();
  await pushUncommitted(hub, 2, weights(2));
  expect(await hub.paths()).toEqual(['model.safetensors']);
  expect(await commitWaiting(gateway.catalog)).toBe(1);
  expect((await hub.paths()).sort()).toEqual(['config.json', 'model.safetensors']);
  expect(await hub.bytes('main', 'model.safetensors')).toEqual(weights(2));
  expect(await commitWaiting(gateway.catalog)).toBe(0);
  const runs = `/v1/repositories/${hub.id}/runs`;
  ok(await hub.ask('POST', runs, { name: 'beside', fidelity: 'exact' }));
  await nextSecond();
  ok(await hub.ask('PUT', `${runs}/beside/checkpoints/1`, weights(9)));
  await gateway.encode();
  expect(await commitWaiting(gateway.catalog)).toBe(0);
});

test('each of two native pushes after a commit is a commit of its own', async () => {
  const hub = await newRepository();
  await hub.commit([header(), file('config.json', '{}')]);
  await nextSecond();
  await pushNatively(hub, 1, weights(1));
  await nextSecond();
  await pushNatively(hub, 2, weights(2));
  expect(await hub.bytes('main', 'model.safetensors')).toEqual(weights(2));
  expect(await hub.bytes('step-1', 'model.safetensors')).toEqual(weights(1));
  expect((await hub.paths('step-1')).sort()).toEqual(['config.json', 'model.safetensors']);
  expect((await hub.history()).length).toBe(4);
});
