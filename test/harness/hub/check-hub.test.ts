import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve, type ServerType } from '@hono/node-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Repository } from '../../../src/catalog/contract/repository-records.ts';
import { createApp } from '../../../src/http/app.ts';
import { openTestGateway, type TestGateway } from '../../../src/http/gateway.test-support.ts';
import { publishWaiting } from '../../../src/hub/commit/publish-compressed.ts';
import { cancelCheckpoint } from '../../../src/ingest/checkpoint/cancel-checkpoint.ts';
import { senderTo } from '../../crash/hub-clients.ts';
import { checkHub } from './check-hub.ts';
import type { HubActor } from './hub-actor.ts';
import { hubActors, hubOperations, operationsOf, prepareHub } from './hub-actors.ts';

/** Three clients and what they know, on a hub in this process. */
let gateway: TestGateway;
let server: ServerType;
let url: string;
let exact: HubActor;
let lossy: HubActor;
let actors: readonly HubActor[];

beforeAll(async () => {
  gateway = await openTestGateway();
  server = serve({ fetch: createApp(gateway).fetch, port: 0, hostname: '127.0.0.1' });
  if (!server.listening) await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  actors = hubActors('checked', { seed: 1, withTwoParts: false });
  [exact, lossy] = actors as [HubActor, HubActor];
  await prepareHub(actors, senderTo(url));
  for (const actor of actors)
    while (!actor.isRoundDone) {
      await actor.act(senderTo(url));
      await gateway.encode();
      await publishWaiting(gateway.catalog);
    }
});
afterAll(async () => {
  server.close();
  await gateway.close();
});

const check = (actor: HubActor): Promise<string[]> => checkHub(url, actor, { isEnd: true, mayCollect: false });

/** Lets a client try the operations up to one of a kind, which is interrupted after some of it was done. */
async function interrupt(actor: HubActor, kind: string, partly: () => Promise<unknown>): Promise<void> {
  const send = senderTo(url);
  const sendOrStop: typeof send =
    (isRepeat) =>
    async (method, path, ...rest) => {
      if (actor.current?.kind !== kind) return send(isRepeat)(method, path, ...rest);
      await partly();
      throw new Error('interrupted');
    };
  while (actor.current === undefined) await actor.act(sendOrStop).catch(() => undefined);
  expect(actor.current.kind).toBe(kind);
}

async function repositoryOf({ state }: HubActor): Promise<Repository> {
  const [namespace, name] = state!.name.split('/') as [string, string];
  return (await gateway.catalog.repositories.find(namespace, name))!;
}

it('finds nothing where nothing is wrong, after each kind of operation', async () => {
  for (const actor of actors) expect(await check(actor)).toEqual([]);
  expect(Object.keys(operationsOf(actors)).sort()).toEqual(hubOperations);
});

it('finds a branch that went back to the commit before', async () => {
  const { id } = await repositoryOf(exact);
  const { revisions } = gateway.catalog.hub;
  const main = (await revisions.ref(id, 'branch', 'main'))!;
  const [, before] = await revisions.history(id, main.commitId, 2);
  await revisions.setRef(id, { ...main, commitId: before!.id });
  expect((await check(exact)).join()).toMatch(/commit 0 of main is/);
  await revisions.setRef(id, main);
});

it('finds a tag that is lost, and one that is there again', async () => {
  const { id } = await repositoryOf(exact);
  const { revisions } = gateway.catalog.hub;
  const tag = (await revisions.refs(id)).find(({ kind }) => kind === 'tag')!;
  await revisions.deleteRef(id, 'tag', tag.name);
  // A run has the tags of its steps, too: of its checkpoints.
  expect((await check(exact)).join()).toMatch(/the tags? /);
  await revisions.setRef(id, tag);
  await revisions.setRef(id, { ...tag, name: 'deleted' });
  expect((await check(exact)).join()).toMatch(/the tags are/);
  await revisions.deleteRef(id, 'tag', 'deleted');
});

it('finds a publication that was undone', async () => {
  const { id } = await repositoryOf(lossy);
  const { revisions } = gateway.catalog.hub;
  const tags = (await revisions.refs(id)).filter(({ kind }) => kind === 'tag');
  const pushed = tags.find(({ name }) => name.endsWith('-uploaded'))!;
  const published = tags.find(({ name }) => `${name}-uploaded` === pushed.name)!;
  await revisions.setRef(id, { ...published, commitId: pushed.commitId });
  expect((await check(lossy)).join()).toMatch(/the tags? /);
  await revisions.setRef(id, published);
});

it('finds a file whose bytes are lost', async () => {
  const { id } = await repositoryOf(exact);
  const { hub, objects } = gateway.catalog;
  const keys = await objects.keys({ limit: 1000 });
  const commit = [...exact.commits].at(-1)!;
  const [, file] = [...commit.files].find(([, { gitId }]) => gitId !== undefined)!;
  const [blob] = await hub.blobs.find(id, [file.sha256]);
  expect(keys).toContain(blob!.rawKey);
  await gateway.store.delete(blob!.rawKey!);
  expect((await check(exact)).join()).toMatch(/comes down with/);
});

/** Cancels what the repository of an actor is waiting for. */
async function cancelWaiting(actor: HubActor): Promise<void> {
  const run = (await gateway.catalog.runs.find((await repositoryOf(actor)).id, 'default'))!;
  const [waiting] = await gateway.catalog.checkpoints.unfinished(run.id, 1);
  await cancelCheckpoint(gateway, waiting!);
}

it('finds nothing wrong where a deletion was interrupted after it had cancelled a checkpoint', async () => {
  const passing = actors[2]!;
  await interrupt(passing, 'remove', () => cancelWaiting(passing));
  expect(await check(passing)).toEqual([]);
  await passing.act(senderTo(url));
  expect(await check(passing)).toEqual([]);
});

it('finds a checkpoint that was cancelled and will never be ready', async () => {
  const passing = actors[2]!;
  await interrupt(passing, 'move', () => cancelWaiting(passing));
  expect((await check(passing)).join()).toMatch(/not ready and published: \d+ \(cancelled\)/);
});
