import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HubSettings } from '../../catalog/contract/repository-records.ts';
import { publishWaiting } from '../../hub/commit/publish-compressed.ts';
import { collectNow } from '../../upkeep/garbage/collect-now.test-support.ts';
import { deletePending } from '../../upkeep/garbage/delete-pending.ts';
import { encodeShard } from '../../xet/encode-shard.test-support.ts';
import { encodeXorb } from '../../xet/encode-xorb.test-support.ts';
import { createXetHasher } from '../../xet/xet-hash.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';
import { expectHubError, file, header, HubClient, lfsFile, ok, pathOf, sha256 } from './hub-client.test-support.ts';

const model = 'model.safetensors';

let gateway: TestGateway;
let call: Call;
let made = 0;

beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
});
afterAll(() => gateway.close());

const weights = (seed: number): Buffer => safetensors({ w: { shape: [64, 32], values: ramp(2048, seed) } });

/** A lossy repository whose run quantizes with a fixed config, so that no evaluator is needed. */
async function newRepository(shows: HubSettings['shows'] = 'compressed'): Promise<HubClient> {
  const hub = await new HubClient(call, `acme/lossy-${++made}`).create();
  const fixedConfig = { bins: 4, embeddingBins: 4, pruneFraction: 0, protectFraction: 0 };
  const run = { name: 'default', fidelity: 'lossy', search: { fixedConfig } };
  ok(await hub.ask('POST', `/v1/repositories/${hub.id}/runs`, run));
  const [namespace, name] = hub.id.split('/') as [string, string];
  const { id } = (await gateway.catalog.repositories.find(namespace, name))!;
  const settings = { fidelity: 'lossy', evalSet: 'held-out', thresholds: {}, shows } as const;
  await gateway.catalog.repositories.setHubSettings(id, settings);
  return hub;
}

/** Compresses what was pushed, and publishes it. */
async function compress(): Promise<void> {
  await gateway.encode();
  await publishWaiting(gateway.catalog);
}

describe('weights that are pushed again after their bytes were given up', () => {
  const [first, second] = [weights(1), weights(2)];
  const senders: Record<string, (hub: HubClient) => Promise<string>> = {
    'as a large file': (hub) => hub.push({ [model]: first }, 'again'),
    'inside the commit': (hub) => hub.commit([header('again'), file(model, first)]),
    async 'as chunks'(hub) {
      await sendChunks(hub, first);
      return hub.commit([header('again'), lfsFile(model, first)]);
    },
  };

  it.each(Object.entries(senders))('come back exactly when they are sent %s', async (_, send) => {
    const hub = await newRepository();
    const old = await hub.push({ [model]: first }, 'step 900');
    await compress();
    await hub.push({ [model]: second }, 'step 950');
    await compress();
    const commit = await send(hub);
    for (const revision of [commit, old, 'main']) expect(await hub.bytes(revision, model)).toEqual(first);
    await compress();
    for (const revision of [commit, old]) expect(await hub.bytes(revision, model)).toEqual(first);
    // It is a checkpoint like any other: its compressed form is published again.
    expect(await hub.head()).not.toBe(commit);
    expect((await hub.history())[1]).toBe(commit);
    expect(await hub.bytes('main', model)).not.toEqual(first);
  });

  it('have to be sent: nothing else is believed to have them', async () => {
    const hub = await newRepository();
    await hub.push({ [model]: first }, 'step 900');
    await compress();
    expect(await hub.batch([first])).toEqual([undefined]);
    await hub.push({ [model]: second }, 'step 950');
    await compress();
    expect(await hub.batch([first, second])).toEqual([expect.any(String), undefined]);
    expect((await hub.tryCommit([header(), lfsFile(model, first)])).status).toBe(409);
  });
});

describe('weights that are pushed again while their upload is kept', () => {
  it('are a checkpoint of their own, which keeps its path readable when the upload goes', async () => {
    const hub = await newRepository();
    await hub.push({ [model]: weights(1) }, 'step 900');
    await compress();
    const again = await hub.push({ [`checkpoint-950/${model}`]: weights(1) });
    // A commit that has them at the same path adds nothing.
    await hub.commit([header(), file('config.json', '{}'), lfsFile(`checkpoint-950/${model}`, weights(1))]);
    await compress();
    await hub.push({ [`checkpoint-960/${model}`]: weights(3) });
    await compress();
    await collectNow(gateway);
    const steps = ok(await hub.ask('GET', `/v1/repositories/${hub.id}/runs/default/checkpoints`)).json.items;
    expect(steps.map(({ step }: { step: number }) => step)).toEqual([900, 950, 960]);
    for (const path of await hub.paths()) ok(await hub.resolve('main', path));
    expect(await hub.bytes('step-950', `checkpoint-950/${model}`)).toEqual(await hub.bytes('main', model));
    expectHubError(await hub.resolve(again, `checkpoint-950/${model}`), 404, 'EntryNotFound');
  });
});

describe('several checkpoints of one commit', () => {
  const steps = [10, 20, 30];
  const paths = steps.map((step) => `checkpoint-${step}/${model}`);
  const pushAll = (hub: HubClient): Promise<string> =>
    hub.push(Object.fromEntries(steps.map((step, i) => [paths[i]!, weights(step)])), 'End of training');
  const tagsOf = (step: number): string[] => [`step-${step}`, `default/step-${step}`];

  it.each(['compressed', 'uploaded'] as const)('have tags of their own when %s is shown', async (shows) => {
    const hub = await newRepository(shows);
    const pushed = await pushAll(hub);
    // Another commit's checkpoint, and a tag that a person made.
    await hub.push({ [model]: weights(40) }, 'step 40');
    ok(await hub.api('POST', `/tag/${pushed}`, { tag: 'step-77' }));
    await compress();
    const tags = await hub.tags();
    const other = shows === 'compressed' ? 'uploaded' : 'compressed';
    expect(Object.keys(tags).sort()).toEqual(
      [...[...steps, 40].flatMap(tagsOf).flatMap((tag) => [tag, `${tag}-${other}`]), 'step-77'].sort(),
    );
    expect(tags['step-77']).toBe(pushed);
    for (const [i, step] of steps.entries())
      for (const tag of tagsOf(step)) {
        const [shown, beside] = [tags[tag]!, tags[`${tag}-${other}`]!];
        const [raw, published] = shows === 'uploaded' ? [shown, beside] : [beside, shown];
        expect([tag, raw]).toEqual([tag, pushed]);
        // The commit that a publication made says which step it is of.
        const [commit] = ok(await hub.api('GET', `/commits/${published}`)).json;
        expect([tag, commit.title]).toEqual([tag, expect.stringMatching(`^Step ${step} compressed`)]);
        const bytes = await hub.bytes(published, paths[i]!);
        expect([tag, bytes.length, bytes.equals(weights(step))]).toEqual([tag, weights(step).length, false]);
        for (const revision of Object.keys(tags).filter((name) => name.startsWith(tag)))
          expect(await hub.bytes(revision, paths[i]!)).toEqual(tags[revision] === pushed ? weights(step) : bytes);
      }
  });
});

describe('what was pushed', () => {
  const pushTwo = async (hub: HubClient): Promise<string> => {
    const files = { [model]: weights(1), 'optimizer.safetensors': weights(9) };
    const pushed = await hub.push(files, 'step 1');
    await compress();
    await hub.push({ [model]: weights(2) }, 'step 2');
    await compress();
    return pushed;
  };
  const expectBoth = async (hub: HubClient, revision: string, status: number): Promise<void> => {
    for (const path of [model, 'optimizer.safetensors'])
      for (const method of ['HEAD', 'GET']) {
        const answer = await hub.resolve(revision, path, {}, method);
        expect([path, method, answer.status]).toEqual([path, method, status]);
        if (status === 404) expect(answer.headers.get('x-error-code')).toBe('EntryNotFound');
      }
  };

  it('stays readable after the next checkpoint until its bytes are deleted, and then HEAD says so, too', async () => {
    const hub = await newRepository();
    const pushed = await pushTwo(hub);
    await expectBoth(hub, pushed, 200);
    expect(await hub.bytes('step-1-uploaded', model)).toEqual(weights(1));
    const part = await hub.resolve(pushed, model, { range: 'bytes=100-199' });
    expect(part.bytes).toEqual(weights(1).subarray(100, 200));
    await deletePending(gateway, { graceMs: 60_000 });
    await expectBoth(hub, pushed, 200);
    await collectNow(gateway);
    const [head, get] = [await hub.resolve(pushed, model, {}, 'HEAD'), await hub.resolve(pushed, model)];
    expect(head.status).toBe(404);
    expect(head.headers.get('x-error-code')).toBe('EntryNotFound');
    expectHubError(get, 404, 'EntryNotFound');
    expect(get.json.error).toMatch(/stored lossy. Its compressed form has a revision/);
    await expectBoth(hub, 'step-1', 200);
  });

  it('goes at once when its checkpoint is deleted', async () => {
    const hub = await newRepository();
    const pushed = await pushTwo(hub);
    ok(await hub.ask('DELETE', `/v1/repositories/${hub.id}/runs/default/checkpoints/1`));
    await expectBoth(hub, pushed, 404);
  });
});

/** Sends a file as one chunk, with the shard that describes it. */
async function sendChunks(hub: HubClient, bytes: Buffer): Promise<void> {
  const hasher = await createXetHasher();
  const chunk = { hash: hasher.hashChunk(bytes), rawBytes: bytes.length };
  const xorb = hasher.hashXorb([chunk]);
  const cas = pathOf(ok(await hub.api('GET', '/xet-write-token/main')).json.casUrl);
  const xorbBytes = Buffer.from(encodeXorb([{ raw: bytes, scheme: 'lz4' }]));
  ok(await call('POST', `${cas}/v1/xorbs/default/${xorb}`, xorbBytes));
  const range = { start: 0, end: 1 };
  const term = { xorb, rawBytes: bytes.length, range, verification: hasher.hashRange([chunk.hash]) };
  const files = [{ hash: await hasher.hashFile([chunk]), terms: [term], sha256: sha256(bytes) }];
  ok(await call('POST', `${cas}/v1/shards`, Buffer.from(encodeShard({ files, xorbs: [] }))));
}
